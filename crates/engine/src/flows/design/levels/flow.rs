//! The flow of a project or feature: research, a gate, two files and a marker, a gate, validation.

use super::super::artifacts::{VALIDATE_SUMMARY, WRITE_SUMMARY};
use super::super::brief::{Brief, RESEARCH, VALIDATE, WRITE};
use super::super::entry::{enter, switch_branch};
use super::super::flow::panel_for;
use super::super::research::research_with;
use super::approval::{ask_approval, ask_understanding, check_approved};
use super::files::write_files;
use super::kind::LevelKind;
use super::validation::validate;
use crate::artifact::Artifact;
use crate::panel::survey;
use crate::run::Run;
use crate::stop::FlowResult;

/// Designs a project or a feature.
pub(in super::super) async fn design_level(
    run: &Run<'_>,
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<()> {
    let phase = run.phase(RESEARCH);
    let entry = enter(&phase).await?;
    switch_branch(&phase, &entry).await?;
    let survey = survey(&phase).await?;
    let panel = panel_for(brief, survey);
    let summary = research_with(&phase, &panel, brief, kind.researchers(), kind.aggregator).await?;
    ask_understanding(&phase, brief, kind, &summary).await?;
    phase.finish(Some(&summary)).await?;
    run.stop_if_last_requested(RESEARCH)?;

    let phase = run.phase(WRITE);
    write_files(&phase, &panel, brief, kind).await?;
    ask_approval(&phase, brief, kind).await?;
    phase.finish_with_files(Some(&Artifact::fixed(WRITE_SUMMARY)), &kind.files).await?;
    run.stop_if_last_requested(WRITE)?;

    let phase = run.phase(VALIDATE);
    validate(&phase, &panel, brief, kind).await?;
    check_approved(&phase, brief, kind, "approved/end").await?;
    phase.finish_run(Some(&Artifact::fixed(VALIDATE_SUMMARY))).await?;
    phase.stage("5").finish("design complete!");
    Ok(())
}
