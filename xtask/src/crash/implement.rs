//! An implementation of four tasks, three of them side by side, killed at every durable write of its driver and at random
//! moments: driver, agents and git. The resumed run ends with the same tree, integrates nothing twice, asks nobody again who
//! has answered, and leaves no worktree, ref, lock or process behind.

use super::design::{called_steps, recorded_steps};
use super::points::{self, Point};
use super::workers::{Queue, run_parallel};
use crate::TaskResult;
use crate::implementation::ImplementationRig;
use charrette_testkit::till::leftovers;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Tasks of a run.
const TASKS: [&str; 4] = ["T001", "T002", "T003", "T005"];
/// Maximum number of calls in flight.
const MAX_PARALLEL: usize = 3;
/// Maximum number of times that a killed run is resumed.
const MAX_RESUMES: usize = 6;

/// Kills at every Nth durable write, or at fewer if that exceeds `most` kills; then `random` times at random moments.
pub(super) fn crash(every: usize, most: Option<usize>, random: usize) -> TaskResult {
    let rig = create_rig()?;
    let log = rig.till.sandbox.outside("strace.log");
    rig.run_to_success(&points::trace_durable_writes(&log, &[]))?;
    let expected = read_tree(&rig)?;
    check_end(&rig, &expected)?;
    let all = points::durable_writes(&log)?;
    let every = most.map_or(every, |most| every.max(all.len().div_ceil(most.max(1))));
    let chosen: Vec<&Point> = all.iter().step_by(every).collect();
    let locks = AtomicUsize::new(0);
    run_parallel(&chosen, |queue| kill_at_points(queue, &expected, &locks))?;
    println!(
        "an implementation killed at {} of {} durable writes: same tree each time, nothing twice, nothing left, {} locks removed as told",
        chosen.len(),
        all.len(),
        locks.load(Ordering::SeqCst)
    );
    rig.restore()?;
    let started = Instant::now();
    rig.run_to_success(&[])?;
    let duration = started.elapsed();
    let moments: Vec<RandomKill> = (0..random).map(|number| RandomKill::new(number, duration)).collect();
    let (locks, killed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    run_parallel(&moments, |queue| kill_at_random(queue, &expected, &locks, &killed))?;
    println!(
        "an implementation killed at {} of {random} random moments (driver, agents, git): same tree each time, nothing twice, nothing left, {} locks removed as told",
        killed.load(Ordering::SeqCst),
        locks.load(Ordering::SeqCst)
    );
    Ok(())
}

fn create_rig() -> TaskResult<ImplementationRig> {
    ImplementationRig::new(&["--task=T001,T002,T003,T005"], charrette_testkit::till::Till::make_instant)
}

/// Worker: kills an implementation at each point of the queue.
fn kill_at_points(queue: &Queue<'_, &Point>, expected: &str, locks: &AtomicUsize) -> TaskResult {
    let rig = create_rig()?;
    while let Some(point) = queue.take() {
        rig.restore()?;
        rig.run(&point.strace_without_children())?;
        let removed = resume_and_check(&rig, expected)
            .map_err(|problem| format!("the implementation {point}: {problem}"))?;
        locks.fetch_add(removed, Ordering::SeqCst);
    }
    Ok(())
}

/// A kill at a random moment.
#[derive(Debug)]
struct RandomKill {
    after: Duration,
    target: KillTarget,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum KillTarget {
    /// The driver alone; what it started lives on.
    Driver,
    /// The driver and everything that it started, at once.
    Everything,
    /// One program that it started, git if one is running; the driver goes on.
    Program,
}

impl RandomKill {
    /// The moments are the same in every run of the test.
    fn new(number: usize, duration: Duration) -> RandomKill {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 1);
        seed = (seed ^ (seed >> 29)).wrapping_mul(6_364_136_223_846_793_005);
        let duration = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let target = [KillTarget::Driver, KillTarget::Everything, KillTarget::Program][number % 3];
        RandomKill { after: Duration::from_micros((seed >> 20) % duration.max(1)), target }
    }

    /// Starts the run and kills. Returns false if it had ended already.
    fn strike(&self, rig: &ImplementationRig) -> TaskResult<bool> {
        let mut driver = rig.command(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(self.after);
        let is_running = driver.try_wait()?.is_none();
        let others = processes(rig).into_iter().filter(|(id, _)| *id != driver.id());
        let others: Vec<(u32, String)> = others.collect();
        match self.target {
            KillTarget::Driver => driver.kill()?,
            KillTarget::Everything => {
                driver.kill()?;
                for (id, _) in &others {
                    kill(*id);
                }
            }
            KillTarget::Program => {
                let git = others.iter().find(|(_, command)| command.starts_with("git "));
                if let Some((id, _)) = git.or(others.first()) {
                    kill(*id);
                }
            }
        }
        driver.wait()?;
        Ok(is_running)
    }
}

/// Worker: kills an implementation at each moment of the queue.
fn kill_at_random(
    queue: &Queue<'_, RandomKill>,
    expected: &str,
    locks: &AtomicUsize,
    killed: &AtomicUsize,
) -> TaskResult {
    let rig = create_rig()?;
    while let Some(moment) = queue.take() {
        rig.restore()?;
        let was_running = moment.strike(&rig)?;
        killed.fetch_add(usize::from(was_running), Ordering::SeqCst);
        let removed = resume_and_check(&rig, expected)
            .map_err(|problem| format!("the implementation with {moment:?}: {problem}"))?;
        locks.fetch_add(removed, Ordering::SeqCst);
    }
    Ok(())
}

/// Resumes a killed run to its end and checks the result. Returns the number of locks of git that had to be removed, as the
/// run told.
fn resume_and_check(rig: &ImplementationRig, expected: &str) -> TaskResult<usize> {
    let recorded = rig.till.state().as_ref().map(recorded_steps).unwrap_or_default();
    let before = called_steps(&rig.till.log());
    let _ = fs_err::remove_file(rig.till.log());
    let locks = resume(rig)?;
    let after = called_steps(&rig.till.log());
    if let Some(step) = after.iter().find(|step| recorded.contains(*step)) {
        return Err(format!("the recorded call of {step} was repeated").into());
    }
    let repeated = after.iter().filter(|step| before.contains(step)).count();
    if repeated > MAX_PARALLEL {
        return Err(format!("{repeated} calls were repeated, more than were in flight").into());
    }
    check_end(rig, expected)?;
    Ok(locks)
}

/// Resumes until the run is complete. A lock that git left is removed if the run says how.
fn resume(rig: &ImplementationRig) -> TaskResult<usize> {
    let mut locks = 0;
    for _ in 0..MAX_RESUMES {
        if rig.is_complete() {
            return Ok(locks);
        }
        let output = rig.run(&[])?;
        if output.status.success() {
            return Ok(locks);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match said.split("remove it: rm ").nth(1).and_then(|rest| rest.split_whitespace().next()) {
            Some(lock) => {
                fs_err::remove_file(lock)?;
                locks += 1;
            }
            None => return Err(format!("the run does not continue: {} {said}", output.status).into()),
        }
    }
    Err(format!("the run is not complete after {MAX_RESUMES} starts").into())
}

/// Checks the tree, the commits and what was left behind.
fn check_end(rig: &ImplementationRig, expected: &str) -> TaskResult {
    let tree = read_tree(rig)?;
    if tree != expected {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        let differing: Vec<String> = lines(&tree).symmetric_difference(&lines(expected)).cloned().collect();
        return Err(
            format!("the tree differs from that of an uninterrupted run: {}", differing.join(", ")).into()
        );
    }
    let format = "--format=%(trailers:key=Charrette-Task,valueonly,separator=)";
    let listed = rig.till.sandbox.git(["log", "--reverse", format, "origin/main..main"]);
    let tasks: Vec<&str> = listed.lines().filter(|line| !line.is_empty()).collect();
    if tasks != TASKS {
        return Err(format!("commits of {tasks:?} instead of {TASKS:?}").into());
    }
    match rig.till.leftovers().as_slice() {
        [] => Ok(()),
        left => Err(format!("left behind: {}", left.join("; ")).into()),
    }
}

/// Files of the tree of the user's branch, with their ids.
fn read_tree(rig: &ImplementationRig) -> TaskResult<String> {
    let status = rig.till.sandbox.git(["status", "--porcelain", "--", "till", "tests", "specs"]);
    if !status.is_empty() {
        return Err(format!("the checkout is not clean: {status}").into());
    }
    Ok(rig.till.sandbox.git(["ls-tree", "-r", "main"]))
}

/// Processes of the run, as id and command line.
fn processes(rig: &ImplementationRig) -> BTreeSet<(u32, String)> {
    let lines = leftovers::processes(&rig.till.sandbox);
    let parse = |line: String| {
        let (id, command) = line.strip_prefix("process ")?.split_once(' ')?;
        Some((id.parse().ok()?, command.to_owned()))
    };
    lines.into_iter().filter_map(parse).collect()
}

fn kill(id: u32) {
    let _ = Command::new("kill").args(["-9", &id.to_string()]).stderr(Stdio::null()).status();
}
