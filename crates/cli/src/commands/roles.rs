//! `charrette roles`: every seat, who may take it, and what it is told.

use crate::here::Here;
use crate::output;
use charrette_agents::profile::Roster;
use charrette_app::AppError;
use charrette_app::room;
use charrette_engine::flows::seats;
use charrette_engine::roles::{ROLE_FOLDER, Role, RoleError, Roles, sample};
use charrette_model::config::Settings;
use charrette_model::seats::chain::{Configured, Source, stated};
use charrette_model::seats::{Group, Seat, configured};
use charrette_model::shown::shown;
use clap::{Args, Subcommand};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Show the seats of a design, who takes them, what they are told
#[derive(Debug, Args)]
pub(crate) struct RolesArgs {
    #[command(subcommand)]
    command: RolesCommand,
}

#[derive(Debug, Subcommand)]
enum RolesCommand {
    /// List every seat with its group, step, role, chain of agents and where the role's text comes from
    List,
    /// Print the definition of a role
    Show(ShowArgs),
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// A role, a seat, or a part that roles share (parts/rules)
    name: String,
    /// Print the prompt a seat would get, with a made-up request
    #[arg(long)]
    rendered: bool,
    /// Print what comes with charrette, even if this repository has its own
    #[arg(long)]
    built_in: bool,
}

pub(crate) fn roles(here: &Here, args: &RolesArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        RolesCommand::List => list(here),
        RolesCommand::Show(args) => show(here, args),
    }
}

fn list(here: &Here) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let seats = seats();
    let roles = Roles::load(&site.root, Path::new(ROLE_FOLDER), &seats);
    let chains = configured::chains(&site.settings);
    let rows: Vec<Row> = seats.every().map(|seat| Row::of(seat, &roles, &chains, &site.settings)).collect();
    let broken: Vec<String> = roles.problems().iter().map(RoleError::to_string).collect();
    let (roster, unclear) = Roster::configured(&site.settings);
    let mut odd: Vec<String> = unclear.iter().map(ToString::to_string).collect();
    odd.extend(configured::problems(&chains, &seats, &room::known(&roster)));
    for problem in odd.iter().chain(&broken) {
        output::note(here, &format!("Warning: {problem}"));
    }
    if here.json {
        let problems = odd.into_iter().chain(broken).collect();
        output::json(&Listing { seats: rows, problems })?;
    } else {
        output::line(&page(&rows))?;
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
    group: Option<Group>,
    step: &'static str,
    role: &'static str,
    variant: Option<&'static str>,
    reads: &'static [&'static str],
    writes: &'static [&'static str],
    grammar: &'static str,
    /// Who may take it, in order; `*` is any other external agent.
    chain: Vec<String>,
    /// `default`, or the key in `[seats]` that counts.
    chain_from: &'static str,
    embedded: bool,
    /// How long it may take in all.
    seconds: u64,
    /// Where the role's text comes from; none if it cannot be used.
    text: Option<String>,
}

impl Row {
    fn of(seat: &'static Seat, roles: &Roles, chains: &Configured, settings: &Settings) -> Row {
        let chain_from = match Source::of(seat, chains) {
            Source::Default => "default",
            Source::Group(_) => seat.group.map_or("default", Group::name),
            Source::Seat(_) => seat.id,
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
            chain: stated(seat, chains),
            chain_from,
            embedded: seat.embedded,
            seconds: seconds.unwrap_or(seat.clock.default_seconds()),
            text: roles.of_seat(seat).ok().map(|role| role.origin.to_string()),
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
    lines.collect::<Vec<_>>().join("\n") + "\n\n* any other external agent that is installed"
}

fn columns(row: &Row) -> [String; 7] {
    let embedded = if row.embedded { "yes" } else { "no" };
    [
        row.seat.to_owned(),
        row.group.map_or("-", Group::name).to_owned(),
        row.step.to_owned(),
        row.role.to_owned(),
        embedded.to_owned(),
        row.text.clone().unwrap_or_else(|| "broken".to_owned()),
        row.chain.join(", "),
    ]
}

fn show(here: &Here, args: &ShowArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let seats = seats();
    let roles = if args.built_in {
        Roles::built_in(&seats)
    } else {
        Roles::load(&site.root, Path::new(ROLE_FOLDER), &seats)
    };
    if let Some((origin, text)) = roles.part(&args.name) {
        return print(here, &Shown { name: &args.name, seat: None, text_from: origin.to_string(), text });
    }
    let named = seats.seat(&args.name);
    let role =
        roles.get(named.map_or(args.name.as_str(), |seat| seat.role)).map_err(|error| way_out(&error))?;
    let seat = if args.rendered { named.or(role.seats.first().copied()) } else { named };
    let rendered = seat.filter(|_| args.rendered).map(|seat| sample::rendered(role, seat)).transpose();
    let rendered = rendered.map_err(|error| way_out(&error))?;
    if args.rendered && named.is_none() {
        say_which(here, role, seat);
    }
    let text = rendered.as_deref().unwrap_or(&role.text);
    print(
        here,
        &Shown { name: role.name, seat: seat.map(|seat| seat.id), text_from: role.origin.to_string(), text },
    )
}

#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    seat: Option<&'a str>,
    text_from: String,
    text: &'a str,
}

fn print(here: &Here, shown: &Shown<'_>) -> Result<ExitCode, AppError> {
    if here.json {
        output::json(shown)?;
    } else {
        output::line(shown.text.trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Several seats may play a role, each in its own way.
fn say_which(here: &Here, role: &Role, chosen: Option<&Seat>) {
    let others: Vec<&str> = role.seats.iter().map(|seat| seat.id).collect();
    if let (Some(chosen), true) = (chosen, others.len() > 1) {
        output::note(
            here,
            &format!("As {} would get it. Seats of this role: {}", chosen.id, others.join(", ")),
        );
    }
}

fn way_out(error: &RoleError) -> AppError {
    match error {
        RoleError::Unknown(name) => {
            AppError::failed(format!("there is no role, seat or part called {}", shown(name)))
                .hint("See what there is: charrette roles list")
        }
        RoleError::Broken { name, .. } => AppError::failed(error)
            .hint(format!("See the built-in text: charrette roles show {name} --built-in")),
        _ => AppError::failed(error),
    }
}
