//! The embedded agent in a seat of this site: a survey of the repository, and drafts made from it.

use charrette_agents::room::Embedded;
use charrette_model::feature::name::FeaturePath;
use charrette_survey::embedded::{Inputs, WorkTree, draft};
use charrette_survey::{Ask, Survey, survey};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many files a survey for a seat names.
const FILES: usize = 20;

/// Drafts for the seats that need no model.
#[derive(Debug)]
pub(crate) struct Surveyor {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    /// Where surveys remember what they saw.
    pub(crate) cache: Option<PathBuf>,
    /// How many words a summary may have.
    pub(crate) summary_words: usize,
    /// The name of the feature, if it has one.
    pub(crate) feature: Option<String>,
    /// The date that drafts carry.
    pub(crate) today: String,
}

impl Embedded for Surveyor {
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>> {
        let request = reads.get("request.md").map(String::as_str).unwrap_or_default();
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

/// The files of a specification lie elsewhere, but drafts know them by their names.
fn by_file_name(reads: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let name = |name: &String| name.strip_prefix("specs/").unwrap_or(name).to_owned();
    reads.iter().map(|(read, text)| (name(read), text.clone())).collect()
}

impl Surveyor {
    /// The survey that the run has made, or else one made now.
    fn survey(&self, request: &str, reads: &BTreeMap<String, String>) -> Result<Survey, String> {
        if let Some(made) = reads.get("survey.json").and_then(|text| serde_json::from_str(text).ok()) {
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
