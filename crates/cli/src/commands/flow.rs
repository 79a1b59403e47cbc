//! Commands generated from the flow registry: the arguments of each are built from its [`FlowSpec`], so that a flow
//! added to the registry gets a command.

use crate::arguments::Command as OwnCommand;
use crate::commands::preview::{self, PreviewDecision, PreviewOptions};
use crate::drive::{self, DriveOptions};
use crate::input;
use crate::invocation::Invocation;
use crate::trusted_site;
use charrette_app::entry_check::check_entry;
use charrette_app::start::{self, NewRun};
use charrette_app::start_plan::StartRequest;
use charrette_app::{App, AppError, Site};
use charrette_engine::{FlowSpec, OptionValue};
use clap::{Arg, ArgAction, ArgMatches, Command, Subcommand as _};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Flows without a command file, whose command is generated.
pub(crate) fn generated_flows(app: &App) -> impl Iterator<Item = &'static FlowSpec> {
    app.registry.all().filter(|flow| !OwnCommand::has_subcommand(flow.command.as_str()))
}

/// Builds the command of a flow.
pub(crate) fn flow_command(flow: &'static FlowSpec) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    let phases = flow.phases.join(" or ");
    let options = flow.options.iter().map(|option| match option.value {
        Some(value) => {
            Arg::new(option.name).long(option.name).value_name(value.placeholder()).help(option.about)
        }
        None => flag(option.name, option.about),
    });
    Command::new(flow.command.as_str())
        .about(flow.about)
        .long_about(format!("{}\n\n{}", flow.about, flow.help))
        .arg(
            Arg::new("request")
                .value_name(flow.argument)
                .num_args(0..)
                .help("What you want to know, in your own words and in quotes; or the name of an existing run; `-` reads it from standard input"),
        )
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .conflicts_with("request")
                .help("Read the description from a file"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("Name of the run [default: derived from the description]"),
        )
        .arg(
            Arg::new("phase")
                .long("phase")
                .value_name("PHASE")
                .help(format!("Run only this phase: {phases}")),
        )
        .arg(flag("resume", "Resume an existing run"))
        .arg(flag("fresh", "Start over: the phase given by --phase, otherwise the whole run"))
        .arg(flag("must-be-new", "Refuse an existing run instead of archiving it").hide(true))
        .arg(flag("dry-run", "Print the preview and exit"))
        .arg(flag("yes", "Run without confirmation").short('y'))
        .arg(
            Arg::new("answers")
                .long("answers")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("File with answers to the questions of the run, YAML or JSON; `-` for standard input"),
        )
        .args(options)
}

/// Finds the flow of a generated command, with its arguments.
pub(crate) fn find_flow<'a>(
    app: &App,
    matches: &'a ArgMatches,
) -> Option<(&'static FlowSpec, &'a ArgMatches)> {
    let (name, args) = matches.subcommand()?;
    generated_flows(app).find(|flow| flow.command.as_str() == name).map(|flow| (flow, args))
}

/// Runs the command of a flow.
pub(crate) fn run(
    invocation: &Invocation,
    flow: &'static FlowSpec,
    args: &ArgMatches,
) -> Result<ExitCode, AppError> {
    let text = |name: &str| args.get_one::<String>(name).cloned();
    let site = if args.get_flag("dry-run") { invocation.site()? } else { trusted_site::open(invocation)? };
    let words: Vec<String> = args.get_many("request").into_iter().flatten().cloned().collect();
    let from = args.get_one::<PathBuf>("from").map(PathBuf::as_path);
    let typed = input::read_request(flow.command.as_str(), &words, from)?;
    let mut flags = Map::new();
    for option in flow.options {
        let value = match option.value {
            Some(OptionValue::File(_)) => {
                text(option.name).map(|path| Value::from(path_from_root(&site, &path)))
            }
            Some(OptionValue::Word(_)) => text(option.name).map(Value::from),
            None => args.get_flag(option.name).then_some(Value::Bool(true)),
        };
        flags.extend(value.map(|value| (option.name.to_owned(), value)));
    }
    let request = StartRequest {
        name: text("name"),
        phase: text("phase"),
        resume: args.get_flag("resume"),
        fresh: args.get_flag("fresh"),
        must_be_new: args.get_flag("must-be-new"),
        flags,
        ..StartRequest::new(flow, typed.as_deref())
    };
    let plan = preview::resolve_plan(&site, &request)?;
    let file = args.get_one::<PathBuf>("answers");
    let answers = input::read_answers_for(flow, file.map(PathBuf::as_path))?;
    let unstored =
        [("resume", request.resume), ("fresh", request.fresh), ("dry-run", args.get_flag("dry-run"))];
    let unstored = unstored.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}"));
    let options = PreviewOptions {
        fresh: request.fresh,
        dry_run: args.get_flag("dry-run"),
        yes: args.get_flag("yes"),
        is_nested: false,
        unstored_flags: unstored
            .chain(request.phase.iter().map(|phase| format!("--phase={phase}")))
            .collect(),
    };
    let plan = match preview::show_preview(invocation, &site, &options, plan)? {
        PreviewDecision::Run(plan) => *plan,
        PreviewDecision::Exit(code) => return Ok(code),
    };
    check_entry(&site, &plan, None)?;
    let opened = start::open(&site, &plan)?;
    drive::drive_to_exit(invocation, &site, opened, DriveOptions { answers, ..DriveOptions::default() })
}

/// Converts a path relative to the current folder into one relative to the root of the repository.
fn path_from_root(site: &Site, path: &str) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    site.relative(&path).display().to_string()
}

/// Starts a run without command-line arguments, for binaries with their own flows.
pub(crate) fn start_run(
    invocation: &Invocation,
    beginning: NewRun,
    answers: Option<&Path>,
) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    let answers = input::read_answers_for(beginning.flow, answers)?;
    let opened = start::create_in_checkout(&site, beginning)?;
    drive::drive_to_exit(invocation, &site, opened, DriveOptions { answers, ..DriveOptions::default() })
}
