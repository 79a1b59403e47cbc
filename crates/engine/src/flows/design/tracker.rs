//! Step 4b: creates exactly one tracker issue for an approved specification.
//!
//! The request to the tracker is a step of its own: it is recorded before the call, and the issue id follows from run
//! and step, so a retry finds the issue. Another step records the issue in all files at once.

use super::artifacts::GATE_SUBJECT;
use super::brief::Brief;
use super::post_design_gate::{current_files, prepare_page};
use super::specification::{WrittenFiles, spec_file, spec_names};
use crate::artifact::Input;
use crate::deliverable;
use crate::ports::TrackerState;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use crate::tracked_issue;
use charrette_model::spec::record::LinearIssue;
use serde::{Deserialize, Serialize};

/// Recorded decision whether to create an issue.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum IssueDecision {
    Skip,
    NotConfigured,
    Make,
}

/// Creates the issue and records it. `approved` is the date of the approval; without one there is no issue.
pub(super) async fn create_approved_issue(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    written: &WrittenFiles,
    approved: Option<&str>,
) -> FlowResult<()> {
    let Some(day) = approved else { return Ok(()) };
    match decide(phase).await? {
        IssueDecision::Skip => return Ok(()),
        IssueDecision::NotConfigured => {
            phase.stage("4b").skip("no Linear issue: there is no .claude/config/integrations.json");
            return Ok(());
        }
        IssueDecision::Make => {}
    }
    let stage = phase.stage("4b");
    let issue = create_issue(phase, brief).await?;
    record_issue(phase, &issue, written, day).await?;
    // Prepared again, so that the record matches the files, which now name the issue.
    prepare_page(phase).await?;
    stage.print_line(format!("Linear: {} - {}", issue.identifier, issue.url));
    stage.finish(issue.identifier);
    Ok(())
}

/// Decides by the configuration. Its state is an input, so that enabling the tracker later creates the issue.
async fn decide(phase: &PhaseHandle<'_>) -> FlowResult<IssueDecision> {
    let state = phase.run.ports.tracker.state();
    let step = Step::new("tracker/decided").reads(&Input::given("tracker", &format!("{state:?}")));
    phase
        .step(step, move |_| async move {
            match state {
                TrackerState::Off => Ok(IssueDecision::Skip),
                TrackerState::NotConfigured => Ok(IssueDecision::NotConfigured),
                TrackerState::On => Ok(IssueDecision::Make),
                TrackerState::Unusable(reason) => Err(StepError::Verbatim(reason)),
            }
        })
        .await
}

async fn create_issue(phase: &PhaseHandle<'_>, brief: &Brief) -> FlowResult<LinearIssue> {
    let (tracker, brief) = (phase.run.ports.tracker.clone(), brief.clone());
    // The issue id follows from the name of the step.
    let step = Step::new("tracker/issue")
        .reads(&Input::answer("post-design", "approval"))
        .revises(spec_names().into_iter().chain([GATE_SUBJECT.to_owned()]))
        .external_effect();
    phase
        .step(step, move |context| async move {
            let files = current_files(&context)?;
            let approved = context.present(GATE_SUBJECT)?.bytes.clone().unwrap_or_default();
            if deliverable::without_status(&files).as_bytes() != approved {
                return Err(StepError::Refused(
                    "the files changed after their approval, so no issue was created; resume to look at them again"
                        .to_owned(),
                ));
            }
            let text = deliverable::issue_text(&files, &brief.feature, &brief.spec_folder);
            let retry = format!("charrette design {} --resume", brief.feature);
            tracked_issue::create_issue(&*tracker, &context, text, &retry).await
        })
        .await
}

/// Records issue, status and date in all files at once.
async fn record_issue(
    phase: &PhaseHandle<'_>,
    issue: &LinearIssue,
    written: &WrittenFiles,
    day: &str,
) -> FlowResult<()> {
    let step = Step::new("tracker/record")
        .reads(GATE_SUBJECT)
        .reads(&Input::given("issue", issue))
        .reads(&written.input())
        .revises(spec_names())
        .touches_checkout();
    let (issue, day) = (issue.clone(), day.to_owned());
    phase
        .step(step, move |context| async move {
            let files = current_files(&context)?;
            let after = deliverable::with_issue(&files, &issue, &day)
                .map_err(|error| StepError::Failed(error.to_string()))?;
            for ((name, before), (_, after)) in files.iter().zip(after) {
                if *before != after {
                    context.write(&spec_file(name), after)?;
                }
            }
            Ok(())
        })
        .await
}
