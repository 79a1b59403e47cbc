//! `charrette decisions`: contested decisions, as a synthesis names them.

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
        /// The decisions; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
}

pub(crate) fn decisions(args: &DecisionsArgs) -> Result<ExitCode, AppError> {
    let DecisionsCommand::Check { file } = &args.command;
    let found = read_decisions(&input::tolerant_text(file.as_deref())?);
    output::json(&found)?;
    Ok(if found.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
