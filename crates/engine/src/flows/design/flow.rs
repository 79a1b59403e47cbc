//! The flow of a design, as the command is described: research, a gate, the panel's work on a plan, six files,
//! a gate, validation. Projects and features take the shorter way of [`super::levels`].

use super::brief::{Brief, Design};
use super::first_gate::pre_design;
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
use crate::run::Run;
use crate::stop::{Flow, Stop};

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
    let mut seatings = sketch(&phase, &desk, brief).await?;
    synthesise(&phase, &desk, brief).await?;
    seatings.extend(resolve(&phase, &desk).await?.seated);
    draft(&phase, &desk).await?;
    seatings.extend(review(&phase, &desk, brief.auto).await?.seated);
    discuss_design(&phase, &desk, brief).await?;
    finish(&phase, &desk).await?;
    illustrate(&phase, &desk, design).await?;
    write_files(&phase, &desk, brief, &seatings).await?;
    report_rejected(&phase).await?;
    let approved = post_design(&phase, brief).await?;
    track(&phase, design, approved.as_deref()).await?;
    phase.finish_with(Some(&Artifact::named("write-summary.md")), &FILES)?;
    enough(brief.until == "write")?;

    let phase = run.phase("validate");
    validate(&phase, &desk, design, &seatings).await?;
    phase.finish(Some(&Artifact::named("validate-summary.md")))?;
    phase.stage("5").done("design complete!");
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
