//! The survey as the engine knows it: for flows, and as the agent that needs no model.

use crate::embedded::{Inputs, WorkTree, draft};
use crate::{Ask, Survey, survey};
use charrette_engine::ports::{BoxFuture, EmbeddedAgent, Surveyor};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::names::{REQUEST, SURVEY};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many files a survey for a seat names.
const FILES: usize = 20;

/// The survey of one repository.
#[derive(Debug, Clone)]
pub struct RepositorySurvey {
    /// The top of the repository.
    pub root: PathBuf,
    /// Where surveys remember what they saw.
    pub cache: Option<PathBuf>,
    /// How many words a summary may have.
    pub summary_words: usize,
    /// The name of the feature, if it has one.
    pub feature: Option<String>,
    /// The date that drafts carry.
    pub today: String,
}

impl EmbeddedAgent for RepositorySurvey {
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>> {
        let request = reads.get(REQUEST).map(String::as_str).unwrap_or_default();
        let survey = match self.survey(request, reads) {
            Ok(survey) => survey,
            Err(problem) => return Some(Err(problem)),
        };
        let feature = self.feature.clone().unwrap_or_else(|| called(request));
        let reads = &by_file_name(reads);
        let files = WorkTree(&self.root);
        let inputs = Inputs {
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
    fn survey(&self, request: String) -> BoxFuture<'static, Result<String, String>> {
        let (root, cache) = (self.root.clone(), self.cache.clone());
        let look = move || {
            let ask = Ask { root: &root, request: &request, top: FILES, cache: cache.as_deref() };
            let found = survey(ask).map_err(|error| error.to_string())?;
            let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            Ok(text + "\n")
        };
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(look).await;
            done.unwrap_or_else(|error| Err(format!("the survey broke off: {error}")))
        })
    }
}

/// The files of a specification lie elsewhere, but drafts know them by their names.
fn by_file_name(reads: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let name = |name: &String| name.strip_prefix("specs/").unwrap_or(name).to_owned();
    reads.iter().map(|(read, text)| (name(read), text.clone())).collect()
}

impl RepositorySurvey {
    /// The survey that the run has made, or else one made now.
    fn survey(&self, request: &str, reads: &BTreeMap<String, String>) -> Result<Survey, String> {
        if let Some(made) = reads.get(SURVEY).and_then(|text| serde_json::from_str(text).ok()) {
            return Ok(made);
        }
        let ask = Ask { root: &self.root, request, top: FILES, cache: self.cache.as_deref() };
        survey(ask).map_err(|error| error.to_string())
    }
}

/// What a request is called that no run has named.
fn called(request: &str) -> String {
    let named = FeaturePath::derive(request, |_| false);
    named.map_or_else(|_| "feature".to_owned(), |name| name.to_string())
}
