//! Step 4a: the post-design gate. The person approves the specification, rejects it, or asks for a revision.
//!
//! The subject of the approval is the text of the six files without their status. If it changes later, by hand or by a
//! repair, the gate reopens and shows the diff.

use super::artifacts::{GATE_PAGE, GATE_SUBJECT, POST_DESIGN, RESOLUTIONS, UNMENDED};
use super::brief::Brief;
use super::difference::difference;
use super::given_answers::{GivenAnswer, write_answers};
use super::pre_design_gate::is_confirmation;
use super::specification::{FILES, spec_file, spec_files, spec_names};
use crate::artifact::Input;
use crate::deliverable::{self, GateSummary, SpecStatus};
use crate::gate::{Answers, Gate, GateQuestion};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::resolutions::{DecisionOutcome, read_resolutions};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Opens the gate and returns the date of the approval. With `--no-checkpoint` nothing is asked, and nothing is
/// approved.
pub(super) async fn ask_post_design(phase: &PhaseHandle<'_>, brief: &Brief) -> FlowResult<Option<String>> {
    if brief.no_checkpoint {
        return Ok(None);
    }
    let stage = phase.stage("4a");
    let page = prepare_page(phase).await?;
    set_status(
        phase,
        "status/draft",
        SpecStatus::Draft,
        &[Input::Artifact(GATE_SUBJECT.to_owned())],
        &brief.date,
        None,
    )
    .await?;
    let gate = gate(brief, &page);
    let questions = gate.questions.clone();
    let answers = phase.gate(gate).await?;
    record_comments(phase, &questions, &answers).await?;
    let approved = [Input::Artifact(GATE_SUBJECT.to_owned()), answers.input("approval")];
    let day = answer_date(&answers, brief);
    let respondent = answers.respondent().unwrap_or("unknown").to_owned();
    let at = answers.at().unwrap_or(&day).to_owned();
    set_status(phase, "status/approved", SpecStatus::Approved, &approved, &day, Some((respondent, at)))
        .await?;
    // Prepared again, so that the record matches the files with their new status.
    prepare_page(phase).await?;
    stage.finish("approved");
    Ok(Some(day))
}

/// Checks that the files are still those that were approved. If not, the flow starts over, and the gate opens again with
/// the difference.
pub(super) async fn check_approved(phase: &PhaseHandle<'_>, brief: &Brief, id: &str) -> FlowResult<()> {
    if brief.no_checkpoint {
        return Ok(());
    }
    let step = Step::new(id).reads(&spec_files()).reads(GATE_SUBJECT);
    let is_same: bool = phase
        .step(step, |context| async move {
            Ok(deliverable::without_status(&current_files(&context)?) == context.text(GATE_SUBJECT)?)
        })
        .await?;
    if is_same { Ok(()) } else { Err(Stop::Revise) }
}

/// Records the comments given beside the approval, each with its question, for the validator and for repairs.
async fn record_comments(
    phase: &PhaseHandle<'_>,
    questions: &[GateQuestion],
    answers: &Answers,
) -> FlowResult<()> {
    let comments = questions.iter().filter(|question| !question.approval).filter_map(|question| {
        let answer = answers.get(&question.key).trim();
        let recommended = question.recommended.as_deref().unwrap_or_default();
        (!answer.is_empty() && !is_confirmation(recommended, answer)).then_some(GivenAnswer {
            key: &question.key,
            question: &question.text,
            answer,
        })
    });
    let text = Some(write_answers(comments)).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| "The person approved without comments.\n".to_owned());
    let step = Step::new("post-design/answers").reads(answers);
    phase.step(step, move |context| async move { context.write(POST_DESIGN, text) }).await
}

/// Contents of the gate. The field names are on record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GatePage {
    shown: GateSummary,
    votes: String,
    difference: String,
    /// Scenarios that break although the plan was mended.
    #[serde(default)]
    broken: String,
}

pub(super) async fn prepare_page(phase: &PhaseHandle<'_>) -> FlowResult<GatePage> {
    let step = Step::new("post-design/page")
        .reads(&spec_files())
        .reads(&[Input::optional(RESOLUTIONS), Input::optional(UNMENDED)])
        .revises([GATE_SUBJECT]);
    phase
        .step(step, |context| async move {
            let files = current_files(&context)?;
            let subject = deliverable::without_status(&files);
            let before = context.optional_text(GATE_SUBJECT)?.filter(|before| *before != subject);
            let difference = before.map(|before| difference(&before, &subject)).unwrap_or_default();
            let votes = resolution_lines(&context.optional_text(RESOLUTIONS)?.unwrap_or_default());
            let broken = context.optional_text(UNMENDED)?.unwrap_or_default();
            let page = GatePage { shown: deliverable::gate_summary(&files), votes, difference, broken };
            context.write(GATE_SUBJECT, subject)?;
            context.write(GATE_PAGE, page.text())?;
            Ok(page)
        })
        .await
}

/// Current contents of the six files, which the step must name as inputs or as revised files.
pub(super) fn current_files(context: &StepContext) -> Result<Vec<(String, String)>, StepError> {
    let read = |name: &&str| {
        let text = context.optional_text(&spec_file(name))?.unwrap_or_default();
        Ok(((*name).to_owned(), text))
    };
    FILES.iter().map(read).collect()
}

/// Contested decisions with their votes, one line each.
fn resolution_lines(resolutions: &str) -> String {
    let mut text = String::new();
    for resolution in read_resolutions(resolutions).0 {
        let disposition = match resolution.outcome {
            DecisionOutcome::Voted { thesis, anti_thesis, .. } => format!("voted {thesis}-{anti_thesis}"),
            other => other.disposition().name().to_owned(),
        };
        let _ = writeln!(text, "- {}: {} ({disposition})", resolution.title, resolution.resolution);
    }
    text
}

impl GatePage {
    /// Text above the questions.
    fn text(&self) -> String {
        let mut text = String::new();
        if !self.difference.is_empty() {
            let _ = write!(text, "What changed since you last looked:\n\n{}\n\n", self.difference);
        }
        if !self.broken.is_empty() {
            let _ = write!(text, "Scenarios that still break, for you to decide about:\n\n{}\n", self.broken);
        }
        if !self.votes.is_empty() {
            let _ = write!(text, "Contested decisions and how they were settled:\n\n{}", self.votes);
        }
        text
    }
}

fn gate(brief: &Brief, page: &GatePage) -> Gate {
    let GatePage { shown, .. } = page;
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

/// Sets the status in all files at once. It is no part of the approved text, so the gate stays closed.
async fn set_status(
    phase: &PhaseHandle<'_>,
    id: &str,
    status: SpecStatus,
    reads: &[Input],
    today: &str,
    respondent: Option<(String, String)>,
) -> FlowResult<()> {
    let today = today.to_owned();
    let step = Step::new(id).reads(reads).revises(spec_names()).touches_checkout();
    phase
        .step(step, move |context| async move {
            let files = current_files(&context)?;
            let respondent = respondent.as_ref().map(|(by, at)| (by.as_str(), at.as_str()));
            let updated = deliverable::with_status(&files, status, &today);
            let updated = deliverable::with_approval_record(&updated, respondent);
            for ((name, before), (_, after)) in files.iter().zip(updated) {
                if *before != after {
                    context.write(&spec_file(name), after)?;
                }
            }
            Ok(())
        })
        .await
}

/// Date of the answers.
fn answer_date(answers: &Answers, brief: &Brief) -> String {
    answers.at().map_or_else(|| brief.date.clone(), |at| at.chars().take(10).collect())
}
