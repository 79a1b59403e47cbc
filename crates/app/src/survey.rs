//! Surveys the repository for a feature, without a model.

use crate::error::AppError;
use crate::site::Site;
use charrette_survey::render::render_survey;
use charrette_survey::{Survey, SurveyOptions, survey as survey_repository};

/// Ranks the files of the repository for a feature, with their tests and risks. Calls no agent and changes no file.
pub fn survey(site: &Site, request: &str, top: usize) -> Result<Survey, AppError> {
    if request.trim().is_empty() {
        return Err(AppError::usage("the feature description is empty")
            .hint("Describe the feature, for example: charrette survey \"retry failed uploads\""));
    }
    let cache = site.environment.user_state_folder().map(|folder| folder.join("survey"));
    let sources = site.environment.source_roots();
    let options =
        SurveyOptions { root: &site.root, request, top, cache: cache.as_deref(), sources: Some(&sources) };
    survey_repository(options).map_err(AppError::failed)
}

/// Width of the page.
const COLUMNS: usize = 100;

/// The survey as a page.
pub fn render(survey: &Survey) -> String {
    render_survey(survey, COLUMNS)
}
