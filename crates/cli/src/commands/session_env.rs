//! `charrette session-env`: reads values of session files, which nested runs exchange.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::session::get::{self, SessionGetRequest};
use clap::{Args, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// Read values of a session file (KEY=VALUE lines)
#[derive(Debug, Args)]
pub(crate) struct SessionEnvArgs {
    #[command(subcommand)]
    command: SessionEnvCommand,
}

#[derive(Debug, Subcommand)]
enum SessionEnvCommand {
    /// Print the first value of a key, or an empty line
    Get {
        /// Session file; parsed, never executed
        #[arg(long)]
        file: Option<OsString>,
        /// Name of the key
        #[arg(long)]
        key: Option<String>,
        /// Value to print if the file is unreadable or the key has no value
        #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
        default: Option<String>,
    },
}

pub(crate) fn session_env(args: &SessionEnvArgs) -> Result<ExitCode, AppError> {
    let SessionEnvCommand::Get { file, key, default } = &args.command;
    let text = file.as_deref().and_then(read);
    let name = file.as_deref().map(OsStr::to_string_lossy);
    let request =
        SessionGetRequest { file: name.as_deref(), key: key.as_deref(), default: default.as_deref() };
    output::print_answer(&get::answer(request, text.as_deref()))
}

fn read(file: &OsStr) -> Option<String> {
    if file.is_empty() {
        return None;
    }
    input::read_text(Some(Path::new(file))).ok()
}
