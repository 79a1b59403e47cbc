//! Survey of the repository for a request, made without a model: the starting point of every seat.

use crate::artifact::Artifact;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::file_names::{REQUEST, SURVEY};
use serde_json::Value;

/// Number of relevant files that every seat is given.
const MAX_RELEVANT_FILES: usize = 8;

/// Survey of the repository.
#[derive(Debug, Clone)]
pub struct SurveyArtifact {
    /// The whole survey, as JSON.
    pub file: Artifact,
    /// Most relevant files, best first.
    pub relevant_files: Vec<String>,
}

/// Surveys the repository for the request.
pub async fn survey(phase: &PhaseHandle<'_>) -> FlowResult<SurveyArtifact> {
    let surveyor = phase.run.ports.surveyor.clone();
    let step = Step::new("survey").reads(REQUEST);
    let relevant_files = phase
        .step(step, move |context| async move {
            let survey = surveyor.survey(context.text(REQUEST)?).await.map_err(StepError::Failed)?;
            context.write(SURVEY, &survey)?;
            let survey: Value = serde_json::from_str(&survey).unwrap_or_default();
            let files = survey["files"].as_array().into_iter().flatten();
            let paths = files.filter_map(|file| file["path"].as_str().map(str::to_owned));
            Ok(paths.take(MAX_RELEVANT_FILES).collect::<Vec<String>>())
        })
        .await?;
    Ok(SurveyArtifact { file: Artifact::fixed(SURVEY), relevant_files })
}
