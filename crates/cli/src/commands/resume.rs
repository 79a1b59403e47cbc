//! `charrette resume`: go on with a run, whatever stopped it.

use crate::arguments::Global;
use crate::commands::checkpoint::CommandName;
use crate::commands::which;
use crate::drive::{self, Extension};
use crate::error::CommandError;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a run: only what is missing or changed is done
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The feature; without it, the run that changed last
    feature: Option<String>,
    /// The run of this command, if the feature has several
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// Answers to open questions, YAML or JSON
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
}

pub(crate) fn resume(
    global: &Global,
    args: &ResumeArgs,
    extension: Extension,
) -> Result<ExitCode, CommandError> {
    let name = which::run(args.feature.as_deref(), args.command)?;
    drive::resume(global, extension, &name, args.answers.as_deref())
}
