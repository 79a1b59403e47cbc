//! `charrette verdict`: the one word a review ends in.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::verdict::read_review;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the verdict of a review
///
/// As JSON: {verdict, line, findings}. Exit 0 if there is one, 1 if not.
#[derive(Debug, Args)]
pub(crate) struct VerdictArgs {
    /// The words a verdict can be
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    set: Vec<String>,
    /// The review; standard input for `-` or nothing
    file: Option<PathBuf>,
}

pub(crate) fn verdict(args: &VerdictArgs) -> Result<ExitCode, AppError> {
    let set: Vec<&str> = args.set.iter().map(|word| word.trim()).filter(|word| !word.is_empty()).collect();
    if set.is_empty() {
        return Err(AppError::usage("--set names no word a verdict could be"));
    }
    let review = read_review(&input::tolerant_text(args.file.as_deref())?, &set);
    output::json(&review)?;
    Ok(if review.verdict.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
