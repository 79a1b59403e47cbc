//! `charrette resume`: resumes a run that stopped, was interrupted or waits for answers.

use crate::commands::checkpoint::CommandName;
use crate::drive::{self, DriveOptions};
use crate::input;
use crate::invocation::Invocation;
use crate::trusted_site;
use charrette_app::{AppError, deleted_run, run_lookup, start};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Resume a run: only missing and outdated steps are executed
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Name of the feature [default: the most recently changed run]
    feature: Option<String>,
    /// Command of the run, if the feature has several runs
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// Rebuild the state document from its history first, if it was deleted
    #[arg(long)]
    rebuild: bool,
    /// File with answers to open questions, YAML or JSON; `-` for standard input
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
}

pub(crate) fn resume(invocation: &Invocation, args: &ResumeArgs) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    let command = args.command.map(|command| command.0);
    let name = if args.rebuild {
        let deleted = deleted_run::find(&site, args.feature.as_deref(), command)?;
        deleted_run::rebuild(&site, &deleted)?;
        deleted
    } else {
        run_lookup::find_run(&site, args.feature.as_deref(), command)?
    };
    let answers = input::read_answers_for(start::flow_for(&site, &name)?, args.answers.as_deref())?;
    let opened = start::reopen_in_checkout(&site, &name)?;
    drive::drive_to_exit(invocation, &site, opened, DriveOptions { answers, ..DriveOptions::default() })
}
