//! `charrette roles`: lists seats with their agents and roles, and prints role texts.

use crate::invocation::Invocation;
use crate::output;
use charrette_agents::profile::Roster;
use charrette_app::AppError;
use charrette_app::agent_pool;
use charrette_app::seat_prompt::seat_prompt;
use charrette_engine::flows::seats;
use charrette_engine::roles::{Role, RoleError, Roles, sample};
use charrette_model::config::Settings;
use charrette_model::escape::{one_line, printable};
use charrette_model::seats::chain::{ChainSource, ConfiguredChains, declared_chain};
use charrette_model::seats::{Seat, SeatGroup, config};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::fmt::Write as _;
use std::process::ExitCode;

/// List seats with roles and agents, or print the text of a role
#[derive(Debug, Args)]
pub(crate) struct RolesArgs {
    #[command(subcommand)]
    command: RolesCommand,
}

#[derive(Debug, Subcommand)]
enum RolesCommand {
    /// List every seat with its group, step, role, source of the role text and chain of agents
    List,
    /// Print the text of a role
    Show(ShowArgs),
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Name of a role, a seat, or a shared part of roles (parts/rules)
    name: String,
    /// Print the complete prompt of a seat, with a sample request or for a run
    #[arg(long)]
    rendered: bool,
    /// With --rendered: the prompt that the seat of this run would get now, with its inputs
    #[arg(long, value_name = "FEATURE", requires = "rendered", conflicts_with = "built_in")]
    run: Option<String>,
    /// Print the built-in text, even if this repository overrides it
    #[arg(long)]
    built_in: bool,
}

pub(crate) fn roles(invocation: &Invocation, args: &RolesArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        RolesCommand::List => list(invocation),
        RolesCommand::Show(args) => show(invocation, args),
    }
}

fn list(invocation: &Invocation) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let seats = seats();
    let roles = Roles::with_overrides(&site.texts.roles, &seats);
    let chains = config::chains(&site.settings);
    let rows: Vec<Row> = seats.all().map(|seat| Row::new(seat, &roles, &chains, &site.settings)).collect();
    let role_problems: Vec<String> = roles.problems().iter().map(RoleError::to_string).collect();
    let (roster, profile_problems) = Roster::from_settings(&site.settings);
    let mut seat_problems: Vec<String> = profile_problems.iter().map(ToString::to_string).collect();
    seat_problems.extend(config::problems(&chains, &seats, &agent_pool::configured_candidates(&roster)));
    for problem in seat_problems.iter().chain(&role_problems) {
        output::note(invocation, &format!("Warning: {problem}"));
    }
    if invocation.json {
        let problems = seat_problems.into_iter().chain(role_problems).collect();
        output::print_json(&Listing { seats: rows, problems })?;
    } else {
        output::print_line(&page(&rows))?;
    }
    let usable = roles.all().all(|(_, role)| role.is_ok());
    Ok(if usable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Serialize)]
struct Listing {
    seats: Vec<Row>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    seat: &'static str,
    group: Option<SeatGroup>,
    step: &'static str,
    role: &'static str,
    variant: Option<&'static str>,
    reads: &'static [&'static str],
    writes: &'static [&'static str],
    grammar: &'static str,
    /// Agents that may take the seat, in order; `*` is any other external agent.
    chain: Vec<String>,
    /// `default`, or the key in `[seats]` that sets the chain.
    chain_from: &'static str,
    embedded: bool,
    /// Timeout of a call.
    seconds: u64,
    /// Source of the role text; none if the role is broken.
    text: Option<String>,
}

impl Row {
    fn new(seat: &'static Seat, roles: &Roles, chains: &ConfiguredChains, settings: &Settings) -> Row {
        let chain_from = match ChainSource::for_seat(seat, chains) {
            ChainSource::Default => "default",
            ChainSource::Group(_) => seat.group.map_or("default", SeatGroup::name),
            ChainSource::Seat(_) => seat.id,
        };
        let seconds = settings.all().get(seat.clock.setting()).and_then(|setting| setting.value.as_u64());
        Row {
            seat: seat.id,
            group: seat.group,
            step: seat.step,
            role: seat.role,
            variant: seat.variant,
            reads: seat.reads,
            writes: seat.writes,
            grammar: seat.form.name(),
            chain: declared_chain(seat, chains),
            chain_from,
            embedded: seat.embedded,
            seconds: seconds.unwrap_or(seat.clock.default_seconds()),
            text: roles.for_seat(seat).ok().map(|role| role.origin.to_string()),
        }
    }
}

const HEADINGS: [&str; 7] = ["SEAT", "GROUP", "STEP", "ROLE", "EMBEDDED", "TEXT", "CHAIN"];

fn page(rows: &[Row]) -> String {
    let mut table = vec![HEADINGS.map(str::to_owned)];
    table.extend(rows.iter().map(columns));
    let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADINGS.len() - 1).map(width).collect();
    let lines = table.iter().map(|row| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        line + &row[HEADINGS.len() - 1]
    });
    lines.collect::<Vec<_>>().join("\n") + "\n\n* any other installed external agent"
}

fn columns(row: &Row) -> [String; 7] {
    let embedded = if row.embedded { "yes" } else { "no" };
    [
        row.seat.to_owned(),
        row.group.map_or("-", SeatGroup::name).to_owned(),
        row.step.to_owned(),
        row.role.to_owned(),
        embedded.to_owned(),
        row.text.clone().unwrap_or_else(|| "broken".to_owned()),
        row.chain.join(", "),
    ]
}

fn show(invocation: &Invocation, args: &ShowArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    if let Some(feature) = &args.run {
        let prompt = seat_prompt(&site, &args.name, feature, None)?;
        let note = "What the flow adds at the moment of a call is not shown: labels of reviews, reasons of a second try.";
        output::note(invocation, note);
        let (name, seat) = (args.name.as_str(), Some(args.name.as_str()));
        return print_role(
            invocation,
            &RoleText { name, seat, text_from: format!("run {feature}"), text: &prompt },
        );
    }
    let seats = seats();
    let roles = if args.built_in {
        Roles::built_in(&seats)
    } else {
        Roles::with_overrides(&site.texts.roles, &seats)
    };
    let is_unknown = matches!(roles.get(&args.name), Err(RoleError::UnknownRole(_)));
    let is_role = seats.seat(&args.name).is_some() || !is_unknown;
    let in_parts = format!("parts/{}", args.name);
    // The path of a part, or its name alone.
    let names = [args.name.as_str(), in_parts.as_str()];
    let part = names.iter().filter(|_| !is_role).find_map(|name| Some((name, roles.part(name)?)));
    if let Some((name, (origin, text))) = part {
        return print_role(invocation, &RoleText { name, seat: None, text_from: origin.to_string(), text });
    }
    let named = seats.seat(&args.name);
    let role =
        roles.get(named.map_or(args.name.as_str(), |seat| seat.role)).map_err(|error| role_error(&error))?;
    let seat = if args.rendered { named.or(role.seats.first().copied()) } else { named };
    let rendered = seat.filter(|_| args.rendered).map(|seat| sample::render(role, seat)).transpose();
    let rendered = rendered.map_err(|error| role_error(&error))?;
    if args.rendered && named.is_none() {
        note_chosen_seat(invocation, role, seat);
    }
    let text = rendered.as_deref().unwrap_or(&role.text);
    print_role(
        invocation,
        &RoleText {
            name: role.name,
            seat: seat.map(|seat| seat.id),
            text_from: role.origin.to_string(),
            text,
        },
    )
}

#[derive(Serialize)]
struct RoleText<'a> {
    name: &'a str,
    seat: Option<&'a str>,
    text_from: String,
    text: &'a str,
}

fn print_role(invocation: &Invocation, role: &RoleText<'_>) -> Result<ExitCode, AppError> {
    if invocation.json {
        output::print_json(role)?;
    } else {
        output::print_line(&printable_text(role.text.trim_end()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A text of several lines with its control characters escaped: the prompt of a run quotes what agents wrote.
fn printable_text(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(one_line).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Notes for which seat a prompt was rendered, if several seats share the role.
fn note_chosen_seat(invocation: &Invocation, role: &Role, chosen: Option<&Seat>) {
    let others: Vec<&str> = role.seats.iter().map(|seat| seat.id).collect();
    if let (Some(chosen), true) = (chosen, others.len() > 1) {
        output::note(
            invocation,
            &format!("Rendered for seat {}. Seats with this role: {}", chosen.id, others.join(", ")),
        );
    }
}

/// Error with a hint for an unknown or broken role.
fn role_error(error: &RoleError) -> AppError {
    match error {
        RoleError::UnknownRole(name) => {
            AppError::failed(format!("unknown role, seat or part {}", printable(name)))
                .hint("List roles and seats: charrette roles list")
        }
        RoleError::InvalidOverride { name, .. } => AppError::failed(error)
            .hint(format!("Print the built-in text: charrette roles show {name} --built-in")),
        _ => AppError::failed(error),
    }
}
