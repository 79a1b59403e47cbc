//! Forecast of a resumed run: which steps will run again, and why.

use crate::error::AppError;
use crate::site::Site;
use crate::start::flow_for;
use crate::workspaces::run_workspace;
use charrette_engine::explain::{StepForecast, forecast};
use charrette_model::checkpoint::DocumentName;

/// Recorded steps, each with the reason why it will run again, if any.
pub fn explain(site: &Site, name: &DocumentName) -> Result<Vec<StepForecast>, AppError> {
    let Some(loaded) = site.documents().load(name)? else {
        return Err(AppError::failed(format!("no document {}", name.stem())));
    };
    Ok(forecast(&loaded.document, &run_workspace(site, &loaded.document)?))
}

/// Readers of an artifact, from the artifact table of the flow.
pub fn artifact_readers(site: &Site, name: &DocumentName, artifact: &str) -> Vec<&'static str> {
    let Ok(flow) = flow_for(site, name) else { return Vec::new() };
    let found = flow.artifacts.iter().find(|spec| spec.name == artifact);
    found.map(|spec| spec.readers.to_vec()).unwrap_or_default()
}
