//! Closing page of a run: the flow's summary, costs and warnings.

use crate::error::AppError;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::start::flow_for;
use crate::workspaces::{run_workspace, spec_folder};
use charrette_engine::explain::is_by_this_version;
use charrette_engine::pages::{ClosingPage, FinishedRun, SeatCost};
use charrette_engine::{FlowResult, Stop};
use charrette_model::checkpoint::{Checkpoint, DocumentName};
use charrette_model::ledger::{CallRecord, Total, citation_counts};
use charrette_model::seats::{EMBEDDED, SeatTables};
use charrette_store::ledger::calls;
use std::collections::BTreeMap;

/// Builds the closing page of a run that is complete or has finished its requested phases.
pub fn closing(
    site: &Site,
    name: &DocumentName,
    outcome: &FlowResult<()>,
    warnings: Vec<String>,
) -> Result<Option<ClosingPage>, AppError> {
    if !matches!(outcome, Ok(()) | Err(Stop::RequestedPhasesDone)) {
        return Ok(None);
    }
    let Some(loaded) = site.documents().load(name)? else { return Ok(None) };
    let (document, flow) = (loaded.document, flow_for(site, name)?);
    let workspace = run_workspace(site, &document)?;
    let calls = calls(workspace.folder()).unwrap_or_default();
    let run = document.run.clone().unwrap_or_default();
    let mut page = (flow.closing)(&FinishedRun {
        document: &document,
        feature: &feature_argument(name),
        flags: &run.flags,
        is_complete: outcome.is_ok(),
        spec_folder: &spec_folder(site, name),
        workspace: &run.workspace.unwrap_or_default(),
        calls: &calls,
        read: &|name| {
            let bytes = workspace.read(name, None).ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        },
        file_exists: &|path| site.root.join(path).exists(),
    });
    page.notes.extend(citations_note(&calls));
    let costs = costs(&calls, &flow.seat_tables());
    Ok(Some(ClosingPage { costs, warnings: merge_repeated(warnings), ..page }))
}

/// Number of the agents' citations that were right. The embedded agent cites what it has just read.
fn citations_note(calls: &[CallRecord]) -> Option<String> {
    let counts = citation_counts(calls.iter().filter(|call| call.agent != EMBEDDED))?;
    Some(format!("Citations: {counts}"))
}

/// Cost per seat and agent, in the order of the seats. The embedded agent costs nothing.
fn costs(calls: &[CallRecord], tables: &SeatTables) -> Vec<SeatCost> {
    let mut seats: Vec<(String, String, Total)> = Vec::new();
    for call in calls.iter().filter(|call| call.agent != EMBEDDED) {
        let is_it =
            |(seat, agent, _): &&mut (String, String, Total)| *seat == call.seat && *agent == call.agent;
        if let Some((_, _, total)) = seats.iter_mut().find(is_it) {
            total.add(call);
        } else {
            let mut total = Total::default();
            total.add(call);
            seats.push((call.seat.clone(), call.agent.clone(), total));
        }
    }
    let cost = |(seat, agent, total): (String, String, Total)| SeatCost {
        seat,
        agent,
        calls: usize::try_from(total.calls).unwrap_or(usize::MAX),
        input: total.input,
        output: total.output,
        usd: total.usd,
        seconds: std::time::Duration::from_secs_f64(total.seconds.clamp(0.0, 1e9)).as_secs(),
    };
    seats.sort_by_key(|(id, ..)| tables.all().position(|seat| seat.id == id.as_str()));
    seats.into_iter().map(cost).collect()
}

/// Merges a warning that an agent repeats in several steps into one line.
fn merge_repeated(warnings: Vec<String>) -> Vec<String> {
    let parts = |warning: &str| -> Option<(String, String)> {
        let (step, words) = warning.split_once(": ")?;
        let is_step = step.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-/".contains(&byte));
        is_step.then(|| (step.to_owned(), words.to_owned()))
    };
    let mut steps: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (step, words) in warnings.iter().filter_map(|warning| parts(warning)) {
        steps.entry(words).or_default().push(step);
    }
    let gather = |warning: String| {
        let Some((_, words)) = parts(&warning) else { return Some(warning) };
        // The first step stands for all.
        match steps.remove(&words)?.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                Some(format!("{first} and {} more: {words}", others.len()))
            }
            _ => Some(warning),
        }
    };
    warnings.into_iter().filter_map(gather).collect()
}

/// File in the workspace that says that the closing page of the run was shown.
const SHOWN: &str = ".closing-page-shown";

/// Notes that the closing page of a run was shown. If that fails, it is shown once more.
pub fn note_closing_page_shown(site: &Site, name: &DocumentName) {
    let loaded = site.documents().load(name).ok().flatten();
    let workspace = loaded.and_then(|loaded| run_workspace(site, &loaded.document).ok());
    if let Some(workspace) = workspace {
        let _ = fs_err::write(workspace.folder().join(SHOWN), "");
    }
}

/// True if the closing page of a complete run was shown, as far as is known: other versions did not note it.
pub(crate) fn was_closing_page_shown(site: &Site, document: &Checkpoint) -> bool {
    let shown = run_workspace(site, document).map(|workspace| workspace.folder().join(SHOWN).exists());
    !is_by_this_version(document) || shown.unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_warnings_are_merged() {
        let warnings = [
            "**⚠ Cursor not available.**",
            "debate/2-thesis: codex: no metadata",
            "writer: claude: was refused Bash",
            "judge/judge-codex: codex: no metadata",
            "The plan: codex: no metadata",
            "validator: codex: no metadata",
        ];
        assert_eq!(
            merge_repeated(warnings.map(str::to_owned).into()),
            [
                "**⚠ Cursor not available.**",
                "debate/2-thesis and 2 more: codex: no metadata",
                "writer: claude: was refused Bash",
                "The plan: codex: no metadata",
            ]
        );
    }
}
