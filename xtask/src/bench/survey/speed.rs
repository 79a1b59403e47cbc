//! Speed and memory of the real binary, against one `git grep` of one word in the same tree.

#![allow(clippy::cast_precision_loss, reason = "files are counted")]

use super::trees::grow;
use crate::Outcome;
use crate::bench::ratio::{Figure, compare};
use crate::programs::{scratch, static_charrette};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Maximum peak memory in megabytes.
const MOST_MEMORY: f64 = 300.0;

pub(in crate::bench) fn figures(only: &str) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    if !NAMES.iter().flatten().any(|name| name.contains(only)) {
        return Ok(figures);
    }
    let program = static_charrette()?;
    let scratch = scratch("survey")?;
    let mut before: Option<(usize, f64)> = None;
    for ([cold_name, again_name, memory_name, growth_name], files) in NAMES.into_iter().zip(SIZES) {
        // What is promised is promised for this size; the others show how it grows.
        let limit = |limit: f64| if files == PROMISED { limit } else { f64::INFINITY };
        let tree = scratch.path().join(files.to_string());
        let state = scratch.path().join(format!("state-{files}"));
        fs_err::create_dir_all(&tree)?;
        grow(&tree, files)?;
        let survey = || {
            let mut command = Command::new(&program);
            command.args(["survey", "--json", "rate limit the token cache"]).current_dir(&tree);
            command.env("XDG_STATE_HOME", &state).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let run = |mut command: Command| -> Outcome {
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
        let took = cold.subject;
        figures.push(cold);
        figures.push(compare(again_name, limit(5.0), 11, || run(survey()), grep)?);
        let _ = fs_err::remove_dir_all(&state);
        let peak = peak_memory(survey())?;
        figures.push(Figure {
            name: memory_name,
            subject: peak,
            yardstick: MOST_MEMORY,
            unit: "MB",
            limit: 1.0,
        });
        if let Some((fewer, before)) = before.replace((files, took)) {
            let yardstick = before * files as f64 / fewer as f64;
            figures.push(Figure {
                name: growth_name,
                subject: took,
                yardstick,
                unit: "ms",
                limit: MOST_GROWTH,
            });
        }
    }
    Ok(figures)
}

const SIZES: [usize; 3] = [1_000, PROMISED, 20_000];
const PROMISED: usize = 5_000;
/// So many times what it would take if it grew with the files; one for noise, and no room for squares.
const MOST_GROWTH: f64 = 1.6;

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

/// The most memory a program used, in megabytes, as the kernel says while it runs.
fn peak_memory(mut command: Command) -> Outcome<f64> {
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
