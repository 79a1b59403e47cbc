//! Step 4b: the tracker gets an issue for an approved specification, one and never two.
//!
//! Asking the tracker is a step of its own: it is on record before the call, the issue's id follows from run and
//! step, and once there is an issue nobody is asked again. Writing it down is another step, over all files at once.

use super::artifacts::GATE_SUBJECT;
use super::brief::Brief;
use super::last_gate::{page, present};
use super::specification::{spec_file, spec_names};
use crate::artifact::Input;
use crate::deliverable;
use crate::ports::{IssueOrder, TrackerError, TrackerState};
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::Flow;
use charrette_model::spec::record::LinearIssue;
use serde::{Deserialize, Serialize};

const ISSUE: &str = "tracker/issue";

/// Whether an issue is made, decided once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Decided {
    Skip,
    NotConfigured,
    Make,
}

/// Makes the issue and writes it down. `approved` is the day of the approval; without one there is no issue.
pub(super) async fn track(write: &PhaseHandle<'_>, brief: &Brief, approved: Option<&str>) -> Flow<()> {
    let Some(day) = approved else { return Ok(()) };
    match decided(write).await? {
        Decided::Skip => return Ok(()),
        Decided::NotConfigured => {
            write.stage("4b").skipped("no Linear issue: there is no .claude/config/integrations.json");
            return Ok(());
        }
        Decided::Make => {}
    }
    let stage = write.stage("4b");
    let issue = issue(write, brief).await?;
    record(write, &issue, day).await?;
    // The same page of files that now name the issue: what is on record is then what is there.
    page(write).await?;
    stage.say(format!("Linear: {} - {}", issue.identifier, issue.url));
    stage.done(issue.identifier);
    Ok(())
}

/// What the configuration says right now. It is an input, so that switching the tracker on later makes the issue.
async fn decided(write: &PhaseHandle<'_>) -> Flow<Decided> {
    let state = write.run.ports.tracker.state();
    let step = Step::new("tracker/decided").reads(&Input::given("tracker", &format!("{state:?}")));
    write
        .step(step, move |_| async move {
            match state {
                TrackerState::Off => Ok(Decided::Skip),
                TrackerState::NotConfigured => Ok(Decided::NotConfigured),
                TrackerState::On => Ok(Decided::Make),
                TrackerState::Unusable(why) => Err(StepError::Said(why)),
            }
        })
        .await
}

async fn issue(write: &PhaseHandle<'_>, brief: &Brief) -> Flow<LinearIssue> {
    let (tracker, brief) = (write.run.ports.tracker.clone(), brief.clone());
    let step =
        Step::new(ISSUE).reads(&Input::answer("post-design", "approval")).revises(spec_names()).reaches_out();
    write
        .step(step, move |context| async move {
            let text = deliverable::issue_text(&present(&context)?, &brief.feature, &brief.spec_folder);
            let order = IssueOrder {
                run: context.run(),
                step: ISSUE.to_owned(),
                title: text.title,
                description: text.description,
            };
            tracker.create(order).await.map_err(|error| match error {
                TrackerError::Interrupted => StepError::Interrupted,
                TrackerError::Failed(why) => StepError::Said(format!(
                    "Linear issue creation failed: {why}\nFix the Linear configuration and re-run with: charrette design {} --resume",
                    brief.feature
                )),
            })
        })
        .await
}

/// All files at once: the issue, the status, the day.
async fn record(write: &PhaseHandle<'_>, issue: &LinearIssue, day: &str) -> Flow<()> {
    let step = Step::new("tracker/record")
        .reads(GATE_SUBJECT)
        .reads(&Input::given("issue", issue))
        .revises(spec_names())
        .touches_checkout();
    let (issue, day) = (issue.clone(), day.to_owned());
    write
        .step(step, move |context| async move {
            let files = present(&context)?;
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
