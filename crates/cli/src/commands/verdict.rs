//! `charrette verdict`: parses the verdict of a review.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::verdict::read_verdict;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the verdict of a review
///
/// Prints JSON: {verdict, line, findings}. Exit 0 if the review has a verdict, 1 otherwise.
#[derive(Debug, Args)]
pub(crate) struct VerdictArgs {
    /// Allowed verdicts, comma-separated, e.g. APPROVE,REVISE
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    set: Vec<String>,
    /// File with the review [default: standard input]
    file: Option<PathBuf>,
}

pub(crate) fn verdict(args: &VerdictArgs) -> Result<ExitCode, AppError> {
    let set: Vec<&str> = args.set.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    if set.is_empty() {
        return Err(AppError::usage("--set has no verdicts").hint("For example: --set APPROVE,REVISE"));
    }
    let review = read_verdict(&input::read_text_lossy(args.file.as_deref())?, &set);
    output::print_json(&review)?;
    Ok(if review.verdict.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
