//! `charrette init`: installs hooks into the clients of this repository or of the user, and removes them.

use crate::invocation::Invocation;
use crate::{output, progress};
use charrette_app::init::{InitOptions, InitPlan, apply, check_problems, plan};
use charrette_app::{AppError, ErrorKind, Site};
use charrette_hosts::{Change, Client, FileChange, diff};
use charrette_model::escape::one_line;
use charrette_term::{Confirmation, confirm_changes};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Install hooks into Claude Code, Codex, Gemini CLI, Cursor and opencode
///
/// While a run is driven in a repository, the hooks keep sessions of these clients from switching its branch and from
/// writing into its files. The changes are shown first, and all of them are made or none. docs/init.md has the details.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct InitArgs {
    /// Install for all repositories, in your own configuration of the clients
    #[arg(long)]
    user: bool,
    /// Only this client; may be repeated [default: all that are found]
    #[arg(long, value_name = "NAME", value_parser = client_parser())]
    client: Vec<Client>,
    /// Take out what init has put in
    #[arg(long)]
    remove: bool,
    /// Show the changes and make none
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Make no changes; exit 1 if something is missing or different
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "remove"])]
    check: bool,
    /// Make the changes without asking
    #[arg(long, short = 'y')]
    yes: bool,
}

fn client_parser() -> impl clap::builder::TypedValueParser<Value = Client> {
    let names: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
    PossibleValuesParser::new(names)
        .try_map(|name| Client::parse(&name).ok_or_else(|| format!("no client is called {name}")))
}

pub(crate) fn init(invocation: &Invocation, args: &InitArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let options = InitOptions { user: args.user, clients: args.client.clone(), remove: args.remove };
    let init = plan(&site, &options)?;
    if args.check {
        return check(invocation, &site, &init, &typed(args));
    }
    check_problems(&init)?;
    if init.plan.changes.is_empty() {
        report(invocation, &site, &init, Outcome::Unchanged)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !invocation.json {
        output::print_line(&changes(&site, &init))?;
    }
    if args.dry_run {
        report(invocation, &site, &init, Outcome::Shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        let Some(terminal) = progress::terminal(invocation, &output::stdout_screen()) else {
            let word = typed(args);
            return Err(AppError::new(
                ErrorKind::Refused,
                "there is no terminal to ask at; nothing was changed",
            )
            .hint(format!("Make the changes: {word} --yes; only look: {word} --dry-run")));
        };
        match confirm_changes(&terminal, "Make these changes?") {
            Confirmation::Run => {}
            Confirmation::Cancel => {
                output::print_line("Cancelled. Nothing was changed.")?;
                return Ok(ExitCode::SUCCESS);
            }
            Confirmation::Interrupted => return Ok(ExitCode::from(130)),
        }
    }
    apply(&site, &init)?;
    report(invocation, &site, &init, Outcome::Applied)?;
    Ok(ExitCode::SUCCESS)
}

/// The command as it was typed.
fn typed(args: &InitArgs) -> String {
    let mut words = vec!["charrette init"];
    words.extend(args.user.then_some("--user"));
    words.extend(args.client.iter().flat_map(|client| ["--client", client.name()]));
    words.extend(args.remove.then_some("--remove"));
    words.join(" ")
}

/// Result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Unchanged,
    Shown,
    Applied,
}

fn report(invocation: &Invocation, site: &Site, init: &InitPlan, outcome: Outcome) -> Result<(), AppError> {
    let steps = if outcome == Outcome::Shown { Vec::new() } else { init.remaining_steps() };
    if invocation.json {
        let files: Vec<Value> = init.plan.changes.iter().map(|change| change_json(site, change)).collect();
        let clients: Vec<&str> = init.clients.iter().map(|client| client.name()).collect();
        let applied = outcome == Outcome::Applied;
        return output::print_json(
            &json!({"clients": clients, "applied": applied, "changes": files, "next": steps}),
        );
    }
    let labels: Vec<&str> = init.clients.iter().map(|client| client.label()).collect();
    let labels = labels.join(", ");
    let removes = init.options.remove;
    output::print_line(&match outcome {
        Outcome::Unchanged if removes => {
            "Nothing of charrette is installed here. Nothing was changed.".to_owned()
        }
        Outcome::Unchanged => format!("Up to date: {labels}. Nothing was changed."),
        Outcome::Shown => "Dry run complete. No changes made.".to_owned(),
        Outcome::Applied if removes && labels.is_empty() => "Removed.".to_owned(),
        Outcome::Applied if removes => format!("Removed from {labels}."),
        Outcome::Applied => format!("Installed for {labels}."),
    })?;
    if outcome == Outcome::Applied
        || (outcome == Outcome::Unchanged && init.hook_program.is_none() && !removes)
    {
        for step in steps {
            output::print_line(&format!("  -> {step}"))?;
        }
    }
    Ok(())
}

/// `--check`: everything that is missing or different.
fn check(invocation: &Invocation, site: &Site, init: &InitPlan, typed: &str) -> Result<ExitCode, AppError> {
    let mut lines = Vec::new();
    for problem in &init.plan.problems {
        lines.push(problem.to_string());
    }
    for change in &init.plan.changes {
        let path = site.relative(&change.path).display().to_string();
        lines.extend(change.reasons.iter().map(|reason| format!("{path}: {reason}")));
    }
    if init.hook_program.is_none() {
        lines.push(format!("{} is not on PATH", charrette_hosts::HOOK_PROGRAM));
    }
    let is_complete = lines.is_empty();
    if invocation.json {
        output::print_json(&json!({"complete": is_complete, "differences": lines}))?;
    } else if is_complete {
        output::print_line("All hooks are installed.")?;
    } else {
        for line in &lines {
            output::print_line(&one_line(line))?;
        }
        output::log(&format!("hint: To install what is missing: {typed}"));
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn change_json(site: &Site, change: &FileChange) -> Value {
    json!({
        "path": site.relative(&change.path),
        "written": change.target,
        "change": word(change),
        "reasons": change.reasons,
        "diff": diff(change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default()),
    })
}

fn word(change: &FileChange) -> &'static str {
    match change.kind() {
        Change::Create => "create",
        Change::Edit => "edit",
        Change::Delete => "delete",
    }
}

/// All changes as text: edits as a diff; of files that belong to charrette only their size.
fn changes(site: &Site, init: &InitPlan) -> String {
    let mut text = String::new();
    for change in &init.plan.changes {
        let path = site.relative(&change.path).display().to_string();
        let _ = writeln!(text, "{} {}", word(change), one_line(&path));
        if change.is_linked() {
            let _ = writeln!(text, "  a link: {} is written", one_line(&change.target.display().to_string()));
        }
        let before = change.before.as_deref().unwrap_or_default();
        let after = change.after.as_deref().unwrap_or_default();
        if change.is_owned && change.kind() != Change::Edit {
            let content = if change.kind() == Change::Create { after } else { before };
            let _ =
                writeln!(text, "  {} lines, all of them written by charrette init", content.lines().count());
            continue;
        }
        for line in diff(before, after).lines() {
            let _ = writeln!(text, "  {}", shown(line));
        }
    }
    text.trim_end().to_owned()
}

/// A line of a file for the terminal: tabs stay, other control characters are escaped.
fn shown(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.split('\t').map(one_line).collect::<Vec<_>>().join("\t")
}
