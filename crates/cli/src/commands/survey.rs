//! `charrette survey`: ranks files, tests and risks for a feature, without a model.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_survey::render::render_survey;
use charrette_survey::{SurveyOptions, survey as survey_repository};
use clap::Args;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Show which files, tests and risks a feature touches, and why
///
/// Ranks the files of this repository by words, names, definitions and history, and lists their tests, risks and
/// similar earlier changes. Calls no agent and changes no file.
#[derive(Debug, Args)]
pub(crate) struct SurveyArgs {
    /// Description of the feature, in your own words
    #[arg(value_name = "FEATURE")]
    feature: String,
    /// Number of files to list
    #[arg(long, value_name = "N", default_value = "10")]
    top: NonZeroUsize,
}

pub(crate) fn survey(invocation: &Invocation, args: &SurveyArgs) -> Result<ExitCode, AppError> {
    if args.feature.trim().is_empty() {
        return Err(AppError::usage("the feature description is empty")
            .hint("Describe the feature, for example: charrette survey \"retry failed uploads\""));
    }
    let site = invocation.site()?;
    let cache = invocation.environment.user_state_folder().map(|folder| folder.join("survey"));
    let sources = invocation.environment.source_roots();
    let options = SurveyOptions {
        root: &site.root,
        request: &args.feature,
        top: args.top.get(),
        cache: cache.as_deref(),
        sources: Some(&sources),
    };
    let survey = survey_repository(options).map_err(AppError::failed)?;
    if invocation.json {
        output::print_json(&survey)?;
    } else {
        output::print_line(&render_survey(&survey, COLUMNS))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Width of the page.
const COLUMNS: usize = 100;
