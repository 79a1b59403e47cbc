//! A whole design: what it costs on top of the agents, the writes and the git commands it consists of, how much memory
//! it takes, and what going on costs when little is left to do.

use super::documents::bare_durable_write;
use super::ratio::{Figure, compare_from};
use crate::Outcome;
use crate::design::Rig;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const WHOLE: &str = "a regular design, against what it consists of";
const MEMORY: &str = "a regular design, peak of memory";
const RESUMED: &str = "resuming a design with one step left";

/// Maximum peak memory in megabytes.
const MEGABYTES: f64 = 60.0;
/// As long as the prompts are on average, about.
const PROMPT: usize = 16 << 10;

/// Agent calls of a design, grouped by what runs in parallel: (seat, agent).
const SHAPE: [&[(&str, &str)]; 18] = [
    &[
        ("researcher-requirements", "claude"),
        ("researcher-dependencies", "codex"),
        ("researcher-tasks", "cursor"),
    ],
    &[("aggregator", "claude")],
    &[("clarifier", "claude")],
    &[("scoper", "claude")],
    &[
        ("cursor-arch", "cursor"),
        ("cursor-edge", "cursor"),
        ("codex-innovation", "codex"),
        ("codex-pragmatic", "codex"),
    ],
    &[("synthesist", "claude")],
    &[
        ("debate-1-thesis", "cursor"),
        ("debate-1-antithesis", "cursor"),
        ("debate-2-thesis", "codex"),
        ("debate-2-antithesis", "codex"),
    ],
    &[("judge-cursor", "cursor"), ("judge-codex", "codex"), ("judge-claude", "claude")],
    &[("planner", "claude")],
    &[
        ("reviewer-arch", "cursor"),
        ("reviewer-edge", "cursor"),
        ("reviewer-innovation", "codex"),
        ("reviewer-pragmatic", "codex"),
    ],
    &[("merger", "claude")],
    &[("voter-cursor", "cursor"), ("voter-codex", "codex"), ("voter-claude", "claude")],
    &[("reviser", "claude")],
    &[("discusser", "claude")],
    &[("finisher", "claude")],
    &[("illustrator", "claude")],
    &[("writer", "claude")],
    &[("validator", "codex")],
];

pub(super) fn figures(only: &str) -> Outcome<Vec<Figure>> {
    // The figures are one group: each needs the run of the others.
    let is_wanted =
        "design".contains(only) || [WHOLE, MEMORY, RESUMED].iter().any(|name| name.contains(only));
    if !is_wanted {
        return Ok(Vec::new());
    }
    let rig = Rig::set()?;
    let parts = Parts::of(&rig)?;
    let agents: usize = SHAPE.iter().map(|side_by_side| side_by_side.len()).sum();
    let each = |name, count: usize, limit| Figure {
        name,
        subject: as_f64(count),
        yardstick: as_f64(agents),
        unit: "",
        limit,
    };
    let counts = [
        each("durable writes of a design, by its agents", parts.writes, 6.0),
        each("git commands of a design, by its agents", parts.gits.len(), 2.0),
    ];
    let whole =
        compare_from(WHOLE, 1.4, 15, || rig.restore_beside(), || rig.run_well(&[]), || parts.bare(&rig))?;
    let memory = Figure { name: MEMORY, subject: peak(&rig)?, yardstick: 1.0, unit: "MB", limit: MEGABYTES };
    Ok(counts.into_iter().chain([whole, memory, resumed(&rig)?]).collect())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// The parts of a design, counted with strace.
struct Parts {
    writes: usize,
    bytes: Vec<u8>,
    gits: Vec<Vec<String>>,
    bare: PathBuf,
}

impl Parts {
    fn of(rig: &Rig) -> Outcome<Parts> {
        rig.restore()?;
        let trace = rig.panel.sandbox.outside("trace");
        let wrapper: Vec<OsString> =
            ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=fsync,fdatasync,execve", "-o"]
                .iter()
                .map(OsString::from)
                .chain([trace.clone().into()])
                .collect();
        rig.run_well(&wrapper)?;
        let text = String::from_utf8_lossy(&fs_err::read(&trace)?).into_owned();
        let is_sync = |line: &&str| line.contains("sync(") && !line.contains("resumed");
        let syncs = text.lines().filter(is_sync).count();
        let document = rig.document().ok_or("there is no document")?;
        // The document grows from nothing, so half of it is what a change writes on average.
        let document = serde_json::to_vec_pretty(&document)?;
        let bare = rig.panel.sandbox.outside("bare");
        fs_err::create_dir_all(&bare)?;
        Ok(Parts {
            writes: syncs / 2,
            bytes: document[..document.len() / 2].to_vec(),
            gits: gits_in(&text),
            bare,
        })
    }

    /// All of it, and nothing else.
    fn bare(&self, rig: &Rig) -> Outcome {
        for side_by_side in SHAPE {
            let started: Vec<_> =
                side_by_side.iter().map(|(seat, agent)| spawned(rig, seat, agent)).collect::<Outcome<_>>()?;
            for child in started {
                child.wait_with_output()?;
            }
        }
        for _ in 0..self.writes {
            bare_durable_write(&self.bare, &self.bytes)?;
        }
        for args in &self.gits {
            let mut command = rig.panel.sandbox.command("git");
            // Some say no, as they said to the design.
            command.args(args).stdin(Stdio::null()).output()?;
        }
        Ok(())
    }
}

/// An agent that was only started, and told something.
fn spawned(rig: &Rig, seat: &str, agent: &str) -> Outcome<std::process::Child> {
    let fake = rig.program.with_file_name("fake-agent");
    let mut command = rig.panel.sandbox.command(fake);
    command.arg(rig.panel.script()).arg(agent).env("CHARRETTE_SEAT", seat);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&vec![b'x'; PROMPT])?;
    }
    Ok(child)
}

/// The arguments of every git command in what strace saw. A call that was interrupted by another process has a
/// second line that says how it went.
fn gits_in(trace: &str) -> Vec<Vec<String>> {
    let mut begun: HashMap<&str, Vec<String>> = HashMap::new();
    let mut gits = Vec::new();
    for line in trace.lines() {
        let process = line.split_whitespace().next().unwrap_or_default();
        let went_well = line.ends_with("= 0");
        if let Some(args) = git_in(line) {
            if went_well {
                gits.push(args);
            } else if line.contains("<unfinished") {
                begun.insert(process, args);
            }
        } else if line.contains("<... execve resumed>") {
            gits.extend(begun.remove(process).filter(|_| went_well));
        }
    }
    gits
}

/// The arguments of a git command in a line of strace. What git starts itself is part of it.
fn git_in(line: &str) -> Option<Vec<String>> {
    let (_, call) = line.split_once("execve(\"")?;
    let (program, rest) = call.split_once("\", [")?;
    if program.contains("git-core") || Path::new(program).file_name()? != "git" {
        return None;
    }
    let (words, _) = rest.split_once("], 0x")?;
    let words: Vec<String> = serde_json::from_str(&format!("[{words}]")).ok()?;
    Some(words.into_iter().skip(1).collect())
}

/// The most memory that the process of a whole design ever had, in megabytes.
fn peak(rig: &Rig) -> Outcome<f64> {
    rig.restore()?;
    let census = rig.panel.sandbox.outside("census");
    let output = rig.command(&[]).env("REHEARSAL_CENSUS", &census).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err("the design does not come to its end".into());
    }
    let census: serde_json::Value = serde_json::from_slice(&fs_err::read(census)?)?;
    let kilobytes = census["peak_kb"].as_f64().ok_or("no peak was counted")?;
    Ok(kilobytes / 1024.0)
}

/// Resumes a design with only the last step left.
fn resumed(rig: &Rig) -> Outcome<Figure> {
    rig.restore()?;
    rig.run_well(&[])?;
    let last = rig.workspace()?.join("validate-summary.md");
    let charrette = |args: &[&str]| -> Outcome {
        let mut command: Command = rig.panel.command(&rig.program, args);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("{args:?} failed: {status}").into()) }
    };
    let undone = || -> Outcome {
        // Missing only before the first: then it has been made again.
        let _ = fs_err::remove_file(&last);
        Ok(())
    };
    let resume = || charrette(&["resume", charrette_testkit::panel::FEATURE]);
    compare_from(RESUMED, 4.0, 30, undone, resume, || charrette(&["status"]))
}
