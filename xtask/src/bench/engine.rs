//! Cost of replaying a finished run.

use super::ratio::{Figure, compare};
use crate::TaskResult;
use crate::programs::{build_rehearsal, create_repository, create_scratch_folder};
use std::process::{Command, Stdio};

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    if !"replaying a finished run of 200 steps".contains(only) {
        return Ok(Vec::new());
    }
    let scratch = create_scratch_folder("replay")?;
    create_repository(scratch.path())?;
    let program = build_rehearsal()?;
    let run = |args: &[&str]| -> TaskResult {
        let mut command = Command::new(&program);
        command.args(args).current_dir(scratch.path()).env("HOME", scratch.path().join("home"));
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("{args:?} failed: {status}").into()) }
    };
    run(&["go-wide", "wide"])?;
    let replay = || run(&["resume", "wide"]);
    Ok(vec![compare("replaying a finished run of 200 steps", 3.0, 60, replay, || run(&["status"]))?])
}
