//! Steps 1e and 4a: the two gates. What is approved is the text of the page and the manifest.

use super::kind::Kind;
use super::questions::about;
use crate::artifact::{Artifact, Input};
use crate::flows::design::artifacts::{GATE_PAGE, GATE_SUBJECT};
use crate::flows::design::brief::Brief;
use crate::flows::design::difference::difference;
use crate::flows::design::first_gate::agree;
use crate::flows::design::validate::artifacts;
use crate::gate::Gate;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::panel::context_summary::read_parts;
use charrette_model::seats::files::marker;
use charrette_model::spec::manifest::Manifest;
use serde::{Deserialize, Serialize};

/// Asks whether the research understood, unless the gate is to be passed without asking.
pub(super) async fn understand(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    kind: &'static Kind,
    summary: &Artifact,
) -> Flow<()> {
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
    agree(phase, brief, kind.questions, &parts, summary).await?;
    stage.done("answered");
    Ok(())
}

/// What a person gets to see.
#[derive(Debug, Serialize, Deserialize)]
struct Page {
    text: String,
    manifest: String,
    difference: String,
}

/// Asks for approval, unless the gate is to be passed without asking; then nothing is approved either.
pub(super) async fn approve(phase: &PhaseHandle<'_>, brief: &Brief, kind: &'static Kind) -> Flow<()> {
    if brief.no_checkpoint {
        return Ok(());
    }
    let stage = phase.stage("4a");
    let page = page(phase, kind).await?;
    let manifest = Manifest::parse(kind.level, &page.manifest);
    // Somebody edited it: the rules would say the same, but nobody can be asked about what cannot be read.
    let manifest = manifest.map_err(|error| {
        let [_, name, _] = kind.files;
        Stop::Failed(format!("{}{name}: {error}", brief.spec_folder))
    })?;
    phase.gate(about(kind.level, gate(brief, kind, &page), &page.text, &manifest)).await?;
    stage.done("approved");
    Ok(())
}

async fn page(phase: &PhaseHandle<'_>, kind: &'static Kind) -> Flow<Page> {
    let delivered = kind.delivered();
    let reads: Vec<Input> = artifacts(&delivered.each_ref().map(String::as_str));
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
            let difference = before.map(|before| difference(&before, &subject)).unwrap_or_default();
            context.write(GATE_SUBJECT, subject)?;
            context.write(GATE_PAGE, changed(&difference))?;
            let manifest = texts.pop().unwrap_or_default();
            let text = texts.pop().unwrap_or_default();
            Ok::<Page, StepError>(Page { text, manifest, difference })
        })
        .await
}

fn changed(difference: &str) -> String {
    if difference.is_empty() {
        return String::new();
    }
    format!("What changed since you last looked:\n\n{difference}\n\n")
}

fn gate(brief: &Brief, kind: &Kind, page: &Page) -> Gate {
    let feature = &brief.feature;
    let title = format!(
        "Post-Design Checkpoint\n======================\n\nI have completed the {} \"{feature}\". Before validation, I would like\nyour review.\n\n{}",
        kind.level.as_str(),
        changed(&page.difference)
    );
    Gate::new("post-design", GATE_SUBJECT).page(title.trim_end()).on_rejection(&format!(
        "Design not approved. To revise, run:\n  charrette design {feature} --phase=write"
    ))
}
