//! `charrette verify`: the commands that verify a change.

use super::verify_init::{VerifyInitArgs, init};
use super::verify_run::{VerifyRunArgs, run};
use crate::invocation::Invocation;
use charrette_app::AppError;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Set up and run the commands that verify a change
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(subcommand)]
    command: VerifyCommand,
}

#[derive(Debug, Subcommand)]
enum VerifyCommand {
    Init(VerifyInitArgs),
    Run(VerifyRunArgs),
}

pub(crate) fn verify(invocation: &Invocation, args: &VerifyArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        VerifyCommand::Init(args) => init(invocation, args),
        VerifyCommand::Run(args) => run(invocation, args),
    }
}
