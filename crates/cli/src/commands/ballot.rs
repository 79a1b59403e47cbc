//! `charrette ballot`: builds the ballot of a debate and tallies the judges' votes.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::dialectic::{build_ballot, tally_judges};
use charrette_model::panel::quotes::no_quotes;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Build the ballot of a debate, or tally the votes of its judges
#[derive(Debug, Args)]
pub(crate) struct BallotArgs {
    #[command(subcommand)]
    command: BallotCommand,
}

#[derive(Debug, Subcommand)]
enum BallotCommand {
    #[command(
        about = "Build a ballot: read {decisions: [{n, title, chosen, alternative, thesis, antithesis}]} from standard input, print {ballot, positions, off_ballot}"
    )]
    Build,
    /// Tally votes: read {decisions: [{n: N}], judges: [{name, status, text}]} from standard input, print {decisions, warnings}
    Tally,
}

pub(crate) fn ballot(args: &BallotArgs) -> Result<ExitCode, AppError> {
    match args.command {
        BallotCommand::Build => output::print_json(&build_ballot(&input::read_json()?, &no_quotes))?,
        BallotCommand::Tally => output::print_json(&tally_judges(&input::read_json()?))?,
    }
    Ok(ExitCode::SUCCESS)
}
