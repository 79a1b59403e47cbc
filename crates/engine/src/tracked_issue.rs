//! The tracker issue that a step creates, in every flow. Its id follows from run and step, so a step that is tried again
//! finds the issue of an earlier try.

use crate::deliverable::IssueText;
use crate::ports::{IssueOrder, Tracker, TrackerError};
use crate::step::{StepContext, StepError};
use charrette_model::spec::record::LinearIssue;

/// Creates the issue of a step, or finds it. `retry` is the command that tries again after a failure.
pub(crate) async fn create_issue(
    tracker: &dyn Tracker,
    context: &StepContext,
    text: IssueText,
    retry: &str,
) -> Result<LinearIssue, StepError> {
    let order = IssueOrder {
        run: context.run(),
        step: context.call().id.clone(),
        title: text.title,
        description: text.description,
    };
    tracker.create(order).await.map_err(|error| match error {
        TrackerError::Interrupted => StepError::Interrupted,
        TrackerError::Failed(reason) => StepError::Verbatim(format!(
            "Linear issue creation failed: {reason}\nFix the Linear configuration and re-run with: {retry}"
        )),
    })
}
