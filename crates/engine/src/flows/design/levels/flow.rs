//! The flow of a project or a feature: research, a gate, two files and a marker, a gate, validation.

use super::super::brief::Design;
use super::super::flow::{desk, enough};
use super::super::research::research_by;
use super::super::set_up::{branch, enter, survey};
use super::approval::{approve, understand};
use super::files::write;
use super::kind::Kind;
use super::validation::validate;
use crate::artifact::Artifact;
use crate::run::Run;
use crate::stop::Flow;

/// Designs a project or a feature.
pub(in super::super) async fn design_level(run: &Run<'_>, design: &Design, kind: &'static Kind) -> Flow<()> {
    let brief = &design.brief;

    let phase = run.phase("research");
    let entrance = enter(&phase, design).await?;
    branch(&phase, design, &entrance).await?;
    let relevant_files = survey(&phase, design).await?;
    let desk = desk(brief, relevant_files);
    research_by(&phase, &desk, brief, (kind.researchers(), kind.aggregator)).await?;
    understand(&phase, brief, kind).await?;
    phase.finish(Some(&Artifact::named("context-summary.md")))?;
    enough(brief.until == "research")?;

    let phase = run.phase("write");
    write(&phase, &desk, brief, kind).await?;
    approve(&phase, brief, kind).await?;
    phase.finish_with(Some(&Artifact::named("write-summary.md")), &kind.files)?;
    enough(brief.until == "write")?;

    let phase = run.phase("validate");
    validate(&phase, &desk, brief, kind).await?;
    phase.finish_run(Some(&Artifact::named("validate-summary.md")))?;
    phase.stage("5").done("design complete!");
    Ok(())
}
