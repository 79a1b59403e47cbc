//! Crash tests: kills the binary at its system calls, and makes its writes fail.
//!
//! `strace` injects the kills and errors from outside; the product has no test hooks. [`operations`] are the commands,
//! [`points`] the injection points, [`checks`] the checks afterwards, [`disks`] full and read-only disks. [`flow`]
//! kills a run of the rehearsal, [`research`] a research run, [`design`] a design, [`git`] a design inside its git commands, [`tracker`] an approved design with
//! a tracker, [`implement`] an implementation.

mod checks;
mod design;
mod disks;
mod flow;
mod git;
mod implement;
mod operations;
mod points;
mod research;
mod tracker;
mod workers;

use crate::TaskResult;
use crate::programs::{build_debug_charrette, build_static_charrette};
use clap::Args;
use operations::Operation;
use points::{Fault, Point};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CrashArgs {
    /// Only every Nth injection point
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Number of kills at random moments
    #[arg(long, value_name = "N", default_value_t = 500)]
    random: u64,
    /// Maximum number of kills of a whole design
    #[arg(long, value_name = "N")]
    designs: Option<usize>,
    /// Only the whole design
    #[arg(long)]
    only_designs: bool,
    /// About this many kills of an approved design with a tracker
    #[arg(long, value_name = "N")]
    trackers: Option<usize>,
    /// Only the approved design with a tracker
    #[arg(long, conflicts_with = "only_designs")]
    only_trackers: bool,
    /// Only the design that is killed inside git
    #[arg(long, conflicts_with_all = ["only_designs", "only_trackers"])]
    only_git: bool,
    /// Only the research run
    #[arg(long, conflicts_with_all = ["only_designs", "only_trackers"])]
    only_research: bool,
    /// Maximum number of kills of an implementation at durable writes
    #[arg(long, value_name = "N")]
    implementations: Option<usize>,
    /// Number of kills of an implementation at random moments
    #[arg(long, value_name = "N", default_value_t = 200)]
    random_implementations: usize,
    /// Only the implementation
    #[arg(long, conflicts_with_all = ["only_designs", "only_trackers", "only_git", "only_research"])]
    only_implement: bool,
    /// Use the debug binary instead of the static release binary with all features
    #[arg(long)]
    debug: bool,
}

pub(crate) fn crash(args: &CrashArgs) -> TaskResult {
    if args.only_designs {
        return design::crash(args.every, args.designs);
    }
    if args.only_git {
        return git::crash(args.every);
    }
    if args.only_research {
        return research::crash(args.every);
    }
    if args.only_trackers {
        return tracker::crash(args.every, args.trackers);
    }
    if args.only_implement {
        return implement::crash(args.every, args.implementations, args.random_implementations);
    }
    let charrette = if args.debug { build_debug_charrette()? } else { build_static_charrette()? };
    let (mut kills, mut errors) = (0, 0);
    for operation in Operation::ALL {
        let points = points::find(&charrette, *operation)?;
        for point in points.kills.iter().step_by(args.every) {
            inject(&charrette, *operation, point)?;
            kills += 1;
        }
        for point in points.errors.iter().step_by(args.every) {
            inject(&charrette, *operation, point)?;
            errors += 1;
        }
        println!(
            "{operation:<24} {:>4} kill points, {:>4} error points",
            points.kills.len(),
            points.errors.len()
        );
    }
    println!(
        "killed at {kills} system calls: no torn document, no acknowledged change lost, no leftovers after the next change"
    );
    println!(
        "failed {errors} system calls with ENOSPC or EIO: previous document intact or change acknowledged each time"
    );
    checks::kill_at_random(&charrette, args.random)?;
    println!("{} kills at random moments: no torn document, no acknowledged change lost", args.random);
    disks::check_full_and_read_only(&charrette)?;
    flow::crash(args.every)?;
    research::crash(args.every)?;
    git::crash(args.every)?;
    design::crash(args.every, args.designs)?;
    tracker::crash(args.every, args.trackers)?;
    if args.implementations == Some(0) {
        return Ok(());
    }
    implement::crash(args.every, args.implementations, args.random_implementations)
}

fn inject(charrette: &std::path::Path, operation: Operation, point: &Point) -> TaskResult {
    let setup = operations::OperationSetup::new(operation)?;
    let output = setup.run_with(charrette, operation, &point.strace())?;
    let checked = match point.fault {
        Fault::Kill => checks::check_after_kill(charrette, &setup, operation, &output),
        Fault::Error(_) => checks::check_after_error(charrette, &setup, operation, &output),
    };
    checked.map_err(|problem| {
        format!("{operation}, {point}: {problem}\nstdout: {}stderr: {}", output.stdout, output.stderr).into()
    })
}
