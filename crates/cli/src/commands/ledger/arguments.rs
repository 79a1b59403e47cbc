//! Arguments of `charrette ledger` and dispatch to its subcommands.

use super::{cost, issue, rows};
use crate::commands::raw::RawArgs;
use crate::invocation::Invocation;
use charrette_app::AppError;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Show the cost of runs; write the timing, token and issue ledgers
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    /// Show tokens and cost of agent calls, by seat and by agent
    Cost {
        /// Name of a feature [default: all features]
        feature: Option<String>,
    },
    /// Record the start of a step or the duration of an agent task
    ///
    /// The ledger is a tab-separated file with 13 columns. Its path is --ledger, else `CHARRETTE_TIMING_LEDGER`, else
    /// timing-ledger.tsv in `IMPLEMENT_TMPDIR`, in the folder of `SESSION_ENV_PATH`, in `DESIGN_TMPDIR` or in
    /// `REVIEW_TMPDIR`, else a file for the current folder in the temporary folder. `CHARRETTE_TIMING_SKILL` is
    /// the skill column. Errors are printed as warnings; the exit code is always 0.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger time mark STEP\n       charrette ledger time record-vendor-task --vendor V --task-kind K --start-s S --end-s S --output FILE\n         [--exit-code N] [--status complete|signal|unknown]\n       charrette ledger time workflow-path HARD|SIMPLE\n       charrette ledger time dump"
    )]
    Time(RawArgs),
    /// Record the token usage reported by a vendor
    ///
    /// The ledger has one JSON object per line. Its path is --ledger, else `CHARRETTE_TOKEN_LEDGER`, else
    /// charrette-tokens-HASH.jsonl in `IMPLEMENT_TMPDIR`, in the folder of `SESSION_ENV_PATH` or in `DESIGN_TMPDIR`,
    /// where HASH is that of the session id: `CHARRETTE_TOKEN_SESSION_ID`, else the file session-id in
    /// `IMPLEMENT_TMPDIR`, else the current folder. Errors are printed as warnings; the exit code is always 0.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger tokens mark STEP\n       charrette ledger tokens record-vendor VENDOR [input=N] [output=N] [cache_read=N] [cache_create=N]\n         [total=N] [raw=LABEL]\n       charrette ledger tokens dump"
    )]
    Tokens(RawArgs),
    /// Append an entry to a log of execution issues, under the heading of its category
    ///
    /// Prints `APPENDED=true` and `LOG=FILE`, or `FAILED=true` and `ERROR=…`: exit 1 on a usage error, 2
    /// if the log cannot be written. Secrets in the entry are redacted. Categories: Pre-existing Code Issues, Tool
    /// Failures, Permission Prompts, External Reviewer Issues, CI Issues, Warnings, Q/A.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger issue --log FILE --category CATEGORY (--entry TEXT | --entry-file FILE)"
    )]
    Issue(RawArgs),
}

pub(crate) fn ledger(invocation: &Invocation, args: &LedgerArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        LedgerCommand::Cost { feature } => cost::cost(invocation, feature.as_deref()),
        LedgerCommand::Time(raw) => rows::time(invocation, &raw.words()),
        LedgerCommand::Tokens(raw) => rows::tokens(invocation, &raw.words()),
        LedgerCommand::Issue(raw) => issue::issue(invocation, &raw.words()),
    }
}
