//! The commands of the registry that need no face of their own: their arguments are made from their [`FlowSpec`], so a flow
//! that is added to the registry can be typed.

use crate::commands::before::{self, Before, Decided};
use crate::driving::{self, Driving};
use crate::here::Here;
use crate::input;
use charrette_app::order::StartRequest;
use charrette_app::start::{self, Beginning};
use charrette_app::{App, AppError, Site};
use charrette_engine::{FlowSpec, OptionValue};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The flows that are typed by way of this file: those without a command of their own.
pub(crate) fn flows<'a>(app: &'a App, own: &'a Command) -> impl Iterator<Item = &'static FlowSpec> + 'a {
    app.registry.all().filter(|flow| own.find_subcommand(flow.command.as_str()).is_none())
}

/// The arguments of a flow.
pub(crate) fn definition(flow: &'static FlowSpec) -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    let phases = flow.phases.join(" or ");
    let options = flow.options.iter().map(|option| match option.value {
        Some(value) => Arg::new(option.name).long(option.name).value_name(value.called()).help(option.about),
        None => flag(option.name, option.about),
    });
    Command::new(flow.command.as_str())
        .about(flow.about)
        .long_about(format!("{}\n\n{}", flow.about, flow.help))
        .arg(
            Arg::new("request")
                .value_name(flow.subject)
                .help("What you want to know, in your own words; or the name of a run that exists"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The name of the run, instead of one made from the description"),
        )
        .arg(Arg::new("phase").long("phase").value_name("PHASE").help(format!("Only this phase: {phases}")))
        .arg(flag("resume", "Go on with a run that exists"))
        .arg(flag("fresh", "Do everything again: the phase with --phase, else the whole run"))
        .arg(flag("dry-run", "Show what would happen and stop there"))
        .arg(flag("yes", "Run without asking first").short('y'))
        .arg(
            Arg::new("answers")
                .long("answers")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Answers to questions that will come, YAML or JSON; standard input for `-`"),
        )
        .args(options)
}

/// The flow that was typed, with its arguments.
pub(crate) fn typed<'a>(app: &App, matches: &'a ArgMatches) -> Option<(&'static FlowSpec, &'a ArgMatches)> {
    let (name, args) = matches.subcommand()?;
    let own = super::own_commands();
    flows(app, &own).find(|flow| flow.command.as_str() == name).map(|flow| (flow, args))
}

/// Runs it.
pub(crate) fn run(here: &Here, flow: &'static FlowSpec, args: &ArgMatches) -> Result<ExitCode, AppError> {
    let text = |name: &str| args.get_one::<String>(name).cloned();
    let site = here.site()?;
    let mut flags = Map::new();
    for option in flow.options {
        let value = match option.value {
            Some(OptionValue::File(_)) => {
                text(option.name).map(|typed| Value::from(from_the_top(&site, &typed)))
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
        flags,
        ..StartRequest::new(flow, text("request").as_deref())
    };
    let order = before::read(&site, &request)?;
    let file = args.get_one::<PathBuf>("answers");
    let answers = file.map(|file| input::answers(file)).transpose()?.unwrap_or_default();
    let shown = [("resume", request.resume), ("fresh", request.fresh), ("dry-run", args.get_flag("dry-run"))];
    let shown = shown.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}"));
    let page = Before {
        fresh: request.fresh,
        dry_run: args.get_flag("dry-run"),
        yes: args.get_flag("yes"),
        is_nested: false,
        typed: shown.chain(request.phase.iter().map(|phase| format!("--phase={phase}"))).collect(),
    };
    let order = match before::preview(here, &site, &page, order)? {
        Decided::Run(order) => *order,
        Decided::Leave(code) => return Ok(code),
    };
    let opened = start::open(&site, &order)?;
    driving::finish(here, &site, opened, Driving { answers, ..Driving::default() })
}

/// A file as it is called from the top of the repository, whatever folder the user is in.
fn from_the_top(site: &Site, typed: &str) -> String {
    let path = std::path::absolute(typed).unwrap_or_else(|_| PathBuf::from(typed));
    site.relative(&path).display().to_string()
}

/// Begins a run without anything being typed.
pub(crate) fn begin(here: &Here, beginning: Beginning, answers: Option<&Path>) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let answers = answers.map(input::answers).transpose()?.unwrap_or_default();
    let opened = start::begin(&site, beginning)?;
    driving::finish(here, &site, opened, Driving { answers, ..Driving::default() })
}
