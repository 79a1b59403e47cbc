//! What will happen to each step of a run when it is resumed, and why.

use crate::error::AppError;
use crate::site::Site;
use crate::start::flow_of;
use crate::workspaces::workspace_of;
use charrette_engine::explain::{StepForecast, forecast};
use charrette_model::checkpoint::DocumentName;

/// Every step on record, and why it will run again, if it will.
pub fn explain(site: &Site, name: &DocumentName) -> Result<Vec<StepForecast>, AppError> {
    let Some(loaded) = site.documents().load(name)? else {
        return Err(AppError::failed(format!("no document {}", name.stem())));
    };
    Ok(forecast(&loaded.document, &workspace_of(site, &loaded.document)?))
}

/// Who writes a file of that command and who reads it, as its table of artifacts says.
pub fn artifact_readers(site: &Site, name: &DocumentName, artifact: &str) -> Vec<&'static str> {
    let Ok(flow) = flow_of(site, name) else { return Vec::new() };
    let found = flow.artifacts.iter().find(|spec| spec.name == artifact);
    found.map(|spec| spec.readers.to_vec()).unwrap_or_default()
}
