//! The flow of a design, as the command is described: research, a gate, the panel's work on a plan, six files,
//! a gate, validation. Projects and features take the shorter way of [`super::levels`].

use super::artifacts::{VALIDATE_SUMMARY, WRITE_SUMMARY};
use super::brief::{Brief, RESEARCH, VALIDATE, WRITE};
use super::first_gate::pre_design;
use super::hand_over::{export, hand_out_of_scope, hand_over};
use super::last_gate::post_design;
use super::level_seats::level_seats;
use super::levels::{Kind, design_level};
use super::plan::{draft, finish};
use super::research::research;
use super::rounds::{clarify, discuss_design, discuss_scope};
use super::set_up::{branch, enter};
use super::sketches::{sketch, synthesise};
use super::specification::{FILES, illustrate, report_rejected, write_files};
use super::tracker::track;
use super::validate::validate;
use crate::artifact::Artifact;
use crate::panel::{Desk, Outfit, resolve, review, survey};
use crate::run::Run;
use crate::stop::{Flow, Stop};

/// Who took which seat: (seat, agent).
pub(super) type Seatings = Vec<(String, String)>;

/// Designs a feature.
pub(super) async fn design(run: &Run<'_>) -> Flow<()> {
    let brief = &Brief::of(run.order())?;
    if let Some(kind) = Kind::of(brief.level) {
        return design_level(run, brief, kind).await;
    }

    let phase = run.phase(RESEARCH);
    let entrance = enter(&phase).await?;
    branch(&phase, &entrance).await?;
    let survey = survey(&phase).await?;
    let desk = desk(brief, survey.relevant_files);
    let summary = research(&phase, &desk, brief).await?;
    clarify(&phase, &desk, brief).await?;
    discuss_scope(&phase, &desk, brief).await?;
    pre_design(&phase, brief, &summary).await?;
    phase.finish(Some(&summary)).await?;
    run.enough_after(RESEARCH)?;

    let phase = run.phase(WRITE);
    hand_over(&phase, brief).await?;
    let sketched = sketch(&phase, &desk, brief).await?;
    let synthesis = synthesise(&phase, &desk, brief, &sketched.files).await?;
    let resolved = resolve(&phase, &desk, &synthesis.contested).await?;
    let plan = draft(&phase, &desk).await?;
    let reviewed = review(&phase, &desk, &plan, brief.auto).await?;
    hand_out_of_scope(&phase, &reviewed.accepted_out_of_scope).await?;
    if run.ports().is_worker() && !brief.auto {
        // Whoever takes over looks for a plan; the second discussion may still change it.
        finish(&phase, &desk, &reviewed.plan).await?;
        return Err(Stop::Enough);
    }
    discuss_design(&phase, &desk, brief).await?;
    let plan = finish(&phase, &desk, &reviewed.plan).await?;
    illustrate(&phase, &desk).await?;
    let seatings: Seatings = [sketched.seated, resolved.seated, reviewed.seated].concat();
    write_files(&phase, &desk, brief, &summary, &seatings).await?;
    report_rejected(&phase, &reviewed.rejected).await?;
    if run.ports().is_worker() {
        return Err(Stop::Enough);
    }
    let approved = post_design(&phase, brief).await?;
    track(&phase, brief, approved.as_deref()).await?;
    phase.finish_with(Some(&Artifact::fixed(WRITE_SUMMARY)), &FILES).await?;
    run.enough_after(WRITE)?;

    let phase = run.phase(VALIDATE);
    validate(&phase, &desk, brief, &plan, &summary, &seatings).await?;
    let stage = phase.stage("5");
    export(&phase).await?;
    phase.finish_run(Some(&Artifact::fixed(VALIDATE_SUMMARY))).await?;
    stage.done("design complete!");
    Ok(())
}

/// Where the calls of a run are prepared.
pub(super) fn desk(brief: &Brief, relevant_files: Vec<String>) -> Desk {
    Desk::new(Outfit {
        feature: brief.feature.clone(),
        spec_path: brief.spec_path.clone(),
        date: brief.date.clone(),
        summary_words: brief.summary_words,
        roles: brief.roles.clone(),
        relevant_files,
        seats: level_seats(brief.level),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flow_can_move_between_threads() {
        fn is_send(_: &impl Send) {}
        fn check(run: &Run<'_>) {
            is_send(&design(run));
        }
        let _ = check;
    }
}
