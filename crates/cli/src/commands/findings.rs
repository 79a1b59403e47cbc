//! `charrette findings`: what reviewers found, and what the vote on it adds up to.

use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::votes::tally_votes;
use charrette_model::shown::shown;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Read what a reviewer found, or count the votes on it
#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    #[command(subcommand)]
    command: FindingsCommand,
}

#[derive(Debug, Subcommand)]
enum FindingsCommand {
    /// Print {status, findings, errors}
    Parse {
        /// Who wrote them
        #[arg(long, value_name = "LABEL")]
        reviewer: String,
        /// The review; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
    /// From {items: [{id, proposers}], voters: [{name, agent, status, text}]} on standard input, print {items, scoreboard, warnings}
    Tally,
}

pub(crate) fn findings(here: &Here, args: &FindingsArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        FindingsCommand::Parse { reviewer, file } => {
            let text = input::tolerant_text(file.as_deref())?;
            let found = read_findings(&text);
            if found.status == FindingsStatus::Invalid {
                output::note(here, &format!("{}: neither findings nor NO_ISSUES_FOUND", shown(reviewer)));
            }
            output::json(&found)?;
        }
        FindingsCommand::Tally => output::json(&tally_votes(&input::json()?))?,
    }
    Ok(ExitCode::SUCCESS)
}
