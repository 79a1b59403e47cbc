//! The prompt of a seat for the files of a run, without a call: for people who want to see who is told what.

use super::calls::{Panel, PanelContext};
use super::survey::{relevant_files, source_lines};
use crate::flow::FlowSpec;
use crate::order::RunOrder;
use crate::ports::{InputLayer, PromptInput, Quotation};
use crate::prompt::render_prompt;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::file_names::{CONTESTED, QUESTIONS_INVESTIGATE, SCENARIOS, SURVEY};
use charrette_model::panel::inquiries::{read_inquiries, write_inquiry};
use charrette_model::seats::{Seat, SeatGroup};
use serde_json::Value;
use std::path::Path;

/// A file of a run's workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    pub name: String,
    pub text: String,
}

/// Renders the prompt of a seat from the files of a run. Notes that the flow adds at the moment of the call, such as the
/// labels of reviews or the reason of a second try, are not part of it.
pub fn render_seat_prompt(
    flow: &FlowSpec,
    order: &RunOrder,
    seat: &'static Seat,
    workspace: &Path,
    files: &[RunFile],
) -> Result<String, String> {
    let text = |name: &str| files.iter().find(|file| file.name == name).map(|file| file.text.as_str());
    let survey: Value = text(SURVEY).and_then(|survey| serde_json::from_str(survey).ok()).unwrap_or_default();
    let panel = Panel::new(PanelContext {
        feature: order.feature.clone(),
        spec_path: order.spec_path.clone(),
        date: order.date.clone(),
        summary_words: order.summary_words,
        roles: order.roles.clone(),
        relevant_files: relevant_files(&survey),
        sources: source_lines(&survey),
        seats: flow.seat_tables(),
        artifacts: flow.artifacts,
    });
    let mut assignment = panel.assign(seat);
    match seat.group {
        Some(SeatGroup::Debaters) => {
            let decisions = read_decisions(text(CONTESTED).unwrap_or_default()).contested;
            let decision = decisions.get(number_of(seat).saturating_sub(1));
            let missing = || format!("the run has no contested decision for {}", seat.id);
            assignment = assignment.decision(decision.ok_or_else(missing)?);
        }
        Some(SeatGroup::Investigators) => {
            let inquiries = read_inquiries(text(QUESTIONS_INVESTIGATE).unwrap_or_default()).inquiries;
            let inquiry = inquiries.get(number_of(seat).saturating_sub(1));
            let missing = || format!("the run has no question for {}", seat.id);
            assignment = assignment.inquiry(write_inquiry(inquiry.ok_or_else(missing)?));
        }
        _ => {}
    }
    let mut inputs: Vec<PromptInput> = files
        .iter()
        .filter(|file| reads(seat, flow, &file.name))
        .map(|file| PromptInput {
            name: file.name.clone(),
            title: None,
            layer: InputLayer::default(),
            quotation: Quotation::default(),
            text: file.text.clone(),
            location: Some(workspace.join(&file.name).display().to_string()),
        })
        .collect();
    let position = |input: &PromptInput| {
        seat.reads.iter().position(|name| *name == input.name).unwrap_or(seat.reads.len())
    };
    inputs.sort_by_key(position);
    let prompt = assignment.prompt(&mut inputs).map_err(|error| error.to_string())?;
    Ok(render_prompt(&prompt.text, &inputs))
}

/// Rank of the decision or question of a seat: 2 for `debate-2-thesis`.
fn number_of(seat: &Seat) -> usize {
    let digits = seat.id.split('-').find_map(|part| part.parse().ok());
    digits.unwrap_or(1)
}

/// True if the seat reads a file of that name. A walker reads the scenarios of its own number only.
fn reads(seat: &Seat, flow: &FlowSpec, file: &str) -> bool {
    let own_scenarios = SCENARIOS.replace('*', seat.variant.unwrap_or_default());
    let is_foreign = seat.group == Some(SeatGroup::Walkers) && file.starts_with("scenarios-");
    if is_foreign && file != own_scenarios {
        return false;
    }
    seat.reads.iter().any(|name| {
        *name == file
            || name.contains('*') && flow.artifacts.iter().any(|row| row.name == *name && row.matches(file))
    })
}
