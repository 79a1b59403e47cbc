//! `charrette findings`: parses review findings and tallies the votes on them.

use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::escape::printable;
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::votes::tally_votes;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Parse the findings of a reviewer, or tally the votes on findings
#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    #[command(subcommand)]
    command: FindingsCommand,
}

#[derive(Debug, Subcommand)]
enum FindingsCommand {
    /// Parse a review and print {status, findings, errors}
    Parse {
        /// Label of the reviewer
        #[arg(long, value_name = "LABEL")]
        reviewer: String,
        /// File with the review [default: standard input]
        file: Option<PathBuf>,
    },
    /// Tally votes: read {items: [{id, proposers}], voters: [{name, agent, status, text}]} from standard input, print {items, scoreboard, warnings}
    Tally,
}

pub(crate) fn findings(invocation: &Invocation, args: &FindingsArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        FindingsCommand::Parse { reviewer, file } => {
            let text = input::read_text_lossy(file.as_deref())?;
            let findings = read_findings(&text);
            if findings.status == FindingsStatus::Invalid {
                output::note(
                    invocation,
                    &format!("{}: contains neither findings nor NO_ISSUES_FOUND", printable(reviewer)),
                );
            }
            output::print_json(&findings)?;
        }
        FindingsCommand::Tally => output::print_json(&tally_votes(&input::read_json()?))?,
    }
    Ok(ExitCode::SUCCESS)
}
