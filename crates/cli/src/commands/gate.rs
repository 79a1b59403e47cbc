//! `charrette gate`: may a run begin here?

use crate::commands::raw::RawArgs;
use crate::output;
use charrette_app::AppError;
use charrette_model::gate::entry;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Decide whether a run may begin
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    /// Print whether a run may continue from the current branch or must start from a clean main
    ///
    /// The answer is `ENTRY_GATE=strict|continue` and `SKIP_BRANCH_CHECK=false|true`. A question that cannot be
    /// answered is one line `GATE_ERROR=…` on standard error and exit 4. The branch may be empty (detached);
    /// the last flag only goes with design.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette gate entry --mode design|implement --current-branch BRANCH --user-prefix PREFIX\n         --is-main true|false --is-user-branch true|false [--branch-info-supplied true|false]"
    )]
    Entry(RawArgs),
}

pub(crate) fn gate(args: &GateArgs) -> Result<ExitCode, AppError> {
    let GateCommand::Entry(typed) = &args.command;
    output::answer(&entry::answer(&typed.words()))
}
