//! A whole design: its time against the bare agents, durable writes and git commands it consists of, its peak memory,
//! and the time to resume it with one step left.

use super::documents::bare_durable_write;
use super::ratio::{Figure, compare_with_setup};
use crate::TaskResult;
use crate::design::DesignRig;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const WHOLE_DESIGN: &str = "a regular design, against what it consists of";
const MEMORY: &str = "a regular design, peak of memory";
const RESUME: &str = "resuming a design with one step left";

/// Maximum peak memory in megabytes.
const MAX_MEMORY_MB: f64 = 60.0;
/// Approximate mean size of a prompt.
const PROMPT_BYTES: usize = 16 << 10;

/// Agent calls of a design as (seat, agent), grouped by what runs in parallel.
const AGENT_CALLS: [&[(&str, &str)]; 23] = [
    &[
        ("researcher-requirements", "claude"),
        ("researcher-dependencies", "codex"),
        ("researcher-tasks", "cursor"),
    ],
    &[("aggregator", "claude")],
    &[("clarifier", "claude")],
    &[("scoper", "claude")],
    &[("inquirer", "claude")],
    &[("investigator-1", "claude"), ("investigator-2", "codex")],
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
    &[("walker-1", "cursor"), ("walker-2", "codex")],
    &[("mender", "claude")],
    &[("walker-1", "cursor")],
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

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    // The figures share their runs, so they are measured together.
    let is_wanted =
        "design".contains(only) || [WHOLE_DESIGN, MEMORY, RESUME].iter().any(|name| name.contains(only));
    if !is_wanted {
        return Ok(Vec::new());
    }
    let rig = DesignRig::new()?;
    let parts = DesignParts::count(&rig)?;
    let agents: usize = AGENT_CALLS.iter().map(|parallel| parallel.len()).sum();
    let each = |name, count: usize, limit| Figure {
        name,
        subject: as_f64(count),
        baseline: as_f64(agents),
        unit: "",
        limit,
    };
    let counts = [
        each("durable writes of a design, by its agents", parts.writes, 6.0),
        each("git commands of a design, by its agents", parts.gits.len(), 2.0),
    ];
    let whole = compare_with_setup(
        WHOLE_DESIGN,
        1.4,
        15,
        || rig.restore_without_deleting(),
        || rig.run_to_success(&[]),
        || parts.run_bare(&rig),
    )?;
    let memory =
        Figure { name: MEMORY, subject: peak_memory(&rig)?, baseline: 1.0, unit: "MB", limit: MAX_MEMORY_MB };
    Ok(counts.into_iter().chain([whole, memory, measure_resume(&rig)?]).collect())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Durable writes and git commands of a design, counted with strace.
struct DesignParts {
    writes: usize,
    bytes: Vec<u8>,
    gits: Vec<Vec<String>>,
    bare: PathBuf,
}

impl DesignParts {
    fn count(rig: &DesignRig) -> TaskResult<DesignParts> {
        rig.restore()?;
        let trace = rig.panel.sandbox.outside("trace");
        let wrapper: Vec<OsString> =
            ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,execve", "-o"]
                .iter()
                .map(OsString::from)
                .chain([trace.clone().into()])
                .collect();
        rig.run_to_success(&wrapper)?;
        let text = String::from_utf8_lossy(&fs_err::read(&trace)?).into_owned();
        let is_sync = |line: &&str| line.contains("sync(") && !line.contains("resumed");
        let syncs = text.lines().filter(is_sync).count();
        let document = rig.document().ok_or("there is no document")?;
        // The document grows from nothing, so its mean size is half of its last.
        let document = serde_json::to_vec_pretty(&document)?;
        let bare = rig.panel.sandbox.outside("bare");
        fs_err::create_dir_all(&bare)?;
        Ok(DesignParts {
            writes: syncs / 2,
            bytes: document[..document.len() / 2].to_vec(),
            gits: git_commands(&text),
            bare,
        })
    }

    /// Baseline: starts the agents, does the durable writes and runs the git commands.
    fn run_bare(&self, rig: &DesignRig) -> TaskResult {
        for parallel in AGENT_CALLS {
            let children: Vec<_> = parallel
                .iter()
                .map(|(seat, agent)| spawn_agent(rig, seat, agent))
                .collect::<TaskResult<_>>()?;
            for child in children {
                child.wait_with_output()?;
            }
        }
        for _ in 0..self.writes {
            bare_durable_write(&self.bare, &self.bytes)?;
        }
        for args in &self.gits {
            let mut command = rig.panel.sandbox.command("git");
            // Some fail, as they did in the design.
            command.args(args).stdin(Stdio::null()).output()?;
        }
        Ok(())
    }
}

/// Starts the fake agent and sends it a prompt.
fn spawn_agent(rig: &DesignRig, seat: &str, agent: &str) -> TaskResult<std::process::Child> {
    let fake = rig.program.with_file_name("fake-agent");
    let mut command = rig.panel.sandbox.command(fake);
    command.arg(rig.panel.script()).arg(agent).env("CHARRETTE_SEAT", seat);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&vec![b'x'; PROMPT_BYTES])?;
    }
    Ok(child)
}

/// Arguments of every git command in a trace. A call that was interrupted by another process has a second line with its
/// result.
fn git_commands(trace: &str) -> Vec<Vec<String>> {
    let mut unfinished: HashMap<&str, Vec<String>> = HashMap::new();
    let mut gits = Vec::new();
    for line in trace.lines() {
        let process = line.split_whitespace().next().unwrap_or_default();
        let is_success = line.ends_with("= 0");
        if let Some(args) = git_arguments(line) {
            if is_success {
                gits.push(args);
            } else if line.contains("<unfinished") {
                unfinished.insert(process, args);
            }
        } else if line.contains("<... execve resumed>") {
            gits.extend(unfinished.remove(process).filter(|_| is_success));
        }
    }
    gits
}

/// Arguments of a git command in a line of strace. Programs that git starts itself do not count.
fn git_arguments(line: &str) -> Option<Vec<String>> {
    let (_, call) = line.split_once("execve(\"")?;
    let (program, rest) = call.split_once("\", [")?;
    if program.contains("git-core") || Path::new(program).file_name()? != "git" {
        return None;
    }
    let (words, _) = rest.split_once("], 0x")?;
    let words: Vec<String> = serde_json::from_str(&format!("[{words}]")).ok()?;
    Some(words.into_iter().skip(1).collect())
}

/// Peak memory of the process of a whole design, in megabytes.
fn peak_memory(rig: &DesignRig) -> TaskResult<f64> {
    rig.restore()?;
    let census = rig.panel.sandbox.outside("census");
    let output = rig.command(&[]).env("REHEARSAL_CENSUS", &census).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err("the design failed".into());
    }
    let census: serde_json::Value = serde_json::from_slice(&fs_err::read(census)?)?;
    let kilobytes = census["peak_kb"].as_f64().ok_or("the census lacks peak_kb")?;
    Ok(kilobytes / 1024.0)
}

/// Measures resuming a design with only the last step left.
fn measure_resume(rig: &DesignRig) -> TaskResult<Figure> {
    rig.restore()?;
    rig.run_to_success(&[])?;
    let last = rig.workspace()?.join("validate-summary.md");
    let charrette = |args: &[&str]| -> TaskResult {
        let mut command: Command = rig.panel.command(&rig.program, args);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("{args:?} failed: {status}").into()) }
    };
    let remove_last_output = || -> TaskResult {
        // Already missing after the baseline, which does not write it.
        let _ = fs_err::remove_file(&last);
        Ok(())
    };
    let resume = || charrette(&["resume", charrette_testkit::panel::FEATURE]);
    compare_with_setup(RESUME, 4.0, 30, remove_last_output, resume, || charrette(&["status"]))
}
