//! Development tasks: `cargo xtask tidy`, `bench`, `crash`, `fuzz`, `real-clients`, `static`,
//! `dist`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers, not the product"
)]

mod bench;
mod crash;
mod design;
mod dist;
mod fuzz;
mod programs;
mod real_clients;
mod targets;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Either it worked, or this is what to tell the developer.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check the rules of the house: crate edges, file sizes, generated files
    Tidy {
        /// Write the generated files anew
        #[arg(long)]
        fix: bool,
    },
    /// Measure what must be fast, as ratios within one run
    Bench(bench::BenchArgs),
    /// Kill the release binary at every system call that matters, and fail its writes
    Crash(crash::CrashArgs),
    /// Feed every grammar with rubbish that looks like it
    Fuzz(fuzz::FuzzArgs),
    /// Drive the real agent clients against a scripted model, without a network
    RealClients(real_clients::RealClientsArgs),
    /// Build the static release binary and print its path
    Static,
    /// Build and pack what is published, into target/dist
    Dist,
    /// Write the man pages of the commands that are built in here into a folder
    #[command(hide = true)]
    Man { folder: PathBuf },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Tidy { fix } => tidy::tidy(fix),
        Task::Bench(args) => bench::bench(&args),
        Task::Crash(args) => crash::crash(&args),
        Task::Fuzz(args) => fuzz::fuzz(&args),
        Task::RealClients(args) => real_clients::real_clients(&args),
        Task::Static => programs::static_charrette().map(|path| println!("{}", path.display())),
        Task::Dist => dist::dist(),
        Task::Man { folder } => dist::man::write(&folder),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
