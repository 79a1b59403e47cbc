//! The one correction of the writer's drafts before a person sees them: the rules of `charrette check`, and that nothing
//! of the plan got lost on the way.

use super::artifacts::{DESIGN, DRAFT_ISSUES, REQUIREMENTS, RESOLUTIONS, TASKS};
use super::brief::Brief;
use super::specification::{DRAFTS, Drafts, Sources, authorship, materials, read_materials};
use super::validate::{CheckoutFileFacts, artifact_inputs};
use crate::agent::{AnswerFiles, CallInputs};
use crate::artifact::Artifact;
use crate::deliverable;
use crate::panel::Panel;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::section_edits::apply_edits;
use charrette_model::seats::files::{marker, split_files};
use charrette_model::spec::check::{IssueCode, SpecFiles, check, report};
use charrette_model::spec::coverage::{CoverageTexts, lost_parts};

/// Drafts after the correction.
const CORRECTED: Drafts = ["corrected/requirements.md", "corrected/design.md", "corrected/tasks.md"];

/// Checks the drafts and has them corrected once, if something is wrong or missing. Returns the drafts to publish.
pub(super) async fn correct_drafts(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    plan: &Artifact,
    sources: &Sources<'_>,
) -> FlowResult<Drafts> {
    if !find_issues(phase, brief, plan, sources).await? {
        return Ok(DRAFTS);
    }
    let note = "This is a correction: programs checked your files before a person sees them. Put right what \
                draft-issues.md says, with edits by section below the line of each file that changes; leave out the files that stay.";
    let call = sources
        .chief
        .write(panel, note)?
        .step_id("writer/corrected")
        .reads(DRAFT_ISSUES)
        .reads(&artifact_inputs(&DRAFTS))
        .writes_only(&CORRECTED)
        .grammar_with(|answer, inputs| parse_corrections(answer, inputs, &DRAFTS, "corrected"))
        .may_fail();
    let outcome = phase.agent_outcome(call).await?;
    if outcome.agent.is_none() {
        phase.warn(format!("the files have issues that nobody corrected: {DRAFT_ISSUES}"));
        return Ok(DRAFTS);
    }
    Ok(CORRECTED)
}

/// Writes the issues of the drafts; true if one of them must be corrected.
async fn find_issues(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    plan: &Artifact,
    sources: &Sources<'_>,
) -> FlowResult<bool> {
    let authorship = authorship(phase, brief);
    let step = read_materials(Step::new("checks/draft"), DRAFTS, &authorship, sources).reads(plan);
    let (plan, summary) = (plan.name().to_owned(), sources.summary.name().to_owned());
    let brief = brief.clone();
    let checkout = phase.run.ports.checkout.clone();
    phase
        .step(step, move |context| async move {
            let materials = materials(&context, DRAFTS, &summary, authorship, &brief)?;
            let files = deliverable::assemble(&materials, &brief.templates)
                .map_err(|error| StepError::Failed(error.to_string()))?;
            let text = |wanted: &str| {
                files.iter().find(|(name, _)| name == wanted).map_or("", |(_, text)| text.as_str())
            };
            let plan = context.text(&plan)?;
            let spec = SpecFiles {
                requirements: text("requirements.md"),
                design: text("design.md"),
                tasks: text("tasks.md"),
                summary: text("summary.md"),
                spec_json: text("spec.json"),
                meta: text("meta.yaml"),
            };
            let mut issues = check(&spec, Some(&plan), &CheckoutFileFacts(&*checkout));
            // Programs write the other three files.
            issues.retain(|issue| [REQUIREMENTS, DESIGN, TASKS].contains(&issue.file));
            // Only a person can fill in what the writer left open.
            issues.retain(|issue| issue.code != IssueCode::OpenPoint);
            let resolutions = context.optional_text(RESOLUTIONS)?.unwrap_or_default();
            issues.extend(lost_parts(&CoverageTexts {
                plan: &plan,
                resolutions: &resolutions,
                requirements: &materials.requirements,
                design: &materials.design,
                tasks: &materials.tasks,
            }));
            context.write(DRAFT_ISSUES, report(&issues))?;
            Ok(!issues.is_empty())
        })
        .await
}

/// Files that an answer edits or replaces, and the unchanged others, below `folder`.
pub(super) fn parse_corrections(
    answer: &str,
    inputs: &CallInputs,
    drafts: &[&str],
    folder: &str,
) -> AnswerFiles {
    let named = |draft: &&str| draft.rsplit('/').next().unwrap_or(draft).to_owned();
    let names: Vec<String> = drafts.iter().map(named).collect();
    let changed: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| answer.contains(&marker(name))).collect();
    if changed.is_empty() {
        return Err(format!(
            "expected a line '{}' with its edits below it, for each file that changes",
            marker(&names[0])
        ));
    }
    let parts = split_files(answer, &changed)?;
    let mut files = Vec::new();
    for (draft, name) in drafts.iter().zip(&names) {
        let before = inputs.text(draft).unwrap_or_default();
        let text = match parts.iter().find(|(changed, _)| changed == name) {
            None => before.to_owned(),
            Some((_, edits)) => {
                apply_edits(before, edits)
                    .map_err(|problems| {
                        let lines = problems.iter().map(|problem| format!("{name}: {}", problem.message));
                        lines.collect::<Vec<_>>().join("; ")
                    })?
                    .text
            }
        };
        files.push((format!("{folder}/{name}"), text));
    }
    Ok(files)
}
