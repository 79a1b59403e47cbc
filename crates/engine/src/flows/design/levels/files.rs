//! Step 3c: the writer's drafts, and the three files made from them.

use super::kind::Kind;
use super::questions::counted;
use crate::artifact::Input;
use crate::flows::design::artifacts::{REPAIRED, WRITE_SUMMARY};
use crate::flows::design::brief::Brief;
use crate::flows::design::specification::{Replaced, drafts_digest, put, say_replaced, spec_file};
use crate::flows::design::validate::artifacts;
use crate::panel::Desk;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::Flow;
use charrette_model::spec::manifest::Manifest;
use charrette_model::spec::resolver::Level;
use serde::{Deserialize, Serialize};

/// Has the files written.
pub(super) async fn write(
    phase: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    kind: &'static Kind,
) -> Flow<()> {
    let stage = phase.stage("3c");
    phase.agent(desk.call(kind.writer)?.step_id("writer")).await?;
    let counted = publish(phase, "spec-files", &kind.drafts, brief, kind).await?;
    stage.done(counted);
    Ok(())
}

/// What the step that makes the files says.
#[derive(Debug, Serialize, Deserialize)]
struct Published {
    counted: String,
    removed: Vec<String>,
    replaced: Vec<Replaced>,
}

/// Makes the files from drafts, and puts them where they are delivered. Says what they hold, and what is no longer
/// listed; nothing is deleted.
pub(super) async fn publish(
    phase: &PhaseHandle<'_>,
    id: &str,
    drafts: &'static [&'static str; 2],
    brief: &Brief,
    kind: &'static Kind,
) -> Flow<String> {
    let before = listed_before(phase, kind).await?;
    let is_repair = drafts != &kind.drafts;
    let step = Step::new(id)
        .reads(&artifacts(drafts))
        .reads(&Input::given("before", &before))
        .revises(kind.delivered())
        .touches_checkout();
    let step = if is_repair { step.reads(&artifacts(&kind.drafts)) } else { step };
    let (name, folder) = (brief.name().to_owned(), brief.spec_folder.clone());
    let published: Published = phase
        .step(step, move |context| async move {
            let [page, manifest] = drafts;
            let manifest = Manifest::parse(kind.level, &context.text(manifest)?)
                .map_err(|error| StepError::Failed(format!("{manifest}: {error}")))?;
            if is_repair {
                context.write(REPAIRED, format!("{}\n", drafts_digest(&context, &kind.drafts)?))?;
            }
            let [page_name, manifest_name, marker] = kind.files;
            let mut replaced: Vec<Replaced> = Vec::new();
            replaced.extend(put(&context, page_name, &context.text(page)?)?);
            replaced.extend(put(&context, manifest_name, &manifest.text_for(&name))?);
            context.write(&spec_file(marker), format!("{name}\n"))?;
            let inner = kind.level.inner().map_or("entry", Level::as_str);
            let entries = counted(manifest.entries.len(), inner);
            let said = format!("Created {} files in {folder} covering {entries}.\n", kind.files.len());
            context.write(WRITE_SUMMARY, said)?;
            let removed = before.into_iter().filter(|name| manifest.entry(name).is_none()).collect();
            let counted = format!("{} files, {entries}", kind.files.len());
            Ok(Published { counted, removed, replaced })
        })
        .await?;
    say_replaced(phase, &published.replaced);
    if !published.removed.is_empty() {
        phase.warn(format!(
            "Warning: {} removed: {}. Existing directories NOT deleted.",
            kind.listed,
            published.removed.join(", ")
        ));
    }
    Ok(published.counted)
}

/// What the manifest listed before this run wrote one. It is on record before anything is written, so that whoever comes
/// back after a crash says the same.
async fn listed_before(phase: &PhaseHandle<'_>, kind: &'static Kind) -> Flow<Vec<String>> {
    let [_, manifest] = kind.delivered();
    let step = Step::new("spec-files/before").revises([manifest.clone()]);
    phase
        .step(step, move |context| async move {
            let text = context.optional_text(&manifest)?.unwrap_or_default();
            let manifest = Manifest::parse(kind.level, &text).ok();
            let names = manifest.iter().flat_map(Manifest::names).map(str::to_owned);
            Ok(names.collect::<Vec<String>>())
        })
        .await
}
