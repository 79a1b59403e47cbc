//! Files of a specification that a person has changed: a run that begins afresh puts a copy of them aside first.

use crate::error::AppError;
use crate::order::RunOrder;
use crate::site::Site;
use crate::workspaces::spec_folder;
use charrette_store::workspace::sha256;
use std::path::{Path, PathBuf};

/// Keeps what a person wrote in the folder of the specification, beside `archive`, and says where.
pub(crate) fn keep(site: &Site, order: &RunOrder, archive: &Path) -> Result<(), AppError> {
    let Some(document) = &order.existing else { return Ok(()) };
    let folder = site.root.join(spec_folder(site, &order.name));
    let Ok(entries) = fs_err::read_dir(&folder) else { return Ok(()) };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_file())?.file_name().into_string().ok())
        .collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        let text = fs_err::read(&path).map_err(AppError::failed)?;
        if document.wrote(&format!("specs/{name}"), &sha256(&text)) {
            continue;
        }
        let kept = beside(archive).join(&name);
        fs_err::create_dir_all(beside(archive)).map_err(AppError::failed)?;
        fs_err::copy(&path, &kept).map_err(AppError::failed)?;
        let (path, kept) =
            (site.relative(&path).display().to_string(), site.relative(&kept).display().to_string());
        site.notices.problem(format!(
            "{path} was changed by hand; a copy is kept. To compare: git diff --no-index {kept} {path}"
        ));
    }
    Ok(())
}

/// `X.json.zst` → `X.specs`.
fn beside(archive: &Path) -> PathBuf {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    archive.with_file_name(format!("{}.specs", name.trim_end_matches(".json.zst")))
}
