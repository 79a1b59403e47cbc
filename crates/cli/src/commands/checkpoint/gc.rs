//! `charrette checkpoint gc`: archives old runs, removes old archives and stale files.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::{AppError, garbage};
use charrette_store::gc::Retention;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct GcArgs {
    /// Print the actions without executing them
    #[arg(long)]
    dry_run: bool,
    /// Archive runs completed more than this many days ago
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    completed_after: u32,
    /// Remove archives older than this many days
    #[arg(long, value_name = "DAYS", default_value_t = 180)]
    archives_after: u32,
}

pub(super) fn gc(invocation: &Invocation, args: &GcArgs) -> Result<ExitCode, AppError> {
    let site = invocation.plumbing_site()?;
    let keep = Retention { completed_days: args.completed_after, archive_days: args.archives_after };
    let done = garbage::collect(&site, keep, args.dry_run)?;
    output::print_json(&json!({"dry_run": args.dry_run, "done": done}))?;
    Ok(ExitCode::SUCCESS)
}
