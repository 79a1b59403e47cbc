//! Speed and memory of the real binary, against one `git grep` of one word in the same tree.

#![allow(clippy::cast_precision_loss, reason = "files are counted")]

use super::trees::create_tree;
use crate::TaskResult;
use crate::bench::ratio::{Figure, compare};
use crate::programs::{build_static_charrette, create_scratch_folder};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Maximum peak memory in megabytes.
const MAX_MEMORY_MB: f64 = 300.0;

pub(in crate::bench) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let mut figures = Vec::new();
    if !NAMES.iter().flatten().any(|name| name.contains(only)) {
        return Ok(figures);
    }
    let program = build_static_charrette()?;
    let scratch = create_scratch_folder("survey")?;
    let mut previous: Option<(usize, f64)> = None;
    for ([cold_name, warm_name, memory_name, growth_name], files) in NAMES.into_iter().zip(SIZES) {
        // The limits apply to this size; the other sizes show the growth.
        let limit = |limit: f64| if files == LIMITED_SIZE { limit } else { f64::INFINITY };
        let tree = scratch.path().join(files.to_string());
        let state = scratch.path().join(format!("state-{files}"));
        fs_err::create_dir_all(&tree)?;
        create_tree(&tree, files)?;
        let survey = || {
            let mut command = Command::new(&program);
            command.args(["survey", "--json", "rate limit the token cache"]).current_dir(&tree);
            command.env("XDG_STATE_HOME", &state).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let run = |mut command: Command| -> TaskResult {
            let status = command.status()?;
            if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
        };
        let grep = || {
            let mut command = Command::new("git");
            command.args(["grep", "ratelimi"]).current_dir(&tree).stdout(Stdio::null());
            command.status().map(|_| ()).map_err(Into::into)
        };
        let cold = || {
            let _ = fs_err::remove_dir_all(&state);
            run(survey())
        };
        let cold = compare(cold_name, limit(20.0), 7, cold, grep)?;
        let cold_time = cold.subject;
        figures.push(cold);
        figures.push(compare(warm_name, limit(5.0), 11, || run(survey()), grep)?);
        let _ = fs_err::remove_dir_all(&state);
        let peak = peak_memory(survey())?;
        figures.push(Figure {
            name: memory_name,
            subject: peak,
            baseline: MAX_MEMORY_MB,
            unit: "MB",
            limit: 1.0,
        });
        if let Some((fewer, time)) = previous.replace((files, cold_time)) {
            let baseline = time * files as f64 / fewer as f64;
            figures.push(Figure {
                name: growth_name,
                subject: cold_time,
                baseline,
                unit: "ms",
                limit: MAX_GROWTH,
            });
        }
    }
    Ok(figures)
}

const SIZES: [usize; 3] = [1_000, LIMITED_SIZE, 20_000];
const LIMITED_SIZE: usize = 5_000;
/// Maximum ratio to linear growth: allows for noise, not for quadratic time.
const MAX_GROWTH: f64 = 1.6;

const NAMES: [[&str; 4]; 3] = [
    [
        "survey of 1,000 files, cold, to git grep",
        "survey of 1,000 files again, to git grep",
        "survey of 1,000 files, memory",
        "",
    ],
    [
        "survey of 5,000 files, cold, to git grep",
        "survey of 5,000 files again, to git grep",
        "survey of 5,000 files, memory",
        "survey of 5,000 files, to five times 1,000",
    ],
    [
        "survey of 20,000 files, cold, to git grep",
        "survey of 20,000 files again, to git grep",
        "survey of 20,000 files, memory",
        "survey of 20,000 files, to four times 5,000",
    ],
];

/// Runs a command and returns its peak memory in megabytes.
fn peak_memory(mut command: Command) -> TaskResult<f64> {
    let mut child = command.spawn()?;
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut peak = 0.0;
    while child.try_wait()?.is_none() {
        let text = fs_err::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = kilobytes.map_or(peak, |kilobytes| f64::max(peak, kilobytes / 1024.0));
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(peak)
}
