//! Steps 1e and 4a: the two gates of a project or feature. The approved text is that of the page and the manifest.

use super::kind::LevelKind;
use super::questions::post_design_questions;
use crate::artifact::{Artifact, Input};
use crate::difference::difference_by_file;
use crate::flows::design::artifacts::{GATE_PAGE, GATE_SUBJECT};
use crate::flows::design::brief::Brief;
use crate::flows::design::pre_design_gate::confirm_summary;
use crate::flows::design::validate::artifact_inputs;
use crate::gate::Gate;
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::context_summary::read_parts;
use charrette_model::seats::files::marker;
use charrette_model::spec::manifest::LevelManifest;
use serde::{Deserialize, Serialize};

/// Opens the pre-design gate, unless `--no-checkpoint` is set.
pub(super) async fn ask_understanding(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    kind: &'static LevelKind,
    summary: &Artifact,
) -> FlowResult<()> {
    if brief.no_checkpoint {
        return Ok(());
    }
    let stage = phase.stage("1e");
    let (step, name) = (Step::new("pre-design/page").reads(summary), summary.name().to_owned());
    let parts: [String; 6] = phase
        .step(
            step,
            move |context| async move { Ok(read_parts(&context.text(&name)?, kind.parts, usize::MAX).0) },
        )
        .await?;
    confirm_summary(phase, brief, kind.questions, &parts, summary).await?;
    stage.finish("answered");
    Ok(())
}

/// Contents of the post-design gate. The field names are on record.
#[derive(Debug, Serialize, Deserialize)]
struct LevelGatePage {
    text: String,
    manifest: String,
    difference: String,
}

/// Opens the post-design gate. With `--no-checkpoint` nothing is asked and nothing is approved, until `--approve`
/// opens it.
pub(super) async fn ask_approval(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<()> {
    if !brief.asks_approval {
        return Ok(());
    }
    let stage = phase.stage("4a");
    let page = prepare_page(phase, kind).await?;
    let manifest = LevelManifest::parse(kind.level, &page.manifest);
    // A person may have edited the manifest; the gate cannot ask about an invalid one.
    let manifest = manifest.map_err(|error| {
        let [_, name, _] = kind.files;
        Stop::Failed(format!("{}{name}: {error}", brief.spec_folder))
    })?;
    phase.gate(post_design_questions(kind.level, gate(brief, kind, &page), &page.text, &manifest)).await?;
    check_approved(phase, brief, kind, "post-design/shown").await?;
    stage.finish("approved");
    Ok(())
}

/// Checks that the files are still those that were approved. If not, the flow starts over, and the gate opens again with
/// the difference.
pub(super) async fn check_approved(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    kind: &'static LevelKind,
    id: &str,
) -> FlowResult<()> {
    if !brief.asks_approval {
        return Ok(());
    }
    let step = Step::new(id).reads(&delivered_inputs(kind)).reads(GATE_SUBJECT);
    let is_same: bool = phase
        .step(step, move |context| async move {
            Ok(subject_of(&delivered_texts(kind, &context)?) == context.text(GATE_SUBJECT)?)
        })
        .await?;
    if is_same { Ok(()) } else { Err(Stop::Revise) }
}

fn delivered_inputs(kind: &LevelKind) -> Vec<Input> {
    artifact_inputs(&kind.delivered_files().each_ref().map(String::as_str))
}

/// Text of the page and of the manifest, each with its marker.
fn delivered_texts(kind: &LevelKind, context: &StepContext) -> Result<Vec<(String, String)>, StepError> {
    let files = kind.delivered_files();
    let each = kind.drafts.iter().zip(&files);
    each.map(|(draft, file)| Ok((marker(draft), context.text(file)?))).collect()
}

fn subject_of(texts: &[(String, String)]) -> String {
    texts.iter().flat_map(|(marker, text)| [marker.as_str(), "\n", text.as_str()]).collect()
}

async fn prepare_page(phase: &PhaseHandle<'_>, kind: &'static LevelKind) -> FlowResult<LevelGatePage> {
    let step = Step::new("post-design/page").reads(&delivered_inputs(kind)).revises([GATE_SUBJECT]);
    phase
        .step(step, move |context| async move {
            let mut texts = delivered_texts(kind, &context)?;
            let subject = subject_of(&texts);
            let before = context.optional_text(GATE_SUBJECT)?.filter(|before| *before != subject);
            let difference = before.map(|before| difference_by_file(&before, &subject)).unwrap_or_default();
            context.write(GATE_SUBJECT, subject)?;
            context.write(GATE_PAGE, changes_section(&difference))?;
            let (_, manifest) = texts.pop().unwrap_or_default();
            let (_, text) = texts.pop().unwrap_or_default();
            Ok::<LevelGatePage, StepError>(LevelGatePage { text, manifest, difference })
        })
        .await
}

fn changes_section(difference: &str) -> String {
    if difference.is_empty() {
        return String::new();
    }
    format!("What changed since you last looked:\n\n{difference}\n\n")
}

fn gate(brief: &Brief, kind: &LevelKind, page: &LevelGatePage) -> Gate {
    let feature = &brief.feature;
    let title = format!(
        "Post-Design Checkpoint\n======================\n\nI have completed the {} \"{feature}\". Before validation, I would like\nyour review.\n\n{}",
        kind.level.as_str(),
        changes_section(&page.difference)
    );
    Gate::new("post-design", GATE_SUBJECT).page(title.trim_end()).on_rejection(&format!(
        "Design not approved. To revise, run:\n  charrette design {feature} --phase=write"
    ))
}
