//! What a design says before it runs: what happens in each phase, who sits there, which files it leaves.

use super::brief::{DesignFlags, PHASES, RESEARCH, WRITE};
use super::level_seats::level_seats;
use super::seats::sketches;
use crate::flow::Deliverable;
use crate::pages::PhasePlan;
use charrette_model::seats::{AnswerForm, Group, Seat};
use charrette_model::spec::check::shape;
use charrette_model::spec::resolver::Level;
use serde_json::{Map, Value};

/// What happens in a phase.
pub(super) fn preview(flags: &Map<String, Value>, phase: &str) -> PhasePlan {
    let flags = DesignFlags::of(flags);
    let (brief, groups): (String, &[Group]) = match phase {
        RESEARCH => (
            joined(&[
                ("survey, three researchers, context summary", true),
                ("your questions", !flags.auto && flags.level == Level::Spec),
                ("pre-design gate", !flags.no_checkpoint),
            ]),
            &[Group::Researchers, Group::Lead],
        ),
        WRITE if flags.level != Level::Spec => {
            (joined(&[("two files and a marker", true), ("post-design gate", !flags.no_checkpoint)]), &[])
        }
        WRITE => (
            joined(&[
                ("two sketches", flags.quick),
                ("four sketches", !flags.quick),
                ("debate, plan, review and vote", true),
                ("discussion", !flags.auto),
                ("diagram, six files", true),
                ("post-design gate", !flags.no_checkpoint),
            ]),
            &[Group::Sketches, Group::Debaters, Group::Judges, Group::Reviewers, Group::Voters],
        ),
        _ => ("checks by rules, then the validator, one repair at most".to_owned(), &[]),
    };
    let mut groups: Vec<(String, Vec<&'static Seat>)> =
        groups.iter().map(|group| (group.name().to_owned(), seats_of(*group, flags))).collect();
    if phase == PHASES[2] {
        let is_validator = |seat: &&Seat| seat.form == AnswerForm::Verdict;
        let seats = level_seats(flags.level).every().filter(is_validator).collect();
        groups.push(("validator".to_owned(), seats));
    }
    PhasePlan { brief, groups }
}

fn seats_of(group: Group, flags: DesignFlags) -> Vec<&'static Seat> {
    match group {
        Group::Sketches => sketches(flags.quick).iter().collect(),
        group => level_seats(flags.level).group(group).collect(),
    }
}

fn joined(parts: &[(&str, bool)]) -> String {
    parts.iter().filter(|(_, is_part)| *is_part).map(|(part, _)| *part).collect::<Vec<_>>().join(", ")
}

/// The files that a design leaves, with what each is.
pub(super) fn deliverables(flags: &Map<String, Value>) -> Vec<Deliverable> {
    let level = DesignFlags::of(flags).level;
    let Some(shape) = shape(level) else {
        return vec![
            ("requirements.md", "what is demanded"),
            ("design.md", "how it is built, and how that was decided"),
            ("tasks.md", ""),
            ("summary.md", "one page"),
            ("spec.json", "the same for programs"),
            ("meta.yaml", "id, status, counts"),
        ];
    };
    let page = if level == Level::Project {
        "what it is for, and its features"
    } else {
        "what it is, and its specs"
    };
    vec![(shape.page, page), (shape.manifest, "the same for programs"), (shape.marker, "what this folder is")]
}

/// What doing a phase again does, without doing everything again: from the writer on.
pub(super) fn redo(from: &str, phase: &str, step: &str) -> bool {
    const STEPS: [&str; 7] = [
        "writer",
        "spec-files",
        "spec-files/before",
        "post-design/page",
        "status/draft",
        "status/approved",
        "tracker/record",
    ];
    let place = |name: &str| PHASES.iter().position(|known| *known == name);
    if place(phase) < place(from) {
        return false;
    }
    phase == PHASES[2] || (phase == PHASES[1] && STEPS.contains(&step))
}
