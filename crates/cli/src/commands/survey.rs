//! `charrette survey`: what the repository says about a feature, without any model.

use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_survey::page::page;
use charrette_survey::{Ask, survey as look};
use clap::Args;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Show which files, tests and risks a feature touches, and why
///
/// Ranks the files of this repository by their words, names, definitions and history, and says what tests them, what
/// looks risky there and what changed like this before. No agent is asked and nothing is changed.
#[derive(Debug, Args)]
pub(crate) struct SurveyArgs {
    /// The feature, in your own words
    #[arg(value_name = "FEATURE")]
    feature: String,
    /// How many files to name
    #[arg(long, value_name = "N", default_value = "10")]
    top: NonZeroUsize,
}

pub(crate) fn survey(here: &Here, args: &SurveyArgs) -> Result<ExitCode, AppError> {
    if args.feature.trim().is_empty() {
        return Err(AppError::usage("the feature is empty")
            .hint("Say what you want: charrette survey \"retry failed uploads\""));
    }
    let site = here.site()?;
    let cache = here.environment.user_state_folder().map(|folder| folder.join("survey"));
    let ask = Ask { root: &site.root, request: &args.feature, top: args.top.get(), cache: cache.as_deref() };
    let survey = look(ask).map_err(AppError::failed)?;
    if here.json {
        output::json(&survey)?;
    } else {
        output::line(&page(&survey, COLUMNS))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Wide enough for paths, narrow enough to read.
const COLUMNS: usize = 100;
