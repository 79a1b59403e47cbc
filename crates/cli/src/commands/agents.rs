//! `charrette agents`: lists agents and their health, probes them, reaps orphaned agent processes.

use crate::invocation::Invocation;
use crate::{output, runtime, trusted_site};
use charrette_agents::orphans;
use charrette_agents::pool::{AgentPolicy, drivers_folder, seat_chain};
use charrette_agents::profile::{Agent, Roster, Transport};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::agent_pool::{self, AgentPoolOptions};
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::health_file::{self, AgentProbe};
use charrette_app::ports;
use charrette_app::sandbox::sandbox_config;
use charrette_engine::flows::design::level_seats;
use charrette_model::escape::printable;
use charrette_model::seats::{Candidate, EMBEDDED};
use charrette_model::spec::resolver::SpecLevel;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;

/// List agents with version, health and seats; probe; reap orphans
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// Check the health of agents with one short call each, which may cost a fraction of a cent
    Probe {
        /// Names of agents [default: all installed agents]
        names: Vec<String>,
    },
    /// Terminate orphaned agent processes of killed runs
    Reap,
}

pub(crate) fn agents(invocation: &Invocation, args: &AgentsArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        None => list(invocation, &invocation.site()?),
        Some(AgentsCommand::Probe { names }) => probe(invocation, &trusted_site::open(invocation)?, names),
        Some(AgentsCommand::Reap) => reap_orphans(invocation, &invocation.site()?),
    }
}

/// Row of the listing, one per agent.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    vendor: String,
    kind: &'static str,
    installed: bool,
    program: Option<String>,
    version: Option<String>,
    /// True if the profile was tested with this version; null if the version is unknown.
    version_tested: Option<bool>,
    healthy: Option<bool>,
    health: Option<String>,
    /// True if its client can use the web in a read-only seat.
    web: bool,
    checked_at: Option<String>,
    /// Seats for which it is the first choice.
    seats: Vec<&'static str>,
    missing: Option<String>,
}

fn list(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let (roster, problems) = agent_pool::roster(site);
    for problem in &problems {
        output::note(invocation, &format!("Warning: {problem}"));
    }
    let rows = rows(site, &roster);
    if invocation.json {
        output::print_json(&json!({"agents": rows, "problems": problems}))?;
        return Ok(ExitCode::SUCCESS);
    }
    for line in table(&rows) {
        output::print_line(&line)?;
    }
    if rows.iter().all(|row| !row.installed || row.kind == "embedded") {
        output::note(invocation, "");
        output::note(
            invocation,
            "Only the embedded agent is available, which uses no model. To add an agent, install its client, or configure an endpoint: charrette config init",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(site: &Site, roster: &Roster) -> Vec<Row> {
    let host = agent_pool::host_environment(site);
    let rules = AgentPolicy::from_settings(&site.settings);
    let candidates = agent_pool::candidates(site, roster);
    let known = health_file::read(&agent_pool::state_folder(site));
    let agents: Vec<&Agent> = roster.all().collect();
    let sandbox = sandbox_config(site);
    // Clients are slow to print their version, so all are queried in parallel.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let queries: Vec<_> =
            agents.iter().map(|agent| scope.spawn(|| agent.version(&host, roster, &sandbox))).collect();
        queries.into_iter().map(|version| version.join().unwrap_or_default()).collect()
    });
    let rows = agents.iter().zip(versions).map(|(agent, version)| {
        let program = agent.program(&host);
        let installed = agent.is_installed(&host);
        let health = known.get(&agent.name);
        let is_queue = agent.profile.transport == Transport::Queue;
        Row {
            name: agent.name.clone(),
            vendor: agent.profile.vendor.clone(),
            kind: match agent.profile.transport {
                Transport::Process => "process",
                Transport::Acp => "acp",
                Transport::Openai => "openai",
                Transport::Queue => "queue",
            },
            installed,
            program: program.and_then(|words| Some(words.first()?.to_string_lossy().into_owned())),
            version_tested: version
                .as_deref()
                .filter(|_| !agent.profile.tested.is_empty())
                .map(|version| agent.is_tested(version)),
            version,
            // A queue is never probed.
            healthy: if is_queue { Some(true) } else { health.map(|health| health.reason.is_none()) },
            health: health.filter(|_| !is_queue).and_then(|health| health.reason.clone()),
            web: agent.profile.arguments.has_web(),
            checked_at: health.map(|health| health.at.clone()),
            seats: first_choice_seats(&agent.name, &rules, &candidates),
            missing: (!installed).then(|| agent.missing_message()),
        }
    });
    rows.chain([embedded_row(&rules, &candidates)]).collect()
}

/// Row of the embedded agent, which is always installed.
fn embedded_row(rules: &AgentPolicy, candidates: &[Candidate]) -> Row {
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
        web: false,
        checked_at: None,
        seats: first_choice_seats(EMBEDDED, rules, candidates),
        missing: None,
    }
}

/// Seats of a spec-level design for which an agent is the first choice.
fn first_choice_seats(agent: &str, rules: &AgentPolicy, candidates: &[Candidate]) -> Vec<&'static str> {
    let seats = level_seats(SpecLevel::Spec);
    let is_first =
        |id: &&str| seat_chain(id, &seats, rules, candidates).first().is_some_and(|first| first == agent);
    seats.all().map(|seat| seat.id).filter(is_first).collect()
}

fn table(rows: &[Row]) -> Vec<String> {
    let cells: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            let version = match (&row.version, row.version_tested) {
                (Some(version), Some(false)) => format!("{} (untested)", printable(version)),
                (Some(version), _) => printable(version).to_string(),
                (None, _) if row.kind == "queue" => "-".to_owned(),
                (None, _) if row.installed => "?".to_owned(),
                (None, _) => "not installed".to_owned(),
            };
            let health = match (row.healthy, &row.health) {
                (Some(true), _) => "healthy".to_owned(),
                (_, Some(reason)) => format!("unhealthy: {}", printable(reason)),
                _ if row.installed => "not probed".to_owned(),
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

fn probe(invocation: &Invocation, site: &Site, names: &[String]) -> Result<ExitCode, AppError> {
    refuse_inside_agent(site, "call other agents")?;
    let probed = runtime::block_on(async |cancel| {
        let pool = agent_pool::open(
            site,
            AgentPoolOptions {
                purpose: "agents probe".to_owned(),
                seats: site.registry.seats(),
                ..AgentPoolOptions::default()
            },
            ports::tree(site),
            &cancel,
        );
        let agents: Vec<Agent> = if names.is_empty() {
            pool.roster().all().filter(|agent| agent.is_installed(pool.host())).cloned().collect()
        } else {
            let find = |name: &String| {
                let found = pool.roster().get(name).cloned();
                found.ok_or_else(|| {
                    AppError::failed(format!("unknown agent {}", printable(name)))
                        .hint("List agents: charrette agents")
                })
            };
            names.iter().map(find).collect::<Result<_, _>>()?
        };
        let probes = agents.iter().map(|agent| async {
            let health = if agent.is_installed(pool.host()) {
                pool.probe(agent).await.health
            } else {
                Err(agent.missing_message())
            };
            AgentProbe { agent: agent.name.clone(), health }
        });
        let probed = futures_util::future::join_all(probes).await;
        if cancel.is_requested() {
            return Ok(None);
        }
        Ok(Some(probed))
    })?;
    let Some(probed) = probed else { return Ok(ExitCode::from(130)) };
    let now = agent_pool::timestamp(site);
    if let Err(error) = health_file::write(&agent_pool::state_folder(site), &probed, &now) {
        output::note(invocation, &format!("Warning: cannot save the health of agents: {error}"));
    }
    if invocation.json {
        let rows: Vec<_> = probed
            .iter()
            .map(|AgentProbe { agent, health }| {
                json!({"agent": agent, "healthy": health.is_ok(), "reason": health.as_ref().err()})
            })
            .collect();
        output::print_json(&json!({"agents": rows}))?;
    } else {
        for AgentProbe { agent, health } in &probed {
            let text = match health {
                Ok(()) => "healthy".to_owned(),
                Err(reason) => format!("unhealthy: {}", printable(reason)),
            };
            output::print_line(&format!("{agent}: {text}"))?;
        }
        if probed.is_empty() {
            output::note(invocation, "No agents installed. List supported agents: charrette agents");
        }
    }
    let all_healthy = probed.iter().all(|probe| probe.health.is_ok());
    Ok(if all_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn reap_orphans(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    refuse_inside_agent(site, "end processes of runs")?;
    let grace = AgentPolicy::from_settings(&site.settings).grace();
    let orphans = orphans::reap_orphans(&drivers_folder(&agent_pool::state_folder(site)), grace)
        .map_err(AppError::failed)?;
    if invocation.json {
        let rows: Vec<_> =
            orphans.iter().map(|stray| json!({"pid": stray.pid, "driver": stray.driver})).collect();
        output::print_json(&json!({"ended": rows}))?;
    } else if orphans.is_empty() {
        output::note(invocation, "No orphaned agents found.");
    } else {
        agent_pool::report_ended_orphans(site, &orphans);
    }
    Ok(ExitCode::SUCCESS)
}
