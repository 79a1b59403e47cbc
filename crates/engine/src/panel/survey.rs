//! What the repository says about a request, without a model: the ground on which every seat begins.

use crate::artifact::Artifact;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::Flow;
use charrette_model::panel::names::{REQUEST, SURVEY};
use serde_json::Value;

/// How many files every seat is told to begin with.
const RELEVANT: usize = 8;

/// What the repository says about the request.
#[derive(Debug, Clone)]
pub struct Survey {
    /// All of it.
    pub file: Artifact,
    /// The files to begin with, best first.
    pub relevant_files: Vec<String>,
}

/// Has the repository say what it has to say about the request.
pub async fn survey(phase: &PhaseHandle<'_>) -> Flow<Survey> {
    let surveyor = phase.run.ports.surveyor.clone();
    let step = Step::new("survey").reads(REQUEST);
    let relevant_files = phase
        .step(step, move |context| async move {
            let survey = surveyor.survey(context.text(REQUEST)?).await.map_err(StepError::Failed)?;
            context.write(SURVEY, &survey)?;
            let survey: Value = serde_json::from_str(&survey).unwrap_or_default();
            let files = survey["files"].as_array().into_iter().flatten();
            let paths = files.filter_map(|file| file["path"].as_str().map(str::to_owned));
            Ok(paths.take(RELEVANT).collect::<Vec<String>>())
        })
        .await?;
    Ok(Survey { file: Artifact::fixed(SURVEY), relevant_files })
}
