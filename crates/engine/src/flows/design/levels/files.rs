//! Step 3c: the writer's drafts and the three files made from them.

use super::kind::LevelKind;
use super::questions::count_label;
use crate::artifact::Input;
use crate::flows::design::artifacts::{REPAIRED, WRITE_SUMMARY};
use crate::flows::design::brief::Brief;
use crate::flows::design::specification::{
    ReplacedFile, drafts_digest, report_replaced, spec_file, write_spec_file,
};
use crate::flows::design::validate::artifact_inputs;
use crate::panel::Panel;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::spec::manifest::LevelManifest;
use charrette_model::spec::resolver::SpecLevel;
use serde::{Deserialize, Serialize};

/// Asks the writer and publishes the files.
pub(super) async fn write_files(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<()> {
    let stage = phase.stage("3c");
    phase.agent(panel.call(kind.writer)?.step_id("writer")).await?;
    let counts = publish(phase, "spec-files", &kind.drafts, brief, kind).await?;
    stage.finish(counts);
    Ok(())
}

/// Recorded result of the step that publishes the files.
#[derive(Debug, Serialize, Deserialize)]
struct LevelPublishResult {
    counted: String,
    removed: Vec<String>,
    replaced: Vec<ReplacedFile>,
}

/// Publishes the files made from drafts. Returns their counts, and warns about entries that were removed from the
/// manifest; no directory is deleted.
pub(super) async fn publish(
    phase: &PhaseHandle<'_>,
    id: &str,
    drafts: &'static [&'static str; 2],
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<String> {
    let before = earlier_entries(phase, kind).await?;
    let is_repair = drafts != &kind.drafts;
    let step = Step::new(id)
        .reads(&artifact_inputs(drafts))
        .reads(&Input::given("before", &before))
        .revises(kind.delivered_files())
        .touches_checkout();
    let step = if is_repair { step.reads(&artifact_inputs(&kind.drafts)) } else { step };
    let (name, folder) = (brief.name().to_owned(), brief.spec_folder.clone());
    let published: LevelPublishResult = phase
        .step(step, move |context| async move {
            let [page, manifest] = drafts;
            let manifest = LevelManifest::parse(kind.level, &context.text(manifest)?)
                .map_err(|error| StepError::Failed(format!("{manifest}: {error}")))?;
            if is_repair {
                context.write(REPAIRED, format!("{}\n", drafts_digest(&context, &kind.drafts)?))?;
            }
            let [page_name, manifest_name, marker] = kind.files;
            let mut replaced: Vec<ReplacedFile> = Vec::new();
            replaced.extend(write_spec_file(&context, page_name, &context.text(page)?)?);
            replaced.extend(write_spec_file(&context, manifest_name, &manifest.to_text(&name))?);
            context.write(&spec_file(marker), format!("{name}\n"))?;
            let inner = kind.level.inner().map_or("entry", SpecLevel::as_str);
            let entries = count_label(manifest.entries.len(), inner);
            let summary = format!("Created {} files in {folder} covering {entries}.\n", kind.files.len());
            context.write(WRITE_SUMMARY, summary)?;
            let removed = before.into_iter().filter(|name| manifest.entry(name).is_none()).collect();
            let counted = format!("{} files, {entries}", kind.files.len());
            Ok(LevelPublishResult { counted, removed, replaced })
        })
        .await?;
    report_replaced(phase, &published.replaced);
    if !published.removed.is_empty() {
        phase.warn(format!(
            "Warning: {} removed: {}. Existing directories NOT deleted.",
            kind.entries_noun,
            published.removed.join(", ")
        ));
    }
    Ok(published.counted)
}

/// Entries of the manifest before this run. Recorded before anything is written, so that a retry after a crash sees the
/// same.
async fn earlier_entries(phase: &PhaseHandle<'_>, kind: &'static LevelKind) -> FlowResult<Vec<String>> {
    let [_, manifest] = kind.delivered_files();
    let step = Step::new("spec-files/before").revises([manifest.clone()]);
    phase
        .step(step, move |context| async move {
            let text = context.optional_text(&manifest)?.unwrap_or_default();
            let manifest = LevelManifest::parse(kind.level, &text).ok();
            let names = manifest.iter().flat_map(LevelManifest::names).map(str::to_owned);
            Ok(names.collect::<Vec<String>>())
        })
        .await
}
