//! The flow of a design, as the command is described: research, a gate, the panel's work on a plan, six files,
//! a gate, validation. Projects and features take the shorter way of [`super::levels`].

use super::brief::{Brief, Design};
use super::first_gate::pre_design;
use super::heavy::hand_over;
use super::last_gate::post_design;
use super::levels::{Kind, design_level};
use super::plan::{draft, finish};
use super::research::research;
use super::rounds::{clarify, discuss_design, discuss_scope};
use super::set_up::{branch, enter, survey};
use super::sketches::{sketch, synthesise};
use super::specification::{FILES, illustrate, report_rejected, write_files};
use super::tracker::track;
use super::validate::validate;
use crate::artifact::Artifact;
use crate::panel::{Desk, Outfit, resolve, review};
use crate::run::{PhaseHandle, Run};
use crate::stop::{Flow, Stop};
use charrette_model::nesting::texts;

/// Who took which seat: (seat, agent).
pub(super) type Seatings = Vec<(String, String)>;

/// Designs a feature.
pub(super) async fn design(run: &Run<'_>, design: &Design) -> Flow<()> {
    let brief = &design.brief;
    if let Some(kind) = Kind::of(brief.level) {
        return design_level(run, design, kind).await;
    }

    let phase = run.phase("research");
    let entrance = enter(&phase, design).await?;
    branch(&phase, design, &entrance).await?;
    let relevant_files = survey(&phase, design).await?;
    let desk = desk(brief, relevant_files);
    research(&phase, &desk, brief).await?;
    clarify(&phase, &desk, brief).await?;
    discuss_scope(&phase, &desk, brief).await?;
    pre_design(&phase, brief).await?;
    phase.finish(Some(&Artifact::named("context-summary.md")))?;
    enough(brief.until == "research")?;

    let phase = run.phase("write");
    hand_over(&phase, design).await?;
    let mut seatings = sketch(&phase, &desk, brief).await?;
    synthesise(&phase, &desk, brief).await?;
    seatings.extend(resolve(&phase, &desk).await?.seated);
    draft(&phase, &desk).await?;
    seatings.extend(review(&phase, &desk, brief.auto).await?.seated);
    hand_out_of_scope(&phase, design);
    if design.is_worker() && !brief.auto {
        // Whoever takes over looks for a plan; the second discussion may still change it.
        finish(&phase, &desk).await?;
        return Err(Stop::Enough);
    }
    discuss_design(&phase, &desk, brief).await?;
    finish(&phase, &desk).await?;
    illustrate(&phase, &desk, design).await?;
    write_files(&phase, &desk, brief, &seatings).await?;
    report_rejected(&phase, design).await?;
    enough(design.is_worker())?;
    let approved = post_design(&phase, brief).await?;
    track(&phase, design, approved.as_deref()).await?;
    phase.finish_with(Some(&Artifact::named("write-summary.md")), &FILES)?;
    enough(brief.until == "write")?;

    let phase = run.phase("validate");
    validate(&phase, &desk, design, &seatings).await?;
    let stage = phase.stage("5");
    export(&phase, design)?;
    phase.finish_run(Some(&Artifact::named("validate-summary.md")))?;
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
    })
}

/// What was accepted although it is out of scope is the caller's to track.
fn hand_out_of_scope(write: &PhaseHandle<'_>, design: &Design) {
    if let Some(Err(problem)) = design.caller.as_ref().map(|caller| caller.take_out_of_scope()) {
        write.warn(format!("what was accepted out of scope was not handed over: {problem}"));
    }
}

/// The design is handed to the run that asked for it. A run that cannot do that is not through: going on with it
/// tries again.
fn export(validate: &PhaseHandle<'_>, design: &Design) -> Flow<()> {
    let Some(Err(problem)) = design.caller.as_ref().map(|caller| caller.export()) else { return Ok(()) };
    validate.warn(texts::export_failed(&validate.run.files().display().to_string()));
    Err(Stop::Failed(format!("the design was made, but its manifest was not exported: {problem}")))
}

/// The run was asked to go no further than this.
pub(super) fn enough(is_enough: bool) -> Flow<()> {
    if is_enough { Err(Stop::Enough) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flow_can_move_between_threads() {
        fn is_send(_: &impl Send) {}
        fn check(run: &Run<'_>, made: &Design) {
            is_send(&design(run, made));
        }
        let _ = check;
    }
}
