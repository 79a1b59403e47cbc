//! The engine's ports for the survey: `Surveyor` for flows, and `EmbeddedAgent`, the agent that needs no model.

use crate::embedded::{DraftInputs, WorkTree, draft};
use crate::{SourceRoots, Survey, SurveyOptions, survey, survey_digest};
use charrette_engine::ports::{BoxFuture, EmbeddedAgent, SurveyTexts, Surveyor};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::file_names::{REQUEST, SURVEY};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum number of files ranked in the survey of a run.
const MAX_FILES: usize = 20;

/// Surveys one repository, and drafts answers from the survey.
#[derive(Debug, Clone)]
pub struct RepositorySurvey {
    /// Root of the work tree.
    pub root: PathBuf,
    /// Folder of the index cache.
    pub cache: Option<PathBuf>,
    /// Maximum number of words in a summary.
    pub summary_words: usize,
    /// Feature name; derived from the request if the run has none.
    pub feature: Option<String>,
    /// Date written into drafts.
    pub today: String,
    /// Folders of this machine with the sources of dependencies.
    pub sources: SourceRoots,
}

impl EmbeddedAgent for RepositorySurvey {
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>> {
        let request = reads.get(REQUEST).map(String::as_str).unwrap_or_default();
        let survey = match self.survey(request, reads) {
            Ok(survey) => survey,
            Err(problem) => return Some(Err(problem)),
        };
        let feature = self.feature.clone().unwrap_or_else(|| derive_feature_name(request));
        let reads = &strip_specs_prefix(reads);
        let files = WorkTree(&self.root);
        let inputs = DraftInputs {
            request,
            feature: &feature,
            survey: &survey,
            artifacts: reads,
            files: &files,
            today: Some(&self.today),
            summary_words: self.summary_words,
        };
        draft(seat, &inputs).map(|drafted| drafted.map_err(|error| error.to_string()))
    }
}

impl Surveyor for RepositorySurvey {
    fn survey(&self, request: String) -> BoxFuture<'static, Result<SurveyTexts, String>> {
        let surveyed = self.clone();
        let look = move || {
            let found = survey(surveyed.options(&request)).map_err(|error| error.to_string())?;
            let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            Ok(SurveyTexts { json: text + "\n", digest: survey_digest(&found) })
        };
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(look).await;
            done.unwrap_or_else(|error| Err(format!("the survey task failed: {error}")))
        })
    }
}

/// Drafts know the files of a specification by name, without the `specs/` folder.
fn strip_specs_prefix(reads: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let name = |name: &String| name.strip_prefix("specs/").unwrap_or(name).to_owned();
    reads.iter().map(|(read, text)| (name(read), text.clone())).collect()
}

impl RepositorySurvey {
    /// Survey recorded by the run, or a new one.
    fn survey(&self, request: &str, reads: &BTreeMap<String, String>) -> Result<Survey, String> {
        if let Some(made) = reads.get(SURVEY).and_then(|text| serde_json::from_str(text).ok()) {
            return Ok(made);
        }
        survey(self.options(request)).map_err(|error| error.to_string())
    }

    fn options<'a>(&'a self, request: &'a str) -> SurveyOptions<'a> {
        SurveyOptions {
            root: &self.root,
            request,
            top: MAX_FILES,
            cache: self.cache.as_deref(),
            sources: Some(&self.sources),
        }
    }
}

/// Derives a feature name from a request.
fn derive_feature_name(request: &str) -> String {
    let named = FeaturePath::derive(request, |_| false);
    named.map_or_else(|_| "feature".to_owned(), |name| name.to_string())
}
