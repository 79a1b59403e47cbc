//! Backup of hand-edited specification files before a new run replaces them.

use crate::error::AppError;
use crate::site::Site;
use crate::start_plan::StartPlan;
use crate::workspaces::spec_folder;
use charrette_store::workspace::sha256;
use std::path::{Path, PathBuf};

/// Copies hand-edited files of the specification folder to a folder beside `archive`, with a notice for each.
pub(crate) fn back_up_edits(site: &Site, plan: &StartPlan, archive: &Path) -> Result<(), AppError> {
    let Some(document) = &plan.existing else { return Ok(()) };
    let folder = site.root.join(spec_folder(site, &plan.name));
    let Ok(entries) = fs_err::read_dir(&folder) else { return Ok(()) };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_file())?.file_name().into_string().ok())
        .collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        let text = fs_err::read(&path).map_err(AppError::failed)?;
        if document.has_output(&format!("specs/{name}"), &sha256(&text)) {
            continue;
        }
        let kept = backup_folder(archive).join(&name);
        fs_err::create_dir_all(backup_folder(archive)).map_err(AppError::failed)?;
        fs_err::copy(&path, &kept).map_err(AppError::failed)?;
        let (path, kept) =
            (site.relative(&path).display().to_string(), site.relative(&kept).display().to_string());
        site.notices.problem(format!(
            "{path} was edited by hand; a copy is kept. To compare: git diff --no-index {kept} {path}"
        ));
    }
    Ok(())
}

/// `X.json.zst` → `X.specs`.
fn backup_folder(archive: &Path) -> PathBuf {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    archive.with_file_name(format!("{}.specs", name.trim_end_matches(".json.zst")))
}
