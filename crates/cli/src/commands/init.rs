//! `charrette init`: installs hooks, the MCP server and skills into the clients of this repository or of the user, and
//! removes them.

use super::file_changes;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::init::{InitOptions, InitPlan, apply, check_problems, plan};
use charrette_app::{AppError, Site};
use charrette_hosts::{Client, Part};
use charrette_model::escape::one_line;
use charrette_term::Confirmation;
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Install hooks, MCP server and skills into Claude Code, Codex, Gemini CLI, Cursor and opencode
///
/// While a run is driven in a repository, the hooks keep sessions of these clients from switching its branch and from
/// writing into its files. With the server and the skills a session starts, follows and answers runs. What the plug-in
/// brings to a client is not installed there a second time. The changes are shown first, and all of them are made or
/// none. docs/init.md has the details.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct InitArgs {
    /// Install for all repositories, in your own configuration of the clients
    #[arg(long)]
    user: bool,
    /// Only this client; may be repeated [default: all that are found]
    #[arg(long, value_name = "NAME", value_parser = client_parser())]
    client: Vec<Client>,
    /// Only these parts, separated by commas [default: all]
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = part_parser())]
    only: Vec<Part>,
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

fn part_parser() -> impl clap::builder::TypedValueParser<Value = Part> {
    let names: Vec<&str> = Part::ALL.iter().map(|part| part.name()).collect();
    PossibleValuesParser::new(names)
        .try_map(|name| Part::parse(&name).ok_or_else(|| format!("no part is called {name}")))
}

pub(crate) fn init(invocation: &Invocation, args: &InitArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let options = InitOptions {
        user: args.user,
        clients: args.client.clone(),
        parts: args.only.clone(),
        remove: args.remove,
    };
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
        output::print_line(&file_changes::render(&site, &init.plan.changes))?;
    }
    if args.dry_run {
        report(invocation, &site, &init, Outcome::Shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        match file_changes::ask(invocation, &typed(args))? {
            Confirmation::Run => {}
            Confirmation::Cancel => return Ok(ExitCode::SUCCESS),
            Confirmation::Interrupted => return Ok(ExitCode::from(130)),
        }
    }
    apply(&site, &init)?;
    report(invocation, &site, &init, Outcome::Applied)?;
    Ok(ExitCode::SUCCESS)
}

/// The command as it was typed.
fn typed(args: &InitArgs) -> String {
    let parts: Vec<&str> = args.only.iter().map(|part| part.name()).collect();
    let parts = parts.join(",");
    let mut words = vec!["charrette init"];
    words.extend(args.user.then_some("--user"));
    words.extend(args.client.iter().flat_map(|client| ["--client", client.name()]));
    words.extend((!parts.is_empty()).then_some(["--only", &parts]).into_iter().flatten());
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
        let files: Vec<Value> =
            init.plan.changes.iter().map(|change| file_changes::to_json(site, change)).collect();
        let clients: Vec<&str> = init.clients.iter().map(|client| client.name()).collect();
        let applied = outcome == Outcome::Applied;
        return output::print_json(
            &json!({"clients": clients, "applied": applied, "changes": files, "notes": init.notes(), "next": steps}),
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
    for note in init.notes() {
        output::print_line(&note)?;
    }
    if outcome == Outcome::Applied
        || (outcome == Outcome::Unchanged && !init.missing_programs.is_empty() && !removes)
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
    lines.extend(init.missing_programs.iter().map(|program| format!("{program} is not on PATH")));
    let is_complete = lines.is_empty();
    if invocation.json {
        output::print_json(&json!({"complete": is_complete, "differences": lines, "notes": init.notes()}))?;
        return Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    for note in init.notes() {
        output::print_line(&note)?;
    }
    if is_complete {
        output::print_line("Everything is installed.")?;
    } else {
        for line in &lines {
            output::print_line(&one_line(line))?;
        }
        output::log(&format!("hint: To install what is missing: {typed}"));
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
