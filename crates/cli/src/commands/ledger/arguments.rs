//! What can be typed after `charrette ledger`.

use super::{cost, issue, rows};
use crate::commands::raw::RawArgs;
use crate::here::Here;
use charrette_app::AppError;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Show what runs cost, and keep ledgers of times, tokens and issues
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
enum LedgerCommand {
    /// Show what the calls of agents used and cost, by seat and by agent
    Cost {
        /// Only the runs of this feature
        feature: Option<String>,
    },
    /// Record when a step began or how long a task of an agent took
    ///
    /// The ledger is a table with tabs and 13 columns. It is --ledger, else `CHARRETTE_TIMING_LEDGER`, else
    /// timing-ledger.tsv in `IMPLEMENT_TMPDIR`, in the folder of `SESSION_ENV_PATH`, in `DESIGN_TMPDIR` or in
    /// `REVIEW_TMPDIR`, else one for the current folder among the temporary files. `CHARRETTE_TIMING_SKILL` says
    /// whose times these are. What cannot be recorded is a warning; the exit code is always 0.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger time mark STEP\n       charrette ledger time record-vendor-task --vendor V --task-kind K --start-s S --end-s S --output FILE\n         [--exit-code N] [--status complete|signal|unknown]\n       charrette ledger time workflow-path HARD|SIMPLE\n       charrette ledger time dump"
    )]
    Time(RawArgs),
    /// Record how many tokens a vendor counted
    ///
    /// The ledger has one JSON object per line. It is --ledger, else `CHARRETTE_TOKEN_LEDGER`, else
    /// charrette-tokens-HASH.jsonl in `IMPLEMENT_TMPDIR`, in the folder of `SESSION_ENV_PATH` or in `DESIGN_TMPDIR`,
    /// with the hash of the session: `CHARRETTE_TOKEN_SESSION_ID`, else the file session-id in `IMPLEMENT_TMPDIR`,
    /// else the current folder. What cannot be recorded is a warning; the exit code is always 0.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger tokens mark STEP\n       charrette ledger tokens record-vendor VENDOR [input=N] [output=N] [cache_read=N] [cache_create=N]\n         [total=N] [raw=LABEL]\n       charrette ledger tokens dump"
    )]
    Tokens(RawArgs),
    /// Add an entry to a log of execution issues, under the heading of its category
    ///
    /// Prints `APPENDED=true` and `LOG=FILE`, or `FAILED=true` and `ERROR=…`: exit 1 if something was typed wrongly, 2
    /// if it could not be written. Secrets in the entry are taken out. Categories: Pre-existing Code Issues, Tool
    /// Failures, Permission Prompts, External Reviewer Issues, CI Issues, Warnings, Q/A.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette ledger issue --log FILE --category CATEGORY (--entry TEXT | --entry-file FILE)"
    )]
    Issue(RawArgs),
}

pub(crate) fn ledger(here: &Here, args: &LedgerArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        LedgerCommand::Cost { feature } => cost::cost(here, feature.as_deref()),
        LedgerCommand::Time(typed) => rows::time(here, &typed.words()),
        LedgerCommand::Tokens(typed) => rows::tokens(here, &typed.words()),
        LedgerCommand::Issue(typed) => issue::issue(here, &typed.words()),
    }
}
