//! Step 4b: the tracker gets an issue for an approved specification, one and never two.
//!
//! Asking the tracker is a step of its own: it is on record before the call, the issue's id follows from run and
//! step, and once there is an issue nobody is asked again. Writing it down is another step, over all files at once.

use super::brief::Design;
use super::last_gate::{SUBJECT, page, present};
use super::specification::spec_file;
use crate::artifact::Input;
use crate::deliverable;
use crate::ports::BoxFuture;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::spec::record::LinearIssue;

/// The tracker of this repository.
pub trait Tracker: Send + Sync {
    /// Whether there is one.
    fn standing(&self) -> Standing;

    /// Makes an issue, or finds the one that was made for this order before.
    fn create(&self, order: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>>;
}

/// Whether issues are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has said anything about a tracker.
    NotConfigured,
    /// Somebody has said no.
    Off,
    /// Somebody has said yes.
    On,
    /// What was said cannot be understood; the text says what to do.
    Unusable(String),
}

/// An issue to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueOrder {
    /// The run it is made for.
    pub run: String,
    /// The step of it. With the run, it tells this order from all others, however often it is given.
    pub step: String,
    /// The title.
    pub title: String,
    /// The description, as Markdown.
    pub description: String,
}

/// Why there is no issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackerError {
    /// Something did not work.
    Failed(String),
    /// The run was asked to end meanwhile.
    Interrupted,
}

const ISSUE: &str = "tracker/issue";

/// Makes the issue and writes it down. `approved` is the day of the approval; without one there is no issue.
pub(super) async fn track(write: &PhaseHandle<'_>, design: &Design, approved: Option<&str>) -> Flow<()> {
    let Some(day) = approved else { return Ok(()) };
    match design.tracker.standing() {
        Standing::Off => return Ok(()),
        Standing::NotConfigured => {
            write.stage("4b").skipped("no Linear issue: there is no .claude/config/integrations.json");
            return Ok(());
        }
        Standing::Unusable(why) => return Err(Stop::Failed(why)),
        Standing::On => {}
    }
    let stage = write.stage("4b");
    let issue = issue(write, design).await?;
    record(write, &issue, day).await?;
    // The same page of files that now name the issue: what is on record is then what is there.
    page(write).await?;
    stage.say(format!("Linear: {} - {}", issue.identifier, issue.url));
    stage.done(issue.identifier);
    Ok(())
}

async fn issue(write: &PhaseHandle<'_>, design: &Design) -> Flow<LinearIssue> {
    let (tracker, brief) = (design.tracker.clone(), design.brief.clone());
    let step = Step::new(ISSUE).reads(&Input::answer("post-design", "approval")).reaches_out();
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
    let step =
        Step::new("tracker/record").reads(SUBJECT).reads(&Input::given("issue", issue)).touches_checkout();
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
