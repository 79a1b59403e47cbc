//! Survey of the repository for a request, made without a model: the starting point of every seat.

use crate::artifact::Artifact;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::file_names::{REQUEST, SURVEY, SURVEY_DIGEST};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Number of relevant files that every seat is given.
const MAX_RELEVANT_FILES: usize = 8;

/// Number of dependencies whose sources every seat is told.
const MAX_SOURCES: usize = 60;

/// Survey of the repository.
#[derive(Debug, Clone)]
pub struct SurveyArtifact {
    /// The whole survey, as JSON.
    pub file: Artifact,
    /// The survey condensed for a prompt.
    pub digest: Artifact,
    /// Most relevant files, best first.
    pub relevant_files: Vec<String>,
    /// Sources of dependencies on this machine: name, version and folder, one line each.
    pub sources: Vec<String>,
}

/// Surveys the repository for the request.
pub async fn survey(phase: &PhaseHandle<'_>) -> FlowResult<SurveyArtifact> {
    let surveyor = phase.run.ports.surveyor.clone();
    let step = Step::new("survey").reads(REQUEST);
    let record: SurveyRecord = phase
        .step(step, move |context| async move {
            let survey = surveyor.survey(context.text(REQUEST)?).await.map_err(StepError::Failed)?;
            context.write(SURVEY, &survey.json)?;
            context.write(SURVEY_DIGEST, &survey.digest)?;
            let survey: Value = serde_json::from_str(&survey.json).unwrap_or_default();
            Ok(SurveyRecord::Summary { files: relevant_files(&survey), sources: source_lines(&survey) })
        })
        .await?;
    let (relevant_files, sources) = match record {
        SurveyRecord::Summary { files, sources } => (files, sources),
        SurveyRecord::Files(files) => (files, Vec::new()),
    };
    Ok(SurveyArtifact {
        file: Artifact::fixed(SURVEY),
        digest: Artifact::fixed(SURVEY_DIGEST),
        relevant_files,
        sources,
    })
}

/// Recorded result of the step; earlier versions recorded the files alone.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SurveyRecord {
    Summary { files: Vec<String>, sources: Vec<String> },
    Files(Vec<String>),
}

/// Lines of sources for a prompt: those in the same folder share a line.
pub(super) fn group_sources(sources: &[String]) -> Vec<String> {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut lines = Vec::new();
    for source in sources {
        let parts = source.split_once(": ").and_then(|(named, path)| Some((named, path.rsplit_once('/')?)));
        let Some((named, (folder, name))) = parts else {
            lines.push(source.clone());
            continue;
        };
        let version = named.rsplit_once(' ').map_or("", |(_, version)| version);
        let tells_version = version.is_empty() || name.contains(version);
        let name = if tells_version { name.to_owned() } else { format!("{name} ({version})") };
        groups.entry(folder).or_default().push(name);
    }
    lines.extend(groups.into_iter().map(|(folder, names)| format!("{folder}/: {}", names.join(", "))));
    lines
}

/// Paths of the most relevant files, best first.
pub(super) fn relevant_files(survey: &Value) -> Vec<String> {
    let files = survey["files"].as_array().into_iter().flatten();
    let paths = files.filter_map(|file| file["path"].as_str().map(str::to_owned));
    paths.take(MAX_RELEVANT_FILES).collect()
}

/// Sources of dependencies, one line each.
pub(super) fn source_lines(survey: &Value) -> Vec<String> {
    let sources = survey["sources"].as_array().into_iter().flatten().take(MAX_SOURCES);
    let line = |source: &Value| {
        let [name, version, path] = ["name", "version", "path"].map(|key| source[key].as_str());
        Some(format!("{} {}: {}", name?, version.unwrap_or_default(), path?))
    };
    sources.filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_one_folder_share_a_line() {
        let sources = [
            "nix 0.30.1: /reg/src/nix-0.30.1",
            "h11 0.16.0: /venv/site-packages/h11",
            "ctrlc 3.5.0: /reg/src/ctrlc-3.5.0",
            "odd",
        ];
        assert_eq!(
            group_sources(&sources.map(str::to_owned)),
            ["odd", "/reg/src/: nix-0.30.1, ctrlc-3.5.0", "/venv/site-packages/: h11 (0.16.0)"]
        );
    }
}
