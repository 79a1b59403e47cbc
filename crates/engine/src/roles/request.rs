//! The handoff request of a seat, validated against the protocol before a prompt is rendered.

use super::role::{Role, RoleError};
use charrette_model::handoff::check_request;
use charrette_model::seats::{Seat, SeatGroup};
use serde::Serialize;

/// Mode of the researchers, and the phase of the protocol they belong to.
const RESEARCH: &str = "research";

/// Phases of the protocol.
const PROTOCOL_PHASES: [&str; 4] = [RESEARCH, "write", "validate", "parallel"];

/// A handoff request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandoffRequest {
    /// Name of the call: the seat id by default.
    pub task_id: String,
    /// Phase of the protocol.
    pub phase: String,
    pub mode: String,
    pub context: RequestContext,
    pub instructions: String,
    pub expected_output: String,
}

/// Context of a handoff request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RequestContext {
    pub feature: String,
    /// Folder of the specification: absolute, ends with `/`.
    pub spec_path: Option<String>,
    pub relevant_files: Vec<String>,
    pub constraints: Vec<String>,
    pub previous_summary: Option<String>,
}

impl HandoffRequest {
    /// A request with a minimal context; the caller adds the rest.
    pub fn new(seat: &Seat, role: &Role, feature: &str, instructions: &str) -> HandoffRequest {
        let expected_output = match seat.role {
            "aggregator" | "level-aggregator" | "synthesist" | "merger" | "change-merger"
            | "topic-synthesist" => "aggregated_results",
            "writer" | "level-writer" | "illustrator" => "files_changed",
            "validator" | "level-validator" => "validation_result",
            _ => match seat.group {
                Some(SeatGroup::Writers) => "files_changed",
                Some(SeatGroup::TaskReviewers) => "validation_result",
                _ => "structured_findings",
            },
        };
        // The protocol has its own phases: research is `research` in every command.
        let phase = match seat.group {
            _ if role.mode == RESEARCH => RESEARCH,
            Some(SeatGroup::Writers) => "write",
            _ if PROTOCOL_PHASES.contains(&seat.phase) => seat.phase,
            _ => "validate",
        };
        HandoffRequest {
            task_id: seat.id.to_owned(),
            phase: phase.to_owned(),
            mode: role.mode.clone(),
            context: RequestContext { feature: feature.to_owned(), ..RequestContext::default() },
            instructions: instructions.to_owned(),
            expected_output: expected_output.to_owned(),
        }
    }

    /// Validates it against the protocol. `summary_words` is the limit of the previous summary.
    pub fn check(&self, seat: &Seat, summary_words: usize) -> Result<(), RoleError> {
        let not_serializable = |error: serde_json::Error| vec![error.to_string()];
        let errors = match serde_json::to_value(self).map_err(not_serializable) {
            Ok(value) => check_request(&value, summary_words).errors,
            Err(errors) => errors,
        };
        if errors.is_empty() { Ok(()) } else { Err(RoleError::InvalidRequest { seat: seat.id, errors }) }
    }
}
