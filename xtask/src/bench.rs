//! Benchmarks: ratios measured within one run, because machines are shared and noisy.
//!
//! Every figure compares us with the least that could do the job: a bare durable write, an empty program,
//! reading the same bytes. Subject and yardstick take turns, and medians are compared.

mod agents;
mod design;
mod documents;
mod engine;
mod panel;
pub(crate) mod ratio;
mod start;
mod survey;

use crate::Outcome;
use crate::programs::cargo;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Only the figures whose name contains this
    only: Option<String>,
    /// Fail if a ratio is over its limit
    #[arg(long)]
    strict: bool,
    /// Measure the survey's ranking on the commits of this repository, instead of speed
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// At most so many commits, spread over the history
    #[arg(long, value_name = "N", default_value_t = 200)]
    commits: usize,
    /// Say for each commit what was found and what was not
    #[arg(long)]
    each: bool,
}

pub(crate) fn bench(args: &BenchArgs) -> Outcome {
    if let Some(repository) = &args.repo {
        // How good it is does not depend on how it was built.
        return survey::recall(repository, args.commits, args.each);
    }
    if cfg!(debug_assertions) {
        return in_release(args);
    }
    let only = args.only.as_deref().unwrap_or("");
    let mut figures = documents::figures(only)?;
    figures.extend(start::figures(only)?);
    figures.extend(engine::figures(only)?);
    figures.extend(agents::figures(only)?);
    figures.extend(panel::figures(only)?);
    figures.extend(design::figures(only)?);
    figures.extend(survey::figures(only)?);
    for figure in &figures {
        println!("{figure}");
    }
    let over = figures.iter().filter(|figure| !figure.is_within()).count();
    if args.strict && over > 0 { Err(format!("{over} figures are over their limit").into()) } else { Ok(()) }
}

/// Runs the benchmarks in a release build, as users have it.
fn in_release(args: &BenchArgs) -> Outcome {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]).args(&args.only);
    if args.strict {
        command.arg("--strict");
    }
    if command.status()?.success() { Ok(()) } else { Err("bench failed".into()) }
}
