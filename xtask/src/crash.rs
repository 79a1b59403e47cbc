//! The binary killed at every system call that matters, and every write made to fail.
//!
//! Nothing in the product knows about this: `strace` injects the kills and the errors from outside.
//! [`operations`] are the commands, [`points`] where they can be hit, [`checks`] what must hold afterwards. [`flow`] does the same to a whole
//! run, [`research`] to a whole research run, [`design`] to a whole design, [`tracker`] to its end with a tracker.

mod checks;
mod design;
mod disks;
mod flow;
mod operations;
mod points;
mod research;
mod tracker;
mod workers;

use crate::Outcome;
use crate::programs::{debug_charrette, static_charrette};
use clap::Args;
use operations::Operation;
use points::{Fault, Point};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CrashArgs {
    /// Only every Nth point
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Number of kills at random moments
    #[arg(long, value_name = "N", default_value_t = 500)]
    random: u64,
    /// At most this many points of a whole design
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
    /// Only the research run
    #[arg(long, conflicts_with_all = ["only_designs", "only_trackers"])]
    only_research: bool,
    /// The binary as it is built for tests, in place of the one that is published
    #[arg(long)]
    debug: bool,
}

pub(crate) fn crash(args: &CrashArgs) -> Outcome {
    if args.only_designs {
        return design::crash(args.every, args.designs);
    }
    if args.only_research {
        return research::crash(args.every);
    }
    if args.only_trackers {
        return tracker::crash(args.every, args.trackers);
    }
    let charrette = if args.debug { debug_charrette()? } else { static_charrette()? };
    let (mut kills, mut errors) = (0, 0);
    for operation in Operation::ALL {
        let points = points::of(&charrette, *operation)?;
        for point in points.kills.iter().step_by(args.every) {
            hit(&charrette, *operation, point)?;
            kills += 1;
        }
        for point in points.errors.iter().step_by(args.every) {
            hit(&charrette, *operation, point)?;
            errors += 1;
        }
        println!(
            "{operation:<24} {:>4} kill points, {:>4} error points",
            points.kills.len(),
            points.errors.len()
        );
    }
    println!(
        "killed at {kills} system calls: 0 torn, 0 acknowledged changes lost, 0 leftovers after the next change"
    );
    println!(
        "failed {errors} system calls with ENOSPC or EIO: the previous document intact each time, or the change acknowledged"
    );
    checks::random_kills(&charrette, args.random)?;
    println!("{} kills at random moments: 0 torn, 0 acknowledged changes lost", args.random);
    disks::full_and_read_only(&charrette)?;
    flow::crash(args.every)?;
    research::crash(args.every)?;
    design::crash(args.every, args.designs)?;
    tracker::crash(args.every, args.trackers)
}

fn hit(charrette: &std::path::Path, operation: Operation, point: &Point) -> Outcome {
    let scene = operations::OperationScene::set(operation)?;
    let said = scene.run_with(charrette, operation, &point.strace())?;
    let after = match point.fault {
        Fault::Kill => checks::after_kill(charrette, &scene, operation, &said),
        Fault::Error(_) => checks::after_error(charrette, &scene, operation, &said),
    };
    after.map_err(|problem| {
        format!("{operation}, {point}: {problem}\nstdout: {}stderr: {}", said.stdout, said.stderr).into()
    })
}
