//! `charrette agents`: who is there, whether they work, what they left behind.

use crate::here::Here;
use crate::{output, runtime};
use charrette_agents::profile::{Agent, Roster, Talk};
use charrette_agents::room::{Rules, chain_of, drivers_folder};
use charrette_agents::strays::reap;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::room::{self, Purpose};
use charrette_app::{health_file, ports};
use charrette_engine::flows::design::level_seats;
use charrette_model::seats::{Candidate, EMBEDDED};
use charrette_model::shown::shown;
use charrette_model::spec::resolver::Level;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;

/// Show which agents are here, whether they work, and their seats
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// Ask agents whether they work. Each is called once, which may cost a fraction of a cent
    Probe {
        /// Which ones; all that are installed, if none is named
        names: Vec<String>,
    },
    /// End the agents that a killed run left behind, and nobody else
    Reap,
}

pub(crate) fn agents(here: &Here, args: &AgentsArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    match &args.command {
        None => list(here, &site),
        Some(AgentsCommand::Probe { names }) => probe(here, &site, names),
        Some(AgentsCommand::Reap) => end_strays(here, &site),
    }
}

/// An agent, as it is shown.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    vendor: String,
    kind: &'static str,
    installed: bool,
    program: Option<String>,
    version: Option<String>,
    /// Whether the profile was tried with this version; null if the version is not known.
    version_tested: Option<bool>,
    healthy: Option<bool>,
    health: Option<String>,
    checked_at: Option<String>,
    /// The seats it would take first.
    seats: Vec<&'static str>,
    missing: Option<String>,
}

fn list(here: &Here, site: &Site) -> Result<ExitCode, AppError> {
    let (roster, problems) = room::roster(site);
    for problem in &problems {
        output::note(here, &format!("Warning: {problem}"));
    }
    let rows = rows(site, &roster);
    if here.json {
        output::json(&json!({"agents": rows, "problems": problems}))?;
        return Ok(ExitCode::SUCCESS);
    }
    for line in table(&rows) {
        output::line(&line)?;
    }
    if rows.iter().all(|row| !row.installed || row.kind == "embedded") {
        output::note(here, "");
        output::note(
            here,
            "Only the embedded agent is here, which uses no model. To add another, install its client, or name an endpoint: charrette config init",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(site: &Site, roster: &Roster) -> Vec<Row> {
    let surroundings = room::surroundings(site);
    let rules = Rules::configured(&site.settings);
    let candidates = room::candidates(site, roster);
    let known = health_file::read(&room::state_folder(site));
    let agents: Vec<&Agent> = roster.all().collect();
    // Clients take their time to say which version they are, so all of them are asked at once.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let asked: Vec<_> = agents.iter().map(|agent| scope.spawn(|| agent.version(&surroundings))).collect();
        asked.into_iter().map(|version| version.join().unwrap_or_default()).collect()
    });
    let rows = agents.iter().zip(versions).map(|(agent, version)| {
        let program = agent.program(&surroundings);
        let installed = agent.is_installed(&surroundings);
        let health = known.get(&agent.name);
        Row {
            name: agent.name.clone(),
            vendor: agent.profile.vendor.clone(),
            kind: match agent.profile.talk {
                Talk::Process => "process",
                Talk::Acp => "acp",
                Talk::Openai => "openai",
            },
            installed,
            program: program.and_then(|words| Some(words.first()?.to_string_lossy().into_owned())),
            version_tested: version
                .as_deref()
                .filter(|_| !agent.profile.tested.is_empty())
                .map(|version| agent.is_tested(version)),
            version,
            healthy: health.map(|health| health.reason.is_none()),
            health: health.and_then(|health| health.reason.clone()),
            checked_at: health.map(|health| health.at.clone()),
            seats: seats_of(&agent.name, &rules, &candidates),
            missing: (!installed).then(|| agent.what_is_missing()),
        }
    });
    rows.chain([embedded(&rules, &candidates)]).collect()
}

/// The agent that is always there.
fn embedded(rules: &Rules, candidates: &[Candidate]) -> Row {
    Row {
        name: EMBEDDED.to_owned(),
        vendor: "none".to_owned(),
        kind: "embedded",
        installed: true,
        program: None,
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        version_tested: Some(true),
        healthy: Some(true),
        health: None,
        checked_at: None,
        seats: seats_of(EMBEDDED, rules, candidates),
        missing: None,
    }
}

/// The seats of a specification that an agent would take first.
fn seats_of(agent: &str, rules: &Rules, candidates: &[Candidate]) -> Vec<&'static str> {
    let seats = level_seats(Level::Spec);
    let is_first =
        |id: &&str| chain_of(id, &seats, rules, candidates).first().is_some_and(|first| first == agent);
    seats.every().map(|seat| seat.id).filter(is_first).collect()
}

fn table(rows: &[Row]) -> Vec<String> {
    let cells: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            let version = match (&row.version, row.version_tested) {
                (Some(version), Some(false)) => format!("{} (not tried)", shown(version)),
                (Some(version), _) => shown(version).to_string(),
                (None, _) if row.installed => "?".to_owned(),
                (None, _) => "not installed".to_owned(),
            };
            let health = match (row.healthy, &row.health) {
                (Some(true), _) => "works".to_owned(),
                (_, Some(reason)) => format!("fails: {}", shown(reason)),
                _ if row.installed => "not asked".to_owned(),
                _ => "-".to_owned(),
            };
            let seats = match row.seats.len() {
                0 => "none".to_owned(),
                1..=3 => row.seats.join(", "),
                more => format!("{} and {} more", row.seats[..2].join(", "), more - 2),
            };
            [row.name.clone(), row.vendor.clone(), version, health, seats]
        })
        .collect();
    let head = ["AGENT", "VENDOR", "VERSION", "HEALTH", "SEATS"].map(str::to_owned);
    let width =
        |column: usize| cells.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let line = |row: &[String; 5]| {
        let mut text = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width - cell.chars().count() + 2));
        }
        text + &row[4]
    };
    [&head].into_iter().chain(&cells).map(line).collect()
}

fn probe(here: &Here, site: &Site, names: &[String]) -> Result<ExitCode, AppError> {
    let probed = runtime::block_on(async |cancel| {
        let room = room::open(
            site,
            Purpose {
                purpose: "agents probe".to_owned(),
                seats: site.registry.seats(),
                ..Purpose::default()
            },
            ports::tree(site),
            &cancel,
        );
        let agents: Vec<Agent> = if names.is_empty() {
            room.roster().all().filter(|agent| agent.is_installed(room.surroundings())).cloned().collect()
        } else {
            let find = |name: &String| {
                let found = room.roster().get(name).cloned();
                found.ok_or_else(|| {
                    AppError::failed(format!("there is no agent {}", shown(name)))
                        .hint("See who there is: charrette agents")
                })
            };
            names.iter().map(find).collect::<Result<_, _>>()?
        };
        let asked = agents.iter().map(|agent| async {
            let works = if agent.is_installed(room.surroundings()) {
                room.probe(agent).await.works
            } else {
                Err(agent.what_is_missing())
            };
            (agent.name.clone(), works)
        });
        let probed = futures_util::future::join_all(asked).await;
        if cancel.is_requested() {
            return Ok(None);
        }
        Ok(Some(probed))
    })?;
    let Some(probed) = probed else { return Ok(ExitCode::from(130)) };
    let now = room::at_present(site);
    if let Err(error) = health_file::write(&room::state_folder(site), &probed, &now) {
        output::note(here, &format!("Warning: this will not be remembered: {error}"));
    }
    if here.json {
        let rows: Vec<_> = probed
            .iter()
            .map(|(name, works)| json!({"agent": name, "healthy": works.is_ok(), "reason": works.as_ref().err()}))
            .collect();
        output::json(&json!({"agents": rows}))?;
    } else {
        for (name, works) in &probed {
            let text = match works {
                Ok(()) => "works".to_owned(),
                Err(reason) => format!("fails: {}", shown(reason)),
            };
            output::line(&format!("{name}: {text}"))?;
        }
        if probed.is_empty() {
            output::note(here, "No agent is installed. See what there could be: charrette agents");
        }
    }
    let all_work = probed.iter().all(|(_, works)| works.is_ok());
    Ok(if all_work { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn end_strays(here: &Here, site: &Site) -> Result<ExitCode, AppError> {
    let grace = Rules::configured(&site.settings).grace();
    let ended = reap(&drivers_folder(&room::state_folder(site)), grace).map_err(AppError::failed)?;
    if here.json {
        let rows: Vec<_> =
            ended.iter().map(|stray| json!({"pid": stray.pid, "driver": stray.driver})).collect();
        output::json(&json!({"ended": rows}))?;
    } else if ended.is_empty() {
        output::note(here, "Nobody was left behind.");
    } else {
        room::say_ended(site, &ended);
    }
    Ok(ExitCode::SUCCESS)
}
