//! The flow of a project or a feature: research, a gate, two files and a marker, a gate, validation.

use super::super::artifacts::{VALIDATE_SUMMARY, WRITE_SUMMARY};
use super::super::brief::{Brief, RESEARCH, VALIDATE, WRITE};
use super::super::flow::desk;
use super::super::research::research_by;
use super::super::set_up::{branch, enter};
use super::approval::{approve, understand};
use super::files::write;
use super::kind::Kind;
use super::validation::validate;
use crate::artifact::Artifact;
use crate::panel::survey;
use crate::run::Run;
use crate::stop::Flow;

/// Designs a project or a feature.
pub(in super::super) async fn design_level(run: &Run<'_>, brief: &Brief, kind: &'static Kind) -> Flow<()> {
    let phase = run.phase(RESEARCH);
    let entrance = enter(&phase).await?;
    branch(&phase, &entrance).await?;
    let survey = survey(&phase).await?;
    let desk = desk(brief, survey.relevant_files);
    let summary = research_by(&phase, &desk, brief, (kind.researchers(), kind.aggregator)).await?;
    understand(&phase, brief, kind, &summary).await?;
    phase.finish(Some(&summary)).await?;
    run.enough_after(RESEARCH)?;

    let phase = run.phase(WRITE);
    write(&phase, &desk, brief, kind).await?;
    approve(&phase, brief, kind).await?;
    phase.finish_with(Some(&Artifact::fixed(WRITE_SUMMARY)), &kind.files).await?;
    run.enough_after(WRITE)?;

    let phase = run.phase(VALIDATE);
    validate(&phase, &desk, brief, kind).await?;
    phase.finish_run(Some(&Artifact::fixed(VALIDATE_SUMMARY))).await?;
    phase.stage("5").done("design complete!");
    Ok(())
}
