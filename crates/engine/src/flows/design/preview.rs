//! Preview of a design: steps and seats of each phase, and the deliverables.

use super::brief::{DesignFlags, PHASES, RESEARCH, WRITE};
use super::level_seats::level_seats;
use super::seats::sketches;
use crate::flow::Deliverable;
use crate::pages::PhasePlan;
use charrette_model::seats::{AnswerForm, Seat, SeatGroup};
use charrette_model::spec::check::level_shape;
use charrette_model::spec::resolver::SpecLevel;
use serde_json::{Map, Value};

/// Describes a phase.
pub(super) fn preview(flags: &Map<String, Value>, phase: &str) -> PhasePlan {
    let flags = DesignFlags::from_map(flags);
    let (brief, groups): (String, &[SeatGroup]) = match phase {
        RESEARCH => (
            join_parts(&[
                ("survey, three researchers, context summary", true),
                ("your questions", !flags.auto && flags.level == SpecLevel::Spec),
                ("pre-design gate", !flags.no_checkpoint),
            ]),
            &[SeatGroup::Researchers, SeatGroup::Lead],
        ),
        WRITE if flags.level != SpecLevel::Spec => (
            join_parts(&[("two files and a marker", true), ("post-design gate", flags.asks_approval())]),
            &[],
        ),
        WRITE => (
            join_parts(&[
                ("two sketches", flags.quick),
                ("four sketches", !flags.quick),
                ("debate, plan, review and vote", true),
                ("discussion", !flags.auto),
                ("diagram, six files", true),
                ("post-design gate", flags.asks_approval()),
            ]),
            &[
                SeatGroup::Sketches,
                SeatGroup::Debaters,
                SeatGroup::Judges,
                SeatGroup::Reviewers,
                SeatGroup::Voters,
            ],
        ),
        _ => ("checks by rules, then the validator, one repair at most".to_owned(), &[]),
    };
    let mut groups: Vec<(String, Vec<&'static Seat>)> =
        groups.iter().map(|group| (group.name().to_owned(), seats_of(*group, flags))).collect();
    if phase == PHASES[2] {
        let is_validator = |seat: &&Seat| seat.form == AnswerForm::Verdict;
        let seats = level_seats(flags.level).all().filter(is_validator).collect();
        groups.push(("validator".to_owned(), seats));
    }
    PhasePlan { brief, groups }
}

fn seats_of(group: SeatGroup, flags: DesignFlags) -> Vec<&'static Seat> {
    match group {
        SeatGroup::Sketches => sketches(flags.quick).iter().collect(),
        group => level_seats(flags.level).group(group).collect(),
    }
}

fn join_parts(parts: &[(&str, bool)]) -> String {
    parts.iter().filter(|(_, is_part)| *is_part).map(|(part, _)| *part).collect::<Vec<_>>().join(", ")
}

/// Files of a design for people, with a description.
pub(super) fn deliverables(flags: &Map<String, Value>) -> Vec<Deliverable> {
    let level = DesignFlags::from_map(flags).level;
    let Some(shape) = level_shape(level) else {
        return vec![
            ("requirements.md", "user stories and requirements"),
            ("design.md", "architecture, decisions and votes"),
            ("tasks.md", ""),
            ("summary.md", "one page"),
            ("spec.json", "machine-readable record"),
            ("meta.yaml", "id, status, counts"),
        ];
    };
    let page = if level == SpecLevel::Project { "vision and features" } else { "scope and specs" };
    vec![
        (shape.page, page),
        (shape.manifest, "machine-readable record"),
        (shape.marker, "marker of the level"),
    ]
}

/// True if `--phase` reruns a step: in the write phase the steps from the writer on, in the validate phase every step.
/// Earlier phases, research and the panel are reused.
pub(super) fn redo(from: &str, phase: &str, step: &str) -> bool {
    const STEPS: [&str; 9] = [
        "writer",
        "checks/draft",
        "writer/corrected",
        "spec-files",
        "spec-files/before",
        "post-design/page",
        "status/draft",
        "status/approved",
        "tracker/record",
    ];
    let index = |name: &str| PHASES.iter().position(|known| *known == name);
    if index(phase) < index(from) {
        return false;
    }
    phase == PHASES[2] || (phase == PHASES[1] && STEPS.contains(&step))
}
