//! The engine: what going through a finished run again costs.

use super::ratio::{Figure, compare};
use crate::Outcome;
use crate::programs::{rehearsal, repository, scratch};
use std::process::{Command, Stdio};

pub(super) fn figures(only: &str) -> Outcome<Vec<Figure>> {
    if !"replaying a finished run of 200 steps".contains(only) {
        return Ok(Vec::new());
    }
    let scratch = scratch("replay")?;
    repository(scratch.path())?;
    let program = rehearsal()?;
    let run = |args: &[&str]| -> Outcome {
        let mut command = Command::new(&program);
        command.args(args).current_dir(scratch.path()).env("HOME", scratch.path().join("home"));
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("{args:?} failed: {status}").into()) }
    };
    run(&["go-wide", "wide"])?;
    let replay = || run(&["resume", "wide"]);
    Ok(vec![compare("replaying a finished run of 200 steps", 3.0, 60, replay, || run(&["status"]))?])
}
