//! `charrette survey`: ranks files, tests and risks for a feature, without a model.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::survey::{render, survey as survey_site};
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
    let site = invocation.site()?;
    let survey = survey_site(&site, &args.feature, args.top.get())?;
    if invocation.json {
        output::print_json(&survey)?;
    } else {
        output::print_line(&render(&survey))?;
    }
    Ok(ExitCode::SUCCESS)
}
