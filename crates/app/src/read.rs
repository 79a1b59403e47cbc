//! Reads the artifacts of a run, driven or not.

use crate::error::AppError;
use crate::site::Site;
use crate::workspaces::run_workspace;
use charrette_model::checkpoint::DocumentName;
use charrette_store::Workspace;

/// Names of all artifacts of a run.
pub fn artifacts(site: &Site, name: &DocumentName) -> Result<Vec<String>, AppError> {
    workspace(site, name)?.list().map_err(AppError::failed)
}

/// Text of an artifact; none if it does not exist. Paths that are no artifact names are refused.
pub fn artifact(site: &Site, name: &DocumentName, artifact: &str) -> Result<Option<String>, AppError> {
    let bytes = workspace(site, name)?.read(artifact, None).map_err(AppError::failed)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Workspace of a run.
pub fn workspace(site: &Site, name: &DocumentName) -> Result<Workspace, AppError> {
    let Some(loaded) = site.documents().load(name)? else {
        return Err(AppError::failed(format!("no document {}", name.stem())));
    };
    run_workspace(site, &loaded.document)
}
