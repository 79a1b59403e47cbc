//! Preview and closing page of a research run.

use super::artifacts::NOTES;
use super::flow::DISCOVERY;
use super::seats::SEATS;
use crate::flow::Deliverable;
use crate::pages::{ClosingPage, FinishedRun, PhasePlan};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::seats::{Seat, SeatGroup};
use serde_json::{Map, Value};

/// Describes a phase.
pub(super) fn preview(_: &Map<String, Value>, phase: &str) -> PhasePlan {
    let seats = |group: SeatGroup| -> Vec<&'static Seat> {
        SEATS.iter().filter(|seat| seat.group == Some(group)).collect()
    };
    if phase == DISCOVERY {
        let groups = vec![("researchers".to_owned(), seats(SeatGroup::Researchers))];
        return PhasePlan { brief: "survey, three researchers".to_owned(), groups };
    }
    let groups = vec![("synthesist".to_owned(), seats(SeatGroup::Lead))];
    PhasePlan { brief: "one set of notes, every code reference verified".to_owned(), groups }
}

/// Files of a research run for people.
pub(super) fn deliverables(_: &Map<String, Value>) -> Vec<Deliverable> {
    vec![(NOTES, "findings, code references, recommendations, open questions")]
}

/// Makes the closing page.
pub(super) fn closing(run: &FinishedRun<'_>) -> ClosingPage {
    let notes = format!("{}/{NOTES}", run.workspace);
    let (read, _) = read_research_notes(&run.text(NOTES));
    let title = if run.is_complete {
        format!("{} is researched: {} code references.", run.feature, read.code_references.len())
    } else {
        format!("{}: the requested phase is complete.", run.feature)
    };
    let out = run.flags.get("out").and_then(Value::as_str);
    let next = if run.is_complete {
        out.map_or_else(|| format!("less {notes}"), |out| format!("less {out}"))
    } else {
        format!("charrette research {} --resume", run.feature)
    };
    ClosingPage {
        title,
        notes: vec![run.authorship().headline(), format!("Intermediate files: {}/", run.workspace)],
        files: vec![(NOTES.to_owned(), deliverables(run.flags)[0].1.to_owned())],
        next: Some(next),
        ..ClosingPage::default()
    }
}
