//! `charrette verify init`: proposes the commands that verify a change.

use super::file_changes;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::verify_init::{VerifyProposal, apply, propose};
use charrette_app::{AppError, ErrorKind, Site};
use charrette_model::escape::printable;
use charrette_term::Confirmation;
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Propose verify commands and write them into charrette.toml
///
/// Commands found in pipelines, scripts, targets and manifests of this repository become the section [verify]: setup,
/// build, lint, types, test, fast and `test_one`. The change is shown first. Comments and everything else in the file stay.
/// Commands that are set already are left alone, unless --force is given.
#[derive(Debug, Args)]
pub(super) struct VerifyInitArgs {
    /// Replace commands that are set, and add those that are missing
    #[arg(long)]
    force: bool,
    /// Show the change and make none
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Make the change without asking
    #[arg(long, short = 'y')]
    yes: bool,
}

pub(super) fn init(invocation: &Invocation, args: &VerifyInitArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let proposal = propose(&site, args.force)?;
    let typed = if args.force { "charrette verify init --force" } else { "charrette verify init" };
    let Some(change) = &proposal.change else {
        if proposal.conflicts.is_empty() {
            let line = match proposal.missing.as_slice() {
                [] => "Up to date: the commands are set. Nothing was changed.".to_owned(),
                missing => format!(
                    "[verify] is set without {}. Nothing was changed; to add what is missing: charrette verify init --force",
                    missing.join(", ")
                ),
            };
            report(invocation, &site, &proposal, false, &line)?;
            return Ok(ExitCode::SUCCESS);
        }
        return Err(set_already(&proposal));
    };
    if !invocation.json {
        output::print_line(&file_changes::render(&site, [change]))?;
    }
    if args.dry_run {
        report(invocation, &site, &proposal, false, "Dry run complete. No changes made.")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        match file_changes::ask(invocation, typed)? {
            Confirmation::Run => {}
            Confirmation::Cancel => return Ok(ExitCode::SUCCESS),
            Confirmation::Interrupted => return Ok(ExitCode::from(130)),
        }
    }
    apply(change)?;
    report(invocation, &site, &proposal, true, "Written to charrette.toml.")?;
    Ok(ExitCode::SUCCESS)
}

/// The refusal to replace commands, with all that differ.
fn set_already(proposal: &VerifyProposal) -> AppError {
    let mut error = AppError::new(
        ErrorKind::Refused,
        "charrette.toml has other commands in [verify]; nothing was changed",
    );
    for conflict in &proposal.conflicts {
        error = error.more(format!(
            "{} is {}; proposed: {}",
            conflict.name,
            printable(&conflict.set),
            printable(&conflict.proposed)
        ));
    }
    error.hint("Take the proposed ones: charrette verify init --force; look first: charrette verify init --force --dry-run")
}

fn report(
    invocation: &Invocation,
    site: &Site,
    proposal: &VerifyProposal,
    applied: bool,
    line: &str,
) -> Result<(), AppError> {
    if invocation.json {
        let change = proposal.change.as_ref().map(|change| file_changes::to_json(site, change));
        let conflicts: Vec<Value> = proposal
            .conflicts
            .iter()
            .map(
                |conflict| json!({"name": conflict.name, "set": conflict.set, "proposed": conflict.proposed}),
            )
            .collect();
        return output::print_json(&json!({
            "commands": proposal.commands,
            "applied": applied,
            "change": change,
            "differing": conflicts,
            "missing": proposal.missing,
        }));
    }
    output::print_line(line)?;
    if applied {
        for step in proposal.remaining_steps() {
            output::print_line(&format!("  -> {step}"))?;
        }
    }
    Ok(())
}
