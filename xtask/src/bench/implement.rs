//! An implementation: what the engine adds to each task on top of the bare commands, and what its lanes gain.

use super::ratio::{Figure, compare_with_setup};
use crate::TaskResult;
use crate::implementation::ImplementationRig;
use charrette_testkit::till::Till;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OVERHEAD: &str = "ten tasks, against the bare commands";
const LANES: &str = "ten tasks of two seconds, in four lanes";

/// Number of measured tasks.
const TASKS: usize = 10;
/// Rounds of the first figure.
const ROUNDS: usize = 7;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let is_wanted = |name: &str| name.contains(only) || "implement".contains(only);
    let mut figures = Vec::new();
    if is_wanted(OVERHEAD) {
        figures.push(measure_overhead()?);
    }
    if is_wanted(LANES) {
        figures.push(measure_lanes()?);
    }
    Ok(figures)
}

/// The cost of ten tasks: eleven without the cost of one, which has that of the run itself.
fn measure_overhead() -> TaskResult<Figure> {
    let all = create_rig(TASKS + 1, "")?;
    let one = create_rig(1, "")?;
    let bare = BareTasks::new(&all)?;
    let (mut subjects, mut baselines) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + 2 {
        let many = time(&all, |rig| rig.run_to_success(&[]))?;
        let single = time(&one, |rig| rig.run_to_success(&[]))?;
        let baseline = time(&all, |_| bare.run())?;
        // The first rounds warm caches.
        if round >= 2 {
            subjects.push(many.saturating_sub(single));
            baselines.push(baseline);
        }
    }
    let (subject, baseline) = (median(subjects), median(baselines));
    Ok(Figure { name: OVERHEAD, subject, baseline, unit: "ms", limit: 2.0 })
}

fn measure_lanes() -> TaskResult<Figure> {
    let rig = create_rig(TASKS, "sleep 2")?;
    let run = |lanes: &str| -> TaskResult {
        let mut command = rig.command(&[]);
        let output = command.arg(lanes).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(format!("{lanes} failed: {stderr}").into()) }
    };
    let set_up = || rig.restore_without_deleting();
    compare_with_setup(LANES, 0.4, 1, set_up, || run("--parallel=4"), || run("--sequential"))
}

/// An implementation of independent tasks without reviews, whose agents do this before they answer.
fn create_rig(tasks: usize, more: &str) -> TaskResult<ImplementationRig> {
    let arguments: &[&str] =
        if more.is_empty() { &["--no-review", "--sequential"] } else { &["--no-review"] };
    ImplementationRig::new(arguments, |till: &Till| {
        till.make_independent(tasks);
        till.set_part("implementer", &till.working_part(more));
    })
}

fn time(rig: &ImplementationRig, run: impl FnOnce(&ImplementationRig) -> TaskResult) -> TaskResult<Duration> {
    rig.restore_without_deleting()?;
    let started = Instant::now();
    run(rig)?;
    Ok(started.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// Baseline: what a person would type for each task, with the same agents and commands.
struct BareTasks<'a> {
    rig: &'a ImplementationRig,
    folder: PathBuf,
}

impl BareTasks<'_> {
    fn new(rig: &ImplementationRig) -> TaskResult<BareTasks<'_>> {
        let folder = rig.till.sandbox.outside("bare");
        fs_err::create_dir_all(&folder)?;
        Ok(BareTasks { rig, folder })
    }

    fn run(&self) -> TaskResult {
        let root = self.rig.till.sandbox.work();
        self.git(&root, &["update-ref", "refs/bare", "HEAD"])?;
        for number in 1..=TASKS {
            self.implement(&root, number)?;
        }
        self.git(&root, &["merge", "-q", "--ff-only", "refs/bare"])
    }

    /// One task: worktree, agent, verify and proof, commit, trial merge, verify and proof of what lands, ref, removal.
    fn implement(&self, root: &Path, number: usize) -> TaskResult {
        let worktree = self.folder.join(format!("T{number:03}"));
        let (place, file) = (worktree.display().to_string(), format!("till/piece{number}.py"));
        self.git(root, &["worktree", "add", "-q", "--detach", &place, "refs/bare"])?;
        self.agent(&worktree, number)?;
        self.command(&worktree, &["test", "-e", "till/basket.py"])?;
        self.command(&worktree, &["test", "-e", &file])?;
        // Red: the proof on the old tree.
        self.command(root, &["test", "!", "-e", &file])?;
        self.git(&worktree, &["add", "-A"])?;
        self.git(&worktree, &["commit", "-q", "-m", &format!("feat: piece {number}")])?;
        self.git(&worktree, &["merge-tree", "--write-tree", "refs/bare", "HEAD"])?;
        self.git(&worktree, &["update-ref", "refs/bare", "HEAD"])?;
        self.git(root, &["worktree", "remove", "--force", &place])
    }

    fn agent(&self, worktree: &Path, number: usize) -> TaskResult {
        let mut command =
            self.rig.till.command(self.rig.agent(), [self.rig.till.script().as_os_str(), "claude".as_ref()]);
        command.current_dir(worktree).env("CHARRETTE_SEAT", "implementer");
        command.env("CHARRETTE_LANE", format!("bare/implementation-T{number:03}.implement-1-1"));
        succeed(&mut command)
    }

    fn command(&self, folder: &Path, words: &[&str]) -> TaskResult {
        succeed(self.rig.till.command(words[0], &words[1..]).current_dir(folder))
    }

    fn git(&self, folder: &Path, args: &[&str]) -> TaskResult {
        succeed(self.rig.till.command("git", args).current_dir(folder))
    }
}

fn succeed(command: &mut Command) -> TaskResult {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}").into()) }
}
