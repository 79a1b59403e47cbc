//! `charrette ballot`: what the judges of a debate get to see, and what they decide.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::dialectic::{build_ballot, tally_judges};
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Build the ballot of a debate, or count what its judges say
#[derive(Debug, Args)]
pub(crate) struct BallotArgs {
    #[command(subcommand)]
    command: BallotCommand,
}

#[derive(Debug, Subcommand)]
enum BallotCommand {
    /// From {decisions: [{n, title, chosen, alternative, thesis, antithesis}]} on standard input, print {ballot, positions, `off_ballot`}
    Build,
    /// From {decisions: [{n}], judges: [{name, status, text}]} on standard input, print {decisions, warnings}
    Tally,
}

pub(crate) fn ballot(args: &BallotArgs) -> Result<ExitCode, AppError> {
    match args.command {
        BallotCommand::Build => output::json(&build_ballot(&input::json()?))?,
        BallotCommand::Tally => output::json(&tally_judges(&input::json()?))?,
    }
    Ok(ExitCode::SUCCESS)
}
