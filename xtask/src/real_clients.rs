//! The real agent clients, driven by the real binary, against a model that follows a script.
//!
//! No account is needed and nothing leaves the machine: every case runs in a network namespace of its own
//! that has only loopback, with a home of its own. The repository in it is hostile and the user allows everything,
//! so that what keeps a seat read-only is the profile and nothing else.
//!
//! [`clients`] are the clients, [`cases`] what is done to them, [`hostile`] the repository, [`stage`] one run,
//! [`verdict`] what must hold afterwards. [`designs`] are whole designs, in a peaceful repository.

mod cases;
mod clients;
mod connections;
mod designs;
mod hostile;
mod install;
mod namespace;
mod processes;
mod stage;
mod verdict;

use crate::Outcome;
use crate::programs::{cargo, root};
use cases::Case;
use clap::Args;
use clients::Client;
use designs::Design;
use install::Installed;
use stage::{Programs, Stage};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct RealClientsArgs {
    /// Only the cases whose name, such as `codex/refused-write`, contains this
    only: Option<String>,
    /// Without the two designs whose clients are slow: Gemini with opencode, and Gemini over ACP
    #[arg(long)]
    short: bool,
    /// Another program in place of charrette
    #[arg(long, value_name = "PROGRAM")]
    charrette: Option<PathBuf>,
}

/// Number of parallel cases: clients are heavy.
const WORKERS: usize = 2;

pub(crate) fn real_clients(args: &RealClientsArgs) -> Outcome {
    namespace::check()?;
    let home = root().join("target").join("real-clients");
    let installed = install::installed(&home)?;
    let programs =
        Programs { charrette: charrette(args.charrette.as_ref())?, mock_model: built("mock-model") };
    let runs = home.join("runs");
    if runs.exists() {
        fs_err::remove_dir_all(&runs)?;
    }
    let only = args.only.as_deref().unwrap_or("");
    let started = Instant::now();
    let queue: VecDeque<Job> = jobs(args.short, only).into();
    if queue.is_empty() {
        return Err(format!("there is no case with {only} in its name").into());
    }
    let (total, queue, failed) = (queue.len(), Mutex::new(queue), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(job) = next(&queue) {
                    let name = job.name();
                    let began = Instant::now();
                    let result = job.play(&programs, &installed, &runs);
                    report(&name, began.elapsed(), result.as_ref().err());
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
            "{} of {total} cases went wrong: {}; see {}",
            failed.len(),
            failed.join(", "),
            runs.display()
        )
        .into());
    }
    println!(
        "{total} cases in {:.0} s: right each time, no process left, no connection beyond loopback",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn next<T>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// One thing to be done.
enum Job {
    Case(Box<Client>, Case),
    Design(Design),
}

/// The cases to run, slowest first, to keep all workers busy.
fn jobs(short: bool, only: &str) -> Vec<Job> {
    let designs = designs::ALL.into_iter().filter(|design| !short || !design.is_slow);
    let cases = clients::all()
        .into_iter()
        .flat_map(|client| Case::of(&client).into_iter().map(move |case| (client.clone(), case)));
    let jobs = designs.map(Job::Design).chain(cases.map(|(client, case)| Job::Case(Box::new(client), case)));
    jobs.filter(|job| job.name().contains(only)).collect()
}

impl Job {
    fn name(&self) -> String {
        match self {
            Job::Case(client, case) => case.name(client),
            Job::Design(design) => design.name.to_owned(),
        }
    }

    fn play(&self, programs: &Programs, installed: &Installed, runs: &Path) -> Result<(), String> {
        match self {
            Job::Case(client, case) => {
                let folder = runs.join(self.name().replace('/', "-"));
                let stage = Stage::set(client, *case, installed, &folder);
                let stage = stage.map_err(|error| error.to_string())?;
                let ended = stage.play(programs).map_err(|error| error.to_string())?;
                verdict::of(client, *case, &stage, &ended)
            }
            Job::Design(design) => designs::play(design, programs, installed, runs),
        }
    }
}

fn report(name: &str, took: Duration, problem: Option<&String>) {
    match problem {
        None => println!("{name:<28} ok  {:>5.1} s", took.as_secs_f64()),
        Some(problem) => println!("{name:<28} WRONG {:>3.1} s: {problem}", took.as_secs_f64()),
    }
}

/// Builds our own programs.
fn charrette(instead: Option<&PathBuf>) -> Outcome<PathBuf> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let status = cargo()
        .args(["build", "--quiet", "--package", "charrette-cli", "--package", "charrette-testkit", "--bins"])
        .args(profile)
        .current_dir(root())
        .status()?;
    if !status.success() {
        return Err("charrette or the mock model does not build".into());
    }
    Ok(instead.cloned().unwrap_or_else(|| built("charrette")))
}

fn built(program: &str) -> PathBuf {
    let folder = if cfg!(debug_assertions) { "debug" } else { "release" };
    root().join("target").join(folder).join(program)
}
