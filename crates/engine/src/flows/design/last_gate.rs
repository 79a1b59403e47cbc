//! Step 4a: the person looks at the specification and approves it, rejects it, or sends it back.
//!
//! What is approved is the text of the six files, whatever their status says. If it changes later, by hand or by a
//! repair, the gate opens again and shows the difference.

use super::artifacts::{GATE_PAGE, GATE_SUBJECT, RESOLUTIONS};
use super::brief::Brief;
use super::difference::difference;
use super::specification::{FILES, spec_file, spec_files, spec_names};
use crate::artifact::Input;
use crate::deliverable::{self, Shown, Status};
use crate::gate::{Answers, Gate};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::Flow;
use charrette_model::panel::resolutions::{Outcome, read_resolutions};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Asks, unless the gate is to be passed without asking; then nothing is approved either. Returns the day of the
/// approval.
pub(super) async fn post_design(write: &PhaseHandle<'_>, brief: &Brief) -> Flow<Option<String>> {
    if brief.no_checkpoint {
        return Ok(None);
    }
    let stage = write.stage("4a");
    let page = page(write).await?;
    status(write, "status/draft", Status::Draft, &[Input::Artifact(GATE_SUBJECT.to_owned())], &brief.date)
        .await?;
    let answers = write.gate(gate(brief, &page)).await?;
    let approved = [Input::Artifact(GATE_SUBJECT.to_owned()), answers.input("approval")];
    let day = day_of(&answers, brief);
    status(write, "status/approved", Status::Approved, &approved, &day).await?;
    // The same page of files whose status has changed: what is on record is then what is there.
    self::page(write).await?;
    stage.done("approved");
    Ok(Some(day))
}

/// What a person gets to see.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Page {
    shown: Shown,
    votes: String,
    difference: String,
}

pub(super) async fn page(write: &PhaseHandle<'_>) -> Flow<Page> {
    let step = Step::new("post-design/page")
        .reads(&spec_files())
        .reads(&Input::optional(RESOLUTIONS))
        .revises([GATE_SUBJECT]);
    write
        .step(step, |context| async move {
            let files = present(&context)?;
            let subject = deliverable::without_status(&files);
            let before = context.optional_text(GATE_SUBJECT)?.filter(|before| *before != subject);
            let difference = before.map(|before| difference(&before, &subject)).unwrap_or_default();
            let votes = votes(&context.optional_text(RESOLUTIONS)?.unwrap_or_default());
            let page = Page { shown: deliverable::shown(&files), votes, difference };
            context.write(GATE_SUBJECT, subject)?;
            context.write(GATE_PAGE, page.text())?;
            Ok(page)
        })
        .await
}

/// The six files as they are now. The step names them, as what it reads or as what it revises.
pub(super) fn present(context: &StepContext) -> Result<Vec<(String, String)>, StepError> {
    let read = |name: &&str| {
        let text = context.optional_text(&spec_file(name))?.unwrap_or_default();
        Ok(((*name).to_owned(), text))
    };
    FILES.iter().map(read).collect()
}

/// The contested decisions with their votes, one line each.
fn votes(resolutions: &str) -> String {
    let mut text = String::new();
    for resolution in read_resolutions(resolutions).0 {
        let how = match resolution.outcome {
            Outcome::Voted { thesis, anti_thesis, .. } => format!("voted {thesis}-{anti_thesis}"),
            other => other.disposition().name().to_owned(),
        };
        let _ = writeln!(text, "- {}: {} ({how})", resolution.title, resolution.resolution);
    }
    text
}

impl Page {
    /// What stands above the questions.
    fn text(&self) -> String {
        let mut text = String::new();
        if !self.difference.is_empty() {
            let _ = write!(text, "What changed since you last looked:\n\n{}\n\n", self.difference);
        }
        if !self.votes.is_empty() {
            let _ = write!(text, "Contested decisions and how they were settled:\n\n{}", self.votes);
        }
        text
    }
}

fn gate(brief: &Brief, page: &Page) -> Gate {
    let Page { shown, .. } = page;
    let feature = &brief.feature;
    let folder = &brief.spec_folder;
    let files = bulleted(FILES.iter().map(|name| format!("{folder}{name}")));
    let list = |items: &[String], none: &str| match items {
        [] => none.to_owned(),
        items => bulleted(items.iter()),
    };
    let title = format!(
        "Post-Design Checkpoint\n======================\n\nI have completed the spec for \"{feature}\". Before validation, I would like\nyour review.\n\n{}",
        page.text()
    );
    Gate::new("post-design", GATE_SUBJECT)
        .page(title.trim_end())
        .ask(
            "what_built",
            &format!("I have created the following spec files:\n{files}\nWould you like to review any specific file? [proceed / review: {{filename}}]"),
            "proceed",
        )
        .ask(
            "decisions",
            &format!("Key design decisions made:\n{}\nDo you agree with these choices? [yes / changes: ...]", list(&shown.decisions, "none\n")),
            "yes",
        )
        .ask(
            "risks",
            &format!("Identified risks:\n{}\nAre there additional risks to consider? [no additional / add: ...]", list(&shown.risks, "none\n")),
            "no additional",
        )
        .ask(
            "omissions",
            &format!("Intentionally omitted:\n{}\nIs anything missing that should be included? [nothing missing / add: ...]", list(&shown.omissions, "nothing\n")),
            "nothing missing",
        )
        .ask(
            "confidence",
            &format!("My confidence level: {}\nAreas of lower confidence: {}\n\nAny concerns? [no concerns / concerns: ...]", shown.confidence, shown.weaker_areas),
            "no concerns",
        )
        .ask_approval(
            "approval",
            "Do you approve this design for implementation?\n[yes] → proceed to validation\n[no] → halt; revise with --phase=write\n[revise] → the plan, the diagram and the files are made again with your feedback",
        )
        .on_rejection(&format!(
            "Design not approved. To revise, run:\n  charrette design {feature} --phase=write"
        ))
}

fn bulleted(items: impl Iterator<Item = impl std::fmt::Display>) -> String {
    items.fold(String::new(), |mut text, item| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {item}");
        text
    })
}

/// Sets the status in all files at once. It is not part of what was approved, so nothing opens again.
async fn status(write: &PhaseHandle<'_>, id: &str, status: Status, reads: &[Input], today: &str) -> Flow<()> {
    let today = today.to_owned();
    let step = Step::new(id).reads(reads).revises(spec_names()).touches_checkout();
    write
        .step(step, move |context| async move {
            let files = present(&context)?;
            for ((name, before), (_, after)) in
                files.iter().zip(deliverable::with_status(&files, status, &today))
            {
                if *before != after {
                    context.write(&spec_file(name), after)?;
                }
            }
            Ok(())
        })
        .await
}

/// The day something was answered.
fn day_of(answers: &Answers, brief: &Brief) -> String {
    answers.at().map_or_else(|| brief.date.clone(), |at| at.chars().take(10).collect())
}
