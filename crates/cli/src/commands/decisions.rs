//! `charrette decisions`: parses the contested decisions of a synthesis.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::decisions::read_decisions;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Check contested decisions
#[derive(Debug, Args)]
pub(crate) struct DecisionsArgs {
    #[command(subcommand)]
    command: DecisionsCommand,
}

#[derive(Debug, Subcommand)]
enum DecisionsCommand {
    /// Print {contested, errors}; exit 0 if there are no errors, 1 otherwise
    Check {
        /// File with the decisions [default: standard input]
        file: Option<PathBuf>,
    },
}

pub(crate) fn decisions(args: &DecisionsArgs) -> Result<ExitCode, AppError> {
    let DecisionsCommand::Check { file } = &args.command;
    let decisions = read_decisions(&input::read_text_lossy(file.as_deref())?);
    output::print_json(&decisions)?;
    Ok(if decisions.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
