//! Kinds of seats of a design: what all seats of one kind have in common.

use super::artifact_readers::reads;
use super::brief::{RESEARCH, WRITE};
use charrette_model::seats::{AnswerForm, ClockFamily, Seat, SeatGroup};

pub(super) const CURSOR: Names = &["cursor"];
pub(super) const CODEX: Names = &["codex"];
pub(super) const CLAUDE: Names = &["claude"];
pub(super) const GENERIC: &str = "generic";

pub(super) type Names = &'static [&'static str];

/// Defaults of a seat: one agent of the lead group, in the write phase.
pub(super) const fn lead(id: &'static str, step: &'static str, role: &'static str) -> Seat {
    Seat {
        id,
        group: Some(SeatGroup::Lead),
        step,
        phase: WRITE,
        role,
        variant: None,
        reads: &[],
        writes: &[],
        fallback_names: &[],
        form: AnswerForm::Plan,
        preferred: &["claude", "codex"],
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    }
}

/// A seat of the chief designer.
pub(super) const fn planner(
    id: &'static str,
    step: &'static str,
    variant: &'static str,
    writes: Names,
) -> Seat {
    Seat { variant: Some(variant), writes, clock: ClockFamily::Design, ..lead(id, step, "planner") }
}

pub(super) const fn researcher(
    id: &'static str,
    variant: &'static str,
    writes: Names,
    preferred: Names,
) -> Seat {
    Seat {
        group: Some(SeatGroup::Researchers),
        variant: Some(variant),
        reads: reads!("researcher-requirements", "1a"),
        writes,
        form: AnswerForm::HandoffResponse,
        preferred,
        phase: RESEARCH,
        ..lead(id, "1a", "researcher")
    }
}

pub(super) const fn sketch(
    id: &'static str,
    role: &'static str,
    variant: &'static str,
    writes: Names,
    preferred: Names,
) -> Seat {
    Seat {
        group: Some(SeatGroup::Sketches),
        variant: Some(variant),
        reads: reads!("cursor-arch", "2a"),
        writes,
        form: AnswerForm::Sketch,
        preferred,
        flips_health: true,
        ..lead(id, "2a", role)
    }
}

/// The number of a debater is the rank of its decision, which also determines the bucket.
pub(super) const fn debater(id: &'static str, role: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Debaters),
        reads: reads!("debate-1-thesis", "2a.5"),
        writes,
        form: AnswerForm::Defense,
        preferred,
        clock: ClockFamily::Review,
        embedded: false,
        ..lead(id, "2a.5", role)
    }
}

pub(super) const fn judge(id: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Judges),
        reads: reads!("judge-cursor", "2a.5"),
        writes,
        form: AnswerForm::DecisionVotes,
        preferred,
        clock: ClockFamily::Review,
        embedded: false,
        ..lead(id, "2a.5", "judge")
    }
}

/// Answers one question. Which one is decided when the questions are known.
pub(super) const fn investigator(id: &'static str, writes: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Investigators),
        reads: reads!("investigator-1", "2a.6"),
        writes,
        form: AnswerForm::Investigation,
        clock: ClockFamily::Investigate,
        embedded: false,
        ..lead(id, "2a.6", "investigator")
    }
}

pub(super) const fn walker(id: &'static str, variant: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Walkers),
        variant: Some(variant),
        reads: reads!("walker-1", "3.2"),
        writes,
        form: AnswerForm::Walkthrough,
        preferred,
        clock: ClockFamily::Review,
        ..lead(id, "3.2", "walker")
    }
}

pub(super) const fn reviewer(
    id: &'static str,
    variant: &'static str,
    writes: Names,
    preferred: Names,
) -> Seat {
    Seat {
        group: Some(SeatGroup::Reviewers),
        variant: Some(variant),
        reads: reads!("reviewer-arch", "3"),
        writes,
        form: AnswerForm::Findings,
        preferred,
        clock: ClockFamily::Review,
        flips_health: true,
        ..lead(id, "3", "reviewer")
    }
}

pub(super) const fn voter(id: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Voters),
        reads: reads!("voter-claude", "3"),
        writes,
        form: AnswerForm::FindingVotes,
        preferred,
        ..lead(id, "3", "voter")
    }
}
