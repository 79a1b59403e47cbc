//! Development tasks: `cargo xtask tidy`, `bench`, `crash`, `fuzz`, `real-clients`, `arena`,
//! `rehearse`, `static`, `dist`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers, not the product"
)]

mod arena;
mod bench;
mod crash;
mod design;
mod dist;
mod driver;
mod fuzz;
mod implementation;
mod mcp_clients;
mod programs;
mod real_clients;
mod rehearse;
mod saved_start;
mod targets;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Result of a task; the error is printed.
type TaskResult<T = ()> = Result<T, Box<dyn std::error::Error>>;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the house rules: crate edges, file sizes, generated files
    Tidy {
        /// Regenerate the generated files
        #[arg(long)]
        fix: bool,
    },
    /// Measure speed and memory as ratios to a baseline in the same run
    Bench(bench::BenchArgs),
    /// Kill the static release binary at its system calls, and fail its writes
    Crash(crash::CrashArgs),
    /// Feed every parser with garbage input made of pieces of the grammars
    Fuzz(fuzz::FuzzArgs),
    /// Drive the real agent clients against a scripted model, without a network
    RealClients(real_clients::RealClientsArgs),
    /// Try `charrette mcp` with the protocol's own client, inspector and conformance suite
    McpClients(mcp_clients::McpClientsArgs),
    /// Compare the panel's files with a lone designer's, blind
    #[command(subcommand)]
    Arena(arena::ArenaTask),
    /// Keep the answers of a run, and replay them against changed prompts and code
    Rehearse(rehearse::RehearseArgs),
    /// Answer one call from a cassette: the agent of `rehearse --replay`
    #[command(hide = true)]
    Play(rehearse::PlayArgs),
    /// Answer one call from a script of the test kit: the stand-ins of `rehearse --replay`
    #[command(hide = true)]
    FakeAgent { script: PathBuf, agent: String },
    /// Build the static release binary with all features and print its path
    Static,
    /// Build the published archives into target/dist
    Dist,
    /// Write the man pages of the commands in this build into a folder
    #[command(hide = true)]
    Man { folder: PathBuf },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Tidy { fix } => tidy::tidy(fix),
        Task::Bench(args) => bench::bench(&args),
        Task::Crash(args) => crash::crash(&args),
        Task::Fuzz(args) => fuzz::fuzz(&args),
        Task::RealClients(args) => real_clients::real_clients(&args),
        Task::McpClients(args) => mcp_clients::mcp_clients(&args),
        Task::Arena(task) => arena::arena(&task),
        Task::Rehearse(args) => rehearse::rehearse(&args),
        Task::Play(args) => rehearse::play(&args),
        // It reads the two arguments itself.
        Task::FakeAgent { .. } => return charrette_testkit::fake_agent::main(),
        Task::Static => programs::build_static_charrette().map(|path| println!("{}", path.display())),
        Task::Dist => dist::dist(),
        Task::Man { folder } => dist::man::write(&folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
