//! The flow of a design: research, a gate, the panel's work on a plan, six files, a gate, validation. Projects and
//! features use the shorter flow of [`super::levels`].

use super::artifacts::{ARTIFACTS, VALIDATE_SUMMARY, WRITE_SUMMARY};
use super::brief::{Brief, RESEARCH, VALIDATE, WRITE};
use super::discussions::{clarify, discuss_design, discuss_scope};
use super::entry::{enter, switch_branch};
use super::level_seats::level_seats;
use super::levels::{LevelKind, design_level};
use super::nesting::{delegate_to_worker, export_design, export_out_of_scope};
use super::plan::{draft_plan, finish_plan};
use super::post_design_gate::{ask_post_design, check_approved};
use super::pre_design_gate::ask_pre_design;
use super::research::research;
use super::sketches::{draw_sketches, synthesise};
use super::specification::{FILES, Sources, illustrate, report_rejected, write_files};
use super::tracker::create_approved_issue;
use super::validate::validate;
use crate::artifact::Artifact;
use crate::panel::{Panel, PanelContext, SurveyArtifact, investigate, resolve, review, survey, walk_through};
use crate::run::Run;
use crate::stop::{FlowResult, Stop};

/// Designs a feature.
pub(super) async fn design(run: &Run<'_>) -> FlowResult<()> {
    let brief = &Brief::from_order(run.order())?;
    if let Some(kind) = LevelKind::for_level(brief.level) {
        return design_level(run, brief, kind).await;
    }

    let phase = run.phase(RESEARCH);
    let entry = enter(&phase).await?;
    switch_branch(&phase, &entry).await?;
    let survey = survey(&phase).await?;
    let panel = panel_for(brief, survey);
    let summary = research(&phase, &panel, brief).await?;
    clarify(&phase, &panel, brief).await?;
    discuss_scope(&phase, &panel, brief).await?;
    ask_pre_design(&phase, brief, &summary).await?;
    phase.finish(Some(&summary)).await?;
    run.stop_if_last_requested(RESEARCH)?;

    let phase = run.phase(WRITE);
    delegate_to_worker(&phase, brief).await?;
    let sketches = draw_sketches(&phase, &panel, brief).await?;
    let synthesis = synthesise(&phase, &panel, brief, &sketches).await?;
    resolve(&phase, &panel, &synthesis.contested).await?;
    investigate(&phase, &panel, brief.quick).await?;
    let (chief, draft) = draft_plan(&phase, &panel).await?;
    let review = review(&phase, &panel, &chief, &draft, brief.auto).await?;
    export_out_of_scope(&phase, &review.accepted_out_of_scope).await?;
    let walked = walk_through(&phase, &panel, &chief, &review.plan).await?;
    if run.ports().is_worker() && !brief.auto {
        // The caller needs a final plan, which the second discussion may still change.
        finish_plan(&phase, &panel, &chief, &walked).await?;
        return Err(Stop::RequestedPhasesDone);
    }
    discuss_design(&phase, &panel, brief).await?;
    let plan = finish_plan(&phase, &panel, &chief, &walked).await?;
    illustrate(&phase, &panel).await?;
    let sources = Sources { summary: &summary, chief: &chief };
    let written = write_files(&phase, &panel, brief, &plan, &sources).await?;
    report_rejected(&phase, &review.rejected).await?;
    if run.ports().is_worker() {
        return Err(Stop::RequestedPhasesDone);
    }
    let approved = ask_post_design(&phase, brief, &written).await?;
    create_approved_issue(&phase, brief, &written, approved.as_deref()).await?;
    phase.finish_with_files(Some(&Artifact::fixed(WRITE_SUMMARY)), &FILES).await?;
    run.stop_if_last_requested(WRITE)?;

    let phase = run.phase(VALIDATE);
    validate(&phase, &panel, brief, &plan, written.drafts, &sources).await?;
    check_approved(&phase, brief, "approved/end").await?;
    let stage = phase.stage("5");
    export_design(&phase).await?;
    phase.finish_run(Some(&Artifact::fixed(VALIDATE_SUMMARY))).await?;
    stage.finish("design complete!");
    Ok(())
}

/// Panel of a design at the level of the brief.
pub(super) fn panel_for(brief: &Brief, survey: SurveyArtifact) -> Panel {
    Panel::new(PanelContext {
        feature: brief.feature.clone(),
        spec_path: brief.spec_path.clone(),
        date: brief.date.clone(),
        summary_words: brief.summary_words,
        roles: brief.roles.clone(),
        relevant_files: survey.relevant_files,
        sources: survey.sources,
        seats: level_seats(brief.level),
        artifacts: ARTIFACTS,
    })
}
