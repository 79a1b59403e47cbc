//! Step 4a: the post-design gate. The person approves the specification, rejects it, or asks for a revision.
//!
//! The subject of the approval is the text of the six files without their status. If it changes later, by hand or by a
//! repair, the gate reopens and shows the diff.

use super::artifacts::{GATE_PAGE, GATE_SUBJECT, OPEN_POINTS, POST_DESIGN, RESOLUTIONS, UNMENDED};
use super::brief::Brief;
use super::given_answers::{GivenAnswer, write_answers};
use super::pre_design_gate::is_confirmation;
use super::specification::{FILES, WrittenFiles, spec_file, spec_files, spec_names};
use crate::artifact::Input;
use crate::deliverable::{self, GateSummary, SpecStatus};
use crate::difference::difference_by_file;
use crate::gate::{Answers, Gate, GateQuestion};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::resolutions::{DecisionOutcome, Disposition, read_resolutions};
use charrette_model::spec::open_points::open_points;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Opens the gate and returns the date of the approval. With `--no-checkpoint` nothing is asked and nothing is approved,
/// until `--approve` opens the gate.
pub(super) async fn ask_post_design(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    written: &WrittenFiles,
) -> FlowResult<Option<String>> {
    if !brief.asks_approval {
        return Ok(None);
    }
    let stage = phase.stage("4a");
    let page = prepare_page(phase).await?;
    let subject = [vec![Input::Artifact(GATE_SUBJECT.to_owned())], written.input()].concat();
    set_status(phase, "status/draft", SpecStatus::Draft, &subject, &brief.date, None).await?;
    let gate = gate(brief, &page);
    let questions = gate.questions.clone();
    let shown = subject_digest(phase).await?;
    let answers = phase.gate(gate).await?;
    // Somebody may have changed the files while the question was open.
    check_approved(phase, brief, "post-design/shown").await?;
    record_comments(phase, &questions, &answers).await?;
    if record_open_points(phase, &page, &answers).await? {
        // The files are made again with what the person filled in, and shown once more.
        return Err(Stop::Revise);
    }
    let approved = [subject, vec![answers.input("approval")]].concat();
    let day = answer_date(&answers, brief);
    let respondent = answers.respondent().unwrap_or("unknown").to_owned();
    let at = answers.at().unwrap_or(&day).to_owned();
    set_status(phase, "status/approved", SpecStatus::Approved, &approved, &day, Some((respondent, at)))
        .await?;
    // Checked and prepared again, so that the record matches the files with their new status.
    check_approved(phase, brief, "post-design/shown").await?;
    prepare_page(phase).await?;
    if subject_digest(phase).await? != shown {
        return Err(Stop::Revise);
    }
    stage.finish(match page.open.len() {
        0 => "approved".to_owned(),
        count => format!("approved with open points ({count})"),
    });
    Ok(Some(day))
}

/// Digest of the text that the gate asks about.
async fn subject_digest(phase: &PhaseHandle<'_>) -> FlowResult<Option<String>> {
    let digest = phase.run.journal.artifacts().digest(GATE_SUBJECT).await;
    digest.map_err(|error| Stop::Failed(format!("cannot read {GATE_SUBJECT}: {error}")))
}

/// Checks that the files are still those that were approved. If not, the flow starts over, and the gate opens again with
/// the difference.
pub(super) async fn check_approved(phase: &PhaseHandle<'_>, brief: &Brief, id: &str) -> FlowResult<()> {
    if !brief.asks_approval {
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

/// Answer that leaves a point open.
const LEAVE_OPEN: &str = "leave open";

/// Key of the question about an open point, numbered from 1.
fn open_point_key(n: usize) -> String {
    format!("open_{n}")
}

/// Records what the person filled in, for this and every later version of the files. True if there is something new.
async fn record_open_points(phase: &PhaseHandle<'_>, page: &GatePage, answers: &Answers) -> FlowResult<bool> {
    let filled: Vec<(String, String, String)> = (1..)
        .zip(&page.open)
        .map(|(n, point)| {
            (open_point_key(n), point.text.clone(), answers.get(&open_point_key(n)).trim().to_owned())
        })
        .filter(|(_, _, answer)| !answer.is_empty() && !answer.eq_ignore_ascii_case(LEAVE_OPEN))
        .collect();
    if filled.is_empty() {
        return Ok(false);
    }
    let step = Step::new("post-design/open-points").reads(answers).revises([OPEN_POINTS]);
    phase
        .step(step, move |context| async move {
            let before = context.optional_text(OPEN_POINTS)?.unwrap_or_default();
            let given = filled.iter().map(|(key, question, answer)| GivenAnswer { key, question, answer });
            context.write(OPEN_POINTS, before + &write_answers(given))?;
            Ok(true)
        })
        .await
}

/// A point that the files leave open. The field names are on record.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ShownPoint {
    file: String,
    text: String,
    context: String,
}

/// Open points of the files, each once.
fn shown_points(files: &[(String, String)]) -> Vec<ShownPoint> {
    let mut points: Vec<ShownPoint> = Vec::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".md")) {
        for point in open_points(text) {
            if !points.iter().any(|known| known.text == point.text) {
                points.push(ShownPoint { file: file.clone(), text: point.text, context: point.context });
            }
        }
    }
    points
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
    /// Points that the files leave open.
    #[serde(default)]
    open: Vec<ShownPoint>,
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
            let difference = before.map(|before| difference_by_file(&before, &subject)).unwrap_or_default();
            let votes = resolution_lines(&context.optional_text(RESOLUTIONS)?.unwrap_or_default());
            let broken = context.optional_text(UNMENDED)?.unwrap_or_default();
            let open = shown_points(&files);
            let page = GatePage { shown: deliverable::gate_summary(&files), votes, difference, broken, open };
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
        if !self.shown.proofs.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let proofs = bulleted(self.shown.proofs.iter());
            let _ = write!(
                text,
                "{gap}How each task will be proven, without a shell and in the sandbox:\n\n{proofs}"
            );
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
        in_plain_words(&page.text())
    );
    let gate = Gate::new("post-design", GATE_SUBJECT)
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
        );
    let gate = (1..).zip(&page.open).fold(gate, |gate, (n, point)| {
        let question = format!(
            "{} leaves a point open:\n\n{}\n\nWhat belongs in the place of {}? [leave open / your words]",
            point.file, point.context, point.text
        );
        gate.ask(&open_point_key(n), &question, LEAVE_OPEN)
    });
    let open = match page.open.len() {
        0 => String::new(),
        count => format!(
            "\nPoints that the files leave open: {count}. Approving now approves the design with those that you leave open."
        ),
    };
    gate
        .ask_approval(
            "approval",
            &format!("Do you approve this design for implementation?{open}\n[yes] → proceed to validation\n[no] → halt; revise with --phase=write\n[revise] → the plan, the diagram and the files are made again with your feedback"),
        )
        .on_rejection(&format!(
            "Design not approved. To revise, run:\n  charrette design {feature} --phase=write"
        ))
}

/// The text with dispositions in words instead of the tokens of the record.
fn in_plain_words(text: &str) -> String {
    Disposition::ALL.iter().fold(text.to_owned(), |text, disposition| {
        text.replace(&format!("({})", disposition.name()), &format!("({})", disposition.words()))
    })
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
