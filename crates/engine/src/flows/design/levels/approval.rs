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
use crate::step::{Step, StepError};
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

/// Opens the post-design gate. With `--no-checkpoint` nothing is asked, and nothing is approved.
pub(super) async fn ask_approval(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<()> {
    if brief.no_checkpoint {
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
    stage.finish("approved");
    Ok(())
}

async fn prepare_page(phase: &PhaseHandle<'_>, kind: &'static LevelKind) -> FlowResult<LevelGatePage> {
    let delivered = kind.delivered_files();
    let reads: Vec<Input> = artifact_inputs(&delivered.each_ref().map(String::as_str));
    let step = Step::new("post-design/page").reads(&reads).revises([GATE_SUBJECT]);
    phase
        .step(step, move |context| async move {
            let mut subject = String::new();
            let mut texts = Vec::new();
            for (name, file) in kind.drafts.iter().zip(&delivered) {
                let text = context.text(file)?;
                subject.extend([&marker(name), "\n", &text]);
                texts.push(text);
            }
            let before = context.optional_text(GATE_SUBJECT)?.filter(|before| *before != subject);
            let difference = before.map(|before| difference_by_file(&before, &subject)).unwrap_or_default();
            context.write(GATE_SUBJECT, subject)?;
            context.write(GATE_PAGE, changes_section(&difference))?;
            let manifest = texts.pop().unwrap_or_default();
            let text = texts.pop().unwrap_or_default();
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
