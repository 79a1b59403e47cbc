//! What a seat is asked: a handoff request. It is held against the protocol before anything is rendered.

use super::role::{Role, RoleError};
use charrette_model::handoff::check_request;
use charrette_model::seats::Seat;
use serde::Serialize;

/// The mode of those who find out, and the phase of the protocol that they belong to.
const RESEARCH: &str = "research";

/// A handoff request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Names the call; the seat, unless a flow says otherwise.
    pub task_id: String,
    /// The phase it belongs to.
    pub phase: String,
    /// What kind of work it is.
    pub mode: String,
    /// What the seat should know.
    pub context: Context,
    /// What it should do.
    pub instructions: String,
    /// What comes back.
    pub expected_output: String,
}

/// What a seat should know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The feature.
    pub feature: String,
    /// The folder of its specification: absolute, with `/` at the end.
    pub spec_path: Option<String>,
    /// Where to look first.
    pub relevant_files: Vec<String>,
    /// What must hold.
    pub constraints: Vec<String>,
    /// What is known so far.
    pub previous_summary: Option<String>,
}

impl Request {
    /// A request for a seat. What else the seat should know goes into its context.
    pub fn new(seat: &Seat, role: &Role, feature: &str, instructions: &str) -> Request {
        let expected_output = match seat.role {
            "aggregator" | "level-aggregator" | "synthesist" | "merger" | "topic-synthesist" => {
                "aggregated_results"
            }
            "writer" | "level-writer" | "illustrator" => "files_changed",
            "validator" | "level-validator" => "validation_result",
            _ => "structured_findings",
        };
        // The protocol has phases of its own: whatever a command calls its phases, research is research.
        let phase = if role.mode == RESEARCH { RESEARCH } else { seat.phase };
        Request {
            task_id: seat.id.to_owned(),
            phase: phase.to_owned(),
            mode: role.mode.clone(),
            context: Context { feature: feature.to_owned(), ..Context::default() },
            instructions: instructions.to_owned(),
            expected_output: expected_output.to_owned(),
        }
    }

    /// Holds it against the protocol. `summary_words` is the limit of the previous summary.
    pub fn check(&self, seat: &Seat, summary_words: usize) -> Result<(), RoleError> {
        let unwritable = |error: serde_json::Error| vec![error.to_string()];
        let errors = match serde_json::to_value(self).map_err(unwritable) {
            Ok(value) => check_request(&value, summary_words).errors,
            Err(errors) => errors,
        };
        if errors.is_empty() { Ok(()) } else { Err(RoleError::Request { seat: seat.id, errors }) }
    }
}
