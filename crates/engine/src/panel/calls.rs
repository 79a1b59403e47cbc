//! Agent calls of a panel: the step id, prompt, inputs and answer grammar of each seat.
//!
//! The inputs of a seat come from the table of seats. Names there with a `*` are filled in by the flow, which is
//! the only one to know the files.

use super::grammar;
use super::inputs::{constraints, first_files, prepare, take_summary};
use super::survey::group_sources;
use super::verification::FlowFiles;
use crate::agent::{AgentCall, AgentPrompt, seat as call_for};
use crate::artifact::{ArtifactSpec, Input};
use crate::citation_check::CitationPolicy;
use crate::ports::PromptInput;
use crate::roles::{HandoffRequest, PinnedRoles, Prompt, RoleError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::decisions::Decision;
use charrette_model::panel::file_names::{FEEDBACK, INVESTIGATIONS, OPTIONAL_FILES};
use charrette_model::panel::inquiries::MAX_INVESTIGATED;
use charrette_model::seats::{AnswerForm, Seat, SeatGroup, SeatTables};
use std::sync::Arc;

/// Instructions of the flow for each role, one line per role.
const INSTRUCTIONS: &str = include_str!("../../../../assets/roles/instructions.txt");

/// The seats of a run and the context they share; prepares their agent calls. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Panel {
    context: Arc<PanelContext>,
    files: FlowFiles,
}

/// Context shared by all calls of a panel.
#[derive(Debug)]
pub struct PanelContext {
    pub feature: String,
    /// Folder of the specification: absolute, ends with `/`; empty if there is none.
    pub spec_path: String,
    /// Date of the specification, as `YYYY-MM-DD`.
    pub date: String,
    /// Maximum number of words of a summary.
    pub summary_words: usize,
    pub roles: PinnedRoles,
    /// Most relevant files of the repository, best first.
    pub relevant_files: Vec<String>,
    /// Sources of dependencies on this machine, one line each.
    pub sources: Vec<String>,
    pub seats: SeatTables,
    /// Files of the flow: who reads them, and how far they are to be trusted.
    pub artifacts: &'static [ArtifactSpec],
}

/// A seat with the notes and the decision its prompt is rendered from.
#[derive(Debug, Clone)]
pub struct SeatAssignment {
    context: Arc<PanelContext>,
    seat: &'static Seat,
    citations: CitationPolicy,
    notes: String,
    decision: Option<Decision>,
    inquiry: Option<String>,
}

impl Panel {
    pub fn new(context: PanelContext) -> Panel {
        let files = FlowFiles::new(&context);
        Panel { context: Arc::new(context), files }
    }

    pub(super) fn summary_words(&self) -> usize {
        self.context.summary_words
    }

    /// The seats of a group, in order.
    pub fn group(&self, group: SeatGroup) -> Vec<&'static Seat> {
        self.context.seats.group(group).collect()
    }

    /// Looks up a seat by id. The tables hold every seat, so an unknown id is a bug of the flow.
    pub fn seat(&self, id: &str) -> FlowResult<SeatAssignment> {
        let seat = self.context.seats.seat(id);
        let seat = seat.ok_or_else(|| Stop::Failed(format!("unknown seat {id}")))?;
        Ok(self.assign(seat))
    }

    pub fn assign(&self, seat: &'static Seat) -> SeatAssignment {
        let citations = self.files.policy(seat);
        let context = self.context.clone();
        SeatAssignment { context, seat, citations, notes: String::new(), decision: None, inquiry: None }
    }

    /// Agent call of the seat with that id.
    pub fn call(&self, id: &str) -> FlowResult<AgentCall> {
        self.seat(id)?.call()
    }
}

impl SeatAssignment {
    /// Adds a note to the instructions.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> SeatAssignment {
        self.notes = note.into();
        self
    }

    /// Sets the decision that is debated.
    #[must_use]
    pub fn decision(mut self, decision: &Decision) -> SeatAssignment {
        self.decision = Some(decision.clone());
        self
    }

    /// Sets the question that is investigated.
    #[must_use]
    pub fn inquiry(mut self, inquiry: impl Into<String>) -> SeatAssignment {
        self.inquiry = Some(inquiry.into());
        self
    }

    pub fn seat(&self) -> &'static Seat {
        self.seat
    }

    /// Builds the agent call.
    pub fn call(self) -> FlowResult<AgentCall> {
        let (seat, words) = (self.seat, self.context.summary_words);
        let mut call = call_for(seat.id)
            .step_id(step_id(seat))
            .reads(&inputs(seat))
            .verify(self.citations.clone())
            .grammar_with(move |answer, inputs| grammar::parse_answer(seat, answer, words, inputs));
        for name in seat.writes {
            call = call.writes(name);
        }
        if seat.is_chief() {
            call = call.in_workshop();
        } else if seat.works_in_copy() {
            call = call.in_scratch();
        }
        let call = call.prompt_with(move |inputs| self.prompt(inputs).map_err(|error| error.to_string()));
        Ok(match seat.form {
            AnswerForm::ContextSummary => {
                call.salvage(move |answer, _| grammar::truncate_summary(seat, answer, words))
            }
            // Invalid defenses and votes are sorted out by the quorum and the tally.
            AnswerForm::Defense | AnswerForm::DecisionVotes | AnswerForm::FindingVotes => {
                call.salvage(move |answer, _| Ok(grammar::verbatim(seat, answer)))
            }
            AnswerForm::Findings => call.name_files(|agent, _| seat.answer_file(agent).to_owned()),
            _ => call,
        })
    }

    /// Renders the prompt and prepares the inputs that are quoted below it.
    pub(super) fn prompt(&self, inputs: &mut Vec<PromptInput>) -> Result<AgentPrompt, RoleError> {
        let SeatAssignment { context, seat, citations: _, notes, decision, inquiry } = self;
        inputs.retain(|input| !input.text.trim().is_empty());
        prepare(seat, context.artifacts, inputs);
        let role = context.roles.for_seat(seat)?;
        let mut request =
            HandoffRequest::new(seat, role, &context.feature, &instructions(seat, &context.date, notes));
        request.context.spec_path = Some(context.spec_path.clone()).filter(|path| !path.is_empty());
        request.context.relevant_files = first_files(seat, &context.relevant_files, inputs);
        request.context.constraints = constraints(inputs);
        let (summary, shortened) = take_summary(inputs, context.summary_words);
        request.context.previous_summary = summary;
        let sources = group_sources(&context.sources);
        let prompt = Prompt::new(role, seat, &request).summary_words(context.summary_words).sources(&sources);
        let prompt = decision.iter().fold(prompt, Prompt::decision);
        let prompt = inquiry.iter().fold(prompt, |prompt, inquiry| prompt.inquiry(inquiry));
        let notes = shortened.into_iter().collect();
        Ok(AgentPrompt { text: prompt.render()?, model: role.model.clone(), web: role.web, notes })
    }
}

fn instructions(seat: &Seat, date: &str, notes: &str) -> String {
    let line =
        INSTRUCTIONS.lines().filter_map(|line| line.split_once(": ")).find(|(role, _)| *role == seat.role);
    let text = line.map_or("Take your seat. {notes}", |(_, text)| text);
    text.replace("{date}", date).replace("{notes}", notes).trim_end().to_owned()
}

/// Agent call of a seat that works on another tree than that of the checkout, with a note.
pub(crate) fn seat_call(panel: &Panel, id: &str, note: &str) -> FlowResult<AgentCall> {
    Ok(panel.seat(id)?.note(note).call()?.unverified())
}

/// Step id of a seat. Seats of a group share a prefix, so that they sort together.
pub(crate) fn step_id(seat: &Seat) -> String {
    let id = seat.id;
    match seat.group {
        Some(SeatGroup::Researchers) => format!("research/{}", seat.variant.unwrap_or(id)),
        Some(SeatGroup::Sketches) => format!("sketch/{id}"),
        Some(SeatGroup::Debaters) => id.replacen("debate-", "debate/", 1),
        Some(SeatGroup::Judges) => format!("judge/{id}"),
        Some(SeatGroup::Investigators) => format!("investigate/{id}"),
        Some(SeatGroup::Reviewers) => format!("review/{id}"),
        Some(SeatGroup::Voters) => format!("vote/{id}"),
        Some(SeatGroup::Walkers) => format!("walk/{id}"),
        Some(SeatGroup::Lead | SeatGroup::Writers | SeatGroup::TaskReviewers) | None => id.to_owned(),
    }
}

fn inputs(seat: &Seat) -> Vec<Input> {
    let names = seat.reads.iter().copied();
    names
        .flat_map(|name| match name {
            FEEDBACK => feedback_inputs().to_vec(),
            INVESTIGATIONS => investigation_inputs().to_vec(),
            // Only the flow knows these files.
            name if name.contains('*') => Vec::new(),
            name if OPTIONAL_FILES.contains(&name) => vec![Input::optional(name)],
            name => vec![Input::Artifact(name.to_owned())],
        })
        .collect()
}

/// Feedback of the person for each round of revision.
pub(crate) fn feedback_inputs() -> [Input; 3] {
    [1, 2, 3].map(|round| Input::optional(format!("feedback-round{round}.md")))
}

/// Answers of the investigators.
pub(crate) fn investigation_inputs() -> [Input; MAX_INVESTIGATED] {
    std::array::from_fn(|n| Input::optional(investigation_file(n + 1)))
}

/// File of the answer to the question of that rank.
pub(crate) fn investigation_file(rank: usize) -> String {
    INVESTIGATIONS.replace('*', &rank.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::design::level_seats;
    use crate::flows::seats;
    use charrette_model::spec::resolver::SpecLevel;
    use std::collections::HashSet;

    fn panel() -> Panel {
        Panel::new(PanelContext {
            feature: "add-login".to_owned(),
            spec_path: "/repo/specs/add-login/".to_owned(),
            date: "2026-01-31".to_owned(),
            summary_words: 500,
            roles: PinnedRoles::built_in(seats()),
            relevant_files: vec!["src/auth.rs".to_owned()],
            sources: Vec::new(),
            seats: seats(),
            artifacts: crate::flows::design::artifacts::ARTIFACTS,
        })
    }

    #[test]
    fn every_seat_has_a_step_of_its_own_and_instructions() {
        for level in SpecLevel::ALL {
            let seats = level_seats(level);
            let steps: HashSet<String> = seats.all().map(step_id).collect();
            assert_eq!(steps.len(), seats.all().count());
        }
        for seat in seats().all() {
            let text = instructions(seat, "2026-01-31", "");
            assert_ne!(text, "Take your seat.", "{}", seat.id);
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }

    #[test]
    fn every_seat_can_be_called() {
        let decision = Decision {
            n: 1,
            title: "Store".to_owned(),
            chosen: "Memory.".to_owned(),
            alternative: "Disk.".to_owned(),
            tension: "Speed.".to_owned(),
            impact: charrette_model::panel::decisions::Impact::High,
            affected_files: Vec::new(),
        };
        for seat in seats().all() {
            let assignment = panel().assign(seat).decision(&decision).inquiry("Why?");
            assert!(assignment.prompt(&mut Vec::new()).is_ok() && assignment.call().is_ok(), "{}", seat.id);
        }
    }
}
