//! `charrette gate`: entry gate of a run.

use crate::commands::raw::RawArgs;
use crate::output;
use charrette_app::AppError;
use charrette_model::gate::entry;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Decide whether a run may start on the current branch
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    /// Print whether a run may continue on the current branch or must start from a clean main branch
    ///
    /// Prints `ENTRY_GATE=strict|continue` and `SKIP_BRANCH_CHECK=false|true`. A usage error is one line `GATE_ERROR=…`
    /// on standard error and exit 4. BRANCH may be empty (detached HEAD). --branch-info-supplied is allowed with mode
    /// design only.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette gate entry --mode design|implement --current-branch BRANCH --user-prefix PREFIX\n         --is-main true|false --is-user-branch true|false [--branch-info-supplied true|false]"
    )]
    Entry(RawArgs),
}

pub(crate) fn gate(args: &GateArgs) -> Result<ExitCode, AppError> {
    let GateCommand::Entry(raw) = &args.command;
    output::print_answer(&entry::answer(&raw.words()))
}
