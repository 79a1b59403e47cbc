//! Benchmarks: ratios measured within one run, because machines are shared and noisy.
//!
//! Every figure compares charrette with a minimal baseline: a bare durable write, an empty program, reading the same
//! bytes. Subject and baseline alternate, and medians are compared.

mod agents;
mod design;
mod documents;
mod engine;
mod hook;
mod implement;
mod mcp;
mod panel;
pub(crate) mod ratio;
mod start;
mod survey;

pub(crate) use hook::measure_published_hook;

use crate::TaskResult;
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
    /// Measure the ranking of the survey on the commits of this repository, instead of speed
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Maximum number of commits, sampled evenly over the history
    #[arg(long, value_name = "N", default_value_t = 200)]
    commits: usize,
    /// Print the rank of each file of each commit
    #[arg(long)]
    each: bool,
}

pub(crate) fn bench(args: &BenchArgs) -> TaskResult {
    if let Some(repository) = &args.repo {
        // Ranking quality does not depend on the build profile.
        return survey::measure_recall(repository, args.commits, args.each);
    }
    if cfg!(debug_assertions) {
        return rerun_in_release(args);
    }
    let only = args.only.as_deref().unwrap_or("");
    let mut figures = documents::figures(only)?;
    figures.extend(start::figures(only)?);
    figures.extend(hook::figures(only)?);
    figures.extend(mcp::figures(only)?);
    figures.extend(engine::figures(only)?);
    figures.extend(agents::figures(only)?);
    figures.extend(panel::figures(only)?);
    figures.extend(design::figures(only)?);
    figures.extend(implement::figures(only)?);
    figures.extend(survey::figures(only)?);
    for figure in &figures {
        println!("{figure}");
    }
    let over_limit = figures.iter().filter(|figure| !figure.is_within_limit()).count();
    if args.strict && over_limit > 0 {
        Err(format!("{over_limit} figures exceed their limit").into())
    } else {
        Ok(())
    }
}

/// Runs the benchmarks in a release build of xtask.
fn rerun_in_release(args: &BenchArgs) -> TaskResult {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]).args(&args.only);
    if args.strict {
        command.arg("--strict");
    }
    if command.status()?.success() { Ok(()) } else { Err("bench failed".into()) }
}
