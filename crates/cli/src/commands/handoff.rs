//! `charrette handoff`: is this message what the protocol says?

use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::handoff::{check_request, check_response, check_text};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Check the messages that go to an agent and come back
#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    #[command(subcommand)]
    command: HandoffCommand,
}

#[derive(Debug, Subcommand)]
enum HandoffCommand {
    /// Print {valid, errors, warnings}; exit 0 if valid, 1 if not
    Check {
        /// Which message it is
        message: Message,
        /// The message as JSON; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Message {
    /// What an agent is asked
    Request,
    /// What an agent answers
    Response,
}

pub(crate) fn handoff(here: &Here, args: &HandoffArgs) -> Result<ExitCode, AppError> {
    let HandoffCommand::Check { message, file } = &args.command;
    let text = input::text(file.as_deref())?;
    let summary_words = here.site()?.settings.summary_words();
    let report = match message {
        Message::Request => check_text(&text, check_request, summary_words),
        Message::Response => check_text(&text, check_response, summary_words),
    };
    output::json(&report)?;
    Ok(if report.valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
