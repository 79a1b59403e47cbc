//! `charrette session-env`: single values of the files that travel between nested runs.

use crate::{input, output};
use charrette_app::AppError;
use charrette_model::session::get::{self, Request};
use clap::{Args, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// Read the KEY=VALUE file that a calling run hands over
#[derive(Debug, Args)]
pub(crate) struct SessionEnvArgs {
    #[command(subcommand)]
    command: SessionEnvCommand,
}

#[derive(Debug, Subcommand)]
enum SessionEnvCommand {
    /// Print the first value of a key; an empty line if it has none
    Get {
        /// The file. It is read, never run
        #[arg(long)]
        file: Option<OsString>,
        /// The key
        #[arg(long)]
        key: Option<String>,
        /// What to print if the file cannot be read or the key has no value
        #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
        default: Option<String>,
    },
}

pub(crate) fn session_env(args: &SessionEnvArgs) -> Result<ExitCode, AppError> {
    let SessionEnvCommand::Get { file, key, default } = &args.command;
    let text = file.as_deref().and_then(read);
    let name = file.as_deref().map(OsStr::to_string_lossy);
    let request = Request { file: name.as_deref(), key: key.as_deref(), default: default.as_deref() };
    output::answer(&get::answer(request, text.as_deref()))
}

fn read(file: &OsStr) -> Option<String> {
    if file.is_empty() {
        return None;
    }
    input::text(Some(Path::new(file))).ok()
}
