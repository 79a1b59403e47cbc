//! Tests with the real agent clients, driven by the real binary, against a scripted model.
//!
//! No account is needed and nothing leaves the machine: every case has its own home and a network namespace with only
//! loopback. The repository is hostile and the user configuration allows everything, so that only the profile keeps a
//! seat read-only.
//!
//! [`clients`] lists the clients, [`cases`] the cases, [`hostile`] writes the repository, [`case_run`] runs a case, and
//! [`checks`] checks the result. [`designs`] are whole designs, in a harmless repository; [`implementations`] have
//! one client write two tasks and another one review them; [`hosts`] are sessions of clients that use `charrette mcp`,
//! [`seat_server`] is a server below a seat, [`plugins`] installs the plug-in; [`hooks`] installs and proves hooks.

mod case_run;
mod cases;
mod checks;
mod clients;
mod connections;
mod designs;
mod hooks;
mod hostile;
mod hosts;
mod implementations;
mod install;
pub(crate) mod namespace;
mod plugins;
pub(crate) mod processes;
mod seat_server;

use crate::TaskResult;
use crate::programs::{cargo, root};
use case_run::{CaseRun, Programs};
use cases::Case;
use clap::Args;
use clients::Client;
use designs::Design;
use hooks::HookCase;
use hosts::Host;
use hosts::interactive::Interactive;
use implementations::Implementation;
use install::InstalledClients;
use plugins::PluginCase;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct RealClientsArgs {
    /// Only the cases whose name, such as `codex/refused-write`, contains this
    only: Option<String>,
    /// Skip the slow cases: sessions with a terminal, and some whole designs
    #[arg(long)]
    short: bool,
    /// Test this program instead of the built charrette
    #[arg(long, value_name = "PROGRAM")]
    charrette: Option<PathBuf>,
    /// Use the programs that are built already
    #[arg(long)]
    built: bool,
}

/// Number of parallel cases: clients are heavy.
const WORKERS: usize = 2;

pub(crate) fn real_clients(args: &RealClientsArgs) -> TaskResult {
    namespace::check()?;
    let home = root().join("target").join("real-clients");
    fs_err::create_dir_all(&home)?;
    // Clients compare paths with their own folder, which they resolve.
    let home = home.canonicalize()?;
    let installed = install::install_clients(&home)?;
    let programs = Programs { charrette: find_charrette(args)?, mock_model: program_path("mock-model") };
    let runs = home.join("runs");
    if runs.exists() {
        fs_err::remove_dir_all(&runs)?;
    }
    let only = args.only.as_deref().unwrap_or("");
    let started = Instant::now();
    let queue: VecDeque<Job> = jobs(args.short, only).into();
    if queue.is_empty() {
        return Err(format!("no case has {only} in its name").into());
    }
    let (total, queue, failed) = (queue.len(), Mutex::new(queue), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(job) = next_job(&queue) {
                    let name = job.name();
                    let job_started = Instant::now();
                    let result = job.run(&programs, &installed, &runs);
                    report(&name, job_started.elapsed(), result.as_ref().err());
                    if result.is_err() {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !failed.is_empty() {
        return Err(format!(
            "{} of {total} cases failed: {}; see {}",
            failed.len(),
            failed.join(", "),
            runs.display()
        )
        .into());
    }
    println!(
        "{total} cases in {:.0} s: all passed, no orphaned process, no connection beyond loopback",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn next_job<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// A case, a whole design, an implementation, a session of a host, or a case of hooks or of the plug-in to run.
enum Job {
    Case(Box<Client>, Case),
    Design(Design),
    Implementation(Implementation),
    Host(Host),
    Interactive(Interactive),
    SeatServer,
    Plugin(PluginCase),
    Hooks(HookCase),
}

/// The cases to run, slowest first, to keep all workers busy.
fn jobs(short: bool, only: &str) -> Vec<Job> {
    let designs = designs::ALL.into_iter().filter(|design| !short || !design.is_slow);
    let cases = clients::all()
        .into_iter()
        .flat_map(|client| Case::for_client(&client).into_iter().map(move |case| (client.clone(), case)));
    let interactive = hosts::interactive::ALL.into_iter().filter(|_| !short).map(Job::Interactive);
    let hosts = hosts::ALL.into_iter().map(Job::Host);
    let plugins = plugins::ALL.into_iter().map(Job::Plugin);
    let hooks = hooks::ALL.into_iter().map(Job::Hooks);
    let jobs = designs
        .map(Job::Design)
        .chain(interactive)
        .chain(implementations::ALL.into_iter().map(Job::Implementation))
        .chain(hosts)
        .chain([Job::SeatServer])
        .chain(plugins)
        .chain(hooks)
        .chain(cases.map(|(client, case)| Job::Case(Box::new(client), case)));
    jobs.filter(|job| job.name().contains(only)).collect()
}

impl Job {
    fn name(&self) -> String {
        match self {
            Job::Case(client, case) => case.name(client),
            Job::Design(design) => design.name.to_owned(),
            Job::Implementation(implementation) => implementation.name.to_owned(),
            Job::Host(host) => host.name.to_owned(),
            Job::Interactive(case) => case.name.to_owned(),
            Job::SeatServer => seat_server::NAME.to_owned(),
            Job::Plugin(case) => case.name.to_owned(),
            Job::Hooks(case) => case.name(),
        }
    }

    fn run(&self, programs: &Programs, installed: &InstalledClients, runs: &Path) -> Result<(), String> {
        match self {
            Job::Case(client, case) => {
                let folder = runs.join(self.name().replace('/', "-"));
                let run = CaseRun::prepare(client, *case, installed, &folder);
                let run = run.map_err(|error| error.to_string())?;
                let result = run.run(programs).map_err(|error| error.to_string())?;
                checks::check(client, *case, &run, &result)
            }
            Job::Design(design) => designs::run(design, programs, installed, runs),
            Job::Implementation(implementation) => {
                implementations::run(implementation, programs, installed, runs)
            }
            Job::Host(host) => hosts::run(host, programs, installed, runs),
            Job::Interactive(case) => case.run(programs, installed, runs),
            Job::SeatServer => seat_server::run(programs, installed, runs),
            Job::Plugin(case) => case.run(programs, installed, runs),
            Job::Hooks(case) => case.run(programs, installed, runs),
        }
    }
}

fn report(name: &str, took: Duration, problem: Option<&String>) {
    match problem {
        None => println!("{name:<28} ok  {:>5.1} s", took.as_secs_f64()),
        Some(problem) => println!("{name:<28} WRONG {:>3.1} s: {problem}", took.as_secs_f64()),
    }
}

/// Path of charrette, or of the program to test instead; builds it and the mock model first.
fn find_charrette(args: &RealClientsArgs) -> TaskResult<PathBuf> {
    if !args.built {
        build_programs()?;
    }
    Ok(args.charrette.clone().unwrap_or_else(|| program_path("charrette")))
}

fn build_programs() -> TaskResult {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let status = cargo()
        .args(["build", "--quiet", "--package", "charrette-cli", "--package", "charrette-testkit", "--bins"])
        .args(profile)
        .current_dir(root())
        .status()?;
    if status.success() { Ok(()) } else { Err("charrette or the mock model does not build".into()) }
}

fn program_path(program: &str) -> PathBuf {
    let folder = if cfg!(debug_assertions) { "debug" } else { "release" };
    root().join("target").join(folder).join(program)
}
