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
        let feature = feature(reads);
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

/// The name of the feature: what the run calls it (an input `feature`, or that member of its survey), else one made of
/// the request.
fn feature(reads: &BTreeMap<String, String>) -> String {
    let surveyed = || {
        let survey: serde_json::Value = serde_json::from_str(reads.get("survey.json")?).ok()?;
        survey.get("feature")?.as_str().map(str::to_owned)
    };
    let given = reads.get("feature").map(|name| name.trim().to_owned()).or_else(surveyed);
    let named = given.and_then(|name| FeaturePath::parse(&name).ok());
    let request = reads.get("request.md").map(String::as_str).unwrap_or_default();
    let named = named.or_else(|| FeaturePath::derive(request, |_| false).ok());
    named.map_or_else(|| "feature".to_owned(), |name| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_names_the_feature_and_the_request_only_if_it_does_not() {
        let reads = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        let request = ("request.md", "Add a burst allowance");
        for (all, expected) in [
            (
                vec![request, ("feature", "auth/bursts\n"), ("survey.json", "{\"feature\": \"x\"}")],
                "auth.bursts",
            ),
            (vec![request, ("survey.json", "{\"feature\": \"limits\"}")], "limits"),
            (vec![request, ("feature", "../up")], "add-a-burst-allowance"),
            (vec![request], "add-a-burst-allowance"),
            (vec![], "feature"),
        ] {
            assert_eq!(feature(&reads(&all)), expected, "{all:?}");
        }
    }
}
