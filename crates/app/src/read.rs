//! The artifacts of a run, read while it is driven or not.

use crate::error::AppError;
use crate::site::Site;
use crate::workspaces::workspace_of;
use charrette_model::checkpoint::DocumentName;
use charrette_store::Workspace;

/// The names of all artifacts of a run.
pub fn artifacts(site: &Site, name: &DocumentName) -> Result<Vec<String>, AppError> {
    workspace(site, name)?.list().map_err(AppError::failed)
}

/// What an artifact says; none if there is no such file. Only names of artifacts lead anywhere.
pub fn artifact(site: &Site, name: &DocumentName, artifact: &str) -> Result<Option<String>, AppError> {
    let bytes = workspace(site, name)?.read(artifact, None).map_err(AppError::failed)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The workspace of a run.
pub fn workspace(site: &Site, name: &DocumentName) -> Result<Workspace, AppError> {
    let Some(loaded) = site.documents().load(name)? else {
        return Err(AppError::failed(format!("no document {}", name.stem())));
    };
    workspace_of(site, &loaded.document)
}
