//! `charrette handoff`: validates handoff messages against the protocol.

use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::handoff::{check_request, check_response, check_text};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Validate the handoff messages exchanged with an agent
#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    #[command(subcommand)]
    command: HandoffCommand,
}

#[derive(Debug, Subcommand)]
enum HandoffCommand {
    /// Print {valid, errors, warnings}; exit 0 if valid, 1 if not
    Check {
        /// Kind of the message
        message: Message,
        /// File with the message as JSON [default: standard input]
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Message {
    /// Message to an agent
    Request,
    /// Reply of an agent
    Response,
}

pub(crate) fn handoff(invocation: &Invocation, args: &HandoffArgs) -> Result<ExitCode, AppError> {
    let HandoffCommand::Check { message, file } = &args.command;
    let text = input::read_text(file.as_deref())?;
    let summary_words = invocation.plumbing_site()?.settings.summary_words();
    let report = match message {
        Message::Request => check_text(&text, check_request, summary_words),
        Message::Response => check_text(&text, check_response, summary_words),
    };
    output::print_json(&report)?;
    Ok(if report.valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
