//! `charrette resume`: go on with a run, whatever stopped it.

use crate::commands::checkpoint::CommandName;
use crate::driving::{self, Driving};
use crate::here::Here;
use crate::input;
use charrette_app::{AppError, start, which};
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

pub(crate) fn resume(here: &Here, args: &ResumeArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, args.feature.as_deref(), args.command.map(|command| command.0))?;
    let answers = args.answers.as_deref().map(input::answers).transpose()?.unwrap_or_default();
    let opened = start::reopen(&site, &name)?;
    driving::finish(here, &site, opened, Driving { answers, ..Driving::default() })
}
