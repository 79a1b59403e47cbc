//! Prompt of a seat: the definition of its role, rendered with a request.

use super::request::HandoffRequest;
use super::role::{Role, RoleError};
use charrette_model::panel::decisions::{Decision, write_decisions};
use charrette_model::seats::Seat;
use charrette_model::words::MAX_SUMMARY_WORDS;
use serde::Serialize;

/// Inputs of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    role: &'a Role,
    seat: &'a Seat,
    request: &'a HandoffRequest,
    decision: Option<&'a Decision>,
    inquiry: Option<&'a str>,
    sources: &'a [String],
    summary_words: usize,
}

impl<'a> Prompt<'a> {
    pub fn new(role: &'a Role, seat: &'a Seat, request: &'a HandoffRequest) -> Prompt<'a> {
        Prompt {
            role,
            seat,
            request,
            decision: None,
            inquiry: None,
            sources: &[],
            summary_words: MAX_SUMMARY_WORDS,
        }
    }

    /// Sets the decision that is debated; required for debaters.
    #[must_use]
    pub fn decision(mut self, decision: &'a Decision) -> Prompt<'a> {
        self.decision = Some(decision);
        self
    }

    /// Sets the question that is investigated; required for investigators.
    #[must_use]
    pub fn inquiry(mut self, inquiry: &'a str) -> Prompt<'a> {
        self.inquiry = Some(inquiry);
        self
    }

    /// Sets the sources of dependencies on this machine, one line each.
    #[must_use]
    pub fn sources(mut self, sources: &'a [String]) -> Prompt<'a> {
        self.sources = sources;
        self
    }

    /// Sets the maximum number of words of a context summary.
    #[must_use]
    pub fn summary_words(mut self, words: usize) -> Prompt<'a> {
        self.summary_words = words;
        self
    }

    /// Renders the prompt. The step of the agent call appends the inputs of the seat.
    pub fn render(&self) -> Result<String, RoleError> {
        let Prompt { role, seat, request, decision, inquiry, sources, summary_words } = *self;
        request.check(seat, summary_words)?;
        let values = Values {
            seat: SeatValues {
                id: seat.id,
                group: seat.group.map_or("", |group| group.name()),
                step: seat.step,
                variant: seat.variant.unwrap_or_default(),
                reads: seat.reads,
                writes: seat.writes,
            },
            role: RoleValues {
                name: role.name,
                max_words: role.max_words,
                web: role.web,
                scratch: seat.works_in_copy(),
                changes: seat.is_writer(),
            },
            request,
            summary_words,
            decision: decision.map(|decision| write_decisions(std::slice::from_ref(decision))),
            inquiry,
            sources,
        };
        role.texts.render(&values)
    }
}

/// Values that a definition may use.
#[derive(Serialize)]
struct Values<'a> {
    seat: SeatValues<'a>,
    role: RoleValues<'a>,
    request: &'a HandoffRequest,
    summary_words: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inquiry: Option<&'a str>,
    sources: &'a [String],
}

#[derive(Serialize)]
struct SeatValues<'a> {
    id: &'a str,
    group: &'a str,
    step: &'a str,
    variant: &'a str,
    reads: &'a [&'a str],
    writes: &'a [&'a str],
}

#[derive(Serialize)]
struct RoleValues<'a> {
    name: &'a str,
    max_words: Option<usize>,
    web: bool,
    /// True if it works in a copy of the repository that is thrown away.
    scratch: bool,
    /// True if it changes a worktree.
    changes: bool,
}
