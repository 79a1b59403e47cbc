//! Checks after a kill or an injected error.

use super::operations::{CommandOutput, Operation, OperationSetup};
use crate::TaskResult;
use charrette_model::checkpoint::read;
use charrette_store::archive::read_archive;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Checks that the document is the old or the new one, the new one if acknowledged, and that the next change cleans up.
pub(super) fn check_after_kill(
    charrette: &Path,
    setup: &OperationSetup,
    operation: Operation,
    output: &CommandOutput,
) -> TaskResult {
    check_document(setup, operation, output.stdout == "true\n")?;
    check_next_change(charrette, setup)
}

/// Checks that the document is the old one and the message says so, unless the change was acknowledged.
pub(super) fn check_after_error(
    charrette: &Path,
    setup: &OperationSetup,
    operation: Operation,
    output: &CommandOutput,
) -> TaskResult {
    let acknowledged = output.stdout == "true\n";
    check_document(setup, operation, acknowledged)?;
    let is_change = !matches!(operation, Operation::Abandon | Operation::Gc);
    let could_not_print = output.stdout.is_empty() && output.stderr.contains("cannot print the result");
    if is_change && !acknowledged && !could_not_print {
        if setup.read_document()? != setup.before {
            return Err("the command failed, but the document changed".into());
        }
        if setup.before.is_some() && !output.stderr.contains("intact") {
            return Err("the message does not say that the previous document is intact".into());
        }
        if output.stderr.lines().count() != 1 {
            return Err("expected an error message of one line".into());
        }
    }
    check_next_change(charrette, setup)
}

fn check_document(setup: &OperationSetup, operation: Operation, acknowledged: bool) -> TaskResult {
    match setup.read_document()? {
        None if operation == Operation::FirstUpdate && !acknowledged => Ok(()),
        None if operation == Operation::Abandon => check_archive(setup),
        None => Err("the document is missing".into()),
        Some(text) => {
            read(text.as_bytes()).map_err(|error| format!("the document is torn: {error}"))?;
            let is_old = setup.before.as_deref() == Some(text.as_str());
            let is_new = operation.is_done(&text);
            if acknowledged && !is_new {
                return Err("the acknowledged change is lost".into());
            }
            if is_old || is_new { Ok(()) } else { Err("neither the old document nor the new one".into()) }
        }
    }
}

fn check_archive(setup: &OperationSetup) -> TaskResult {
    for entry in fs_err::read_dir(setup.state().join("archive"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".json.zst")
            && Some(String::from_utf8(read_archive(&path)?)?) == setup.before
        {
            return Ok(());
        }
    }
    Err("the document is missing and not in the archive".into())
}

fn check_next_change(charrette: &Path, setup: &OperationSetup) -> TaskResult {
    let next = setup.update(charrette)?;
    if next.stdout != "true\n" {
        return Err(format!("the next change failed: {}", next.stderr).into());
    }
    for folder in ["", "locks", "history"] {
        for entry in fs_err::read_dir(setup.state().join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".tmp") {
                return Err(format!("{name} is a leftover").into());
            }
        }
    }
    Ok(())
}

/// Kills updates of one document at random moments.
pub(super) fn kill_at_random(charrette: &Path, count: u64) -> TaskResult {
    let setup = OperationSetup::new(Operation::Update)?;
    let mut acknowledged = Vec::new();
    // A fixed seed, so that a failure can be repeated.
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let update = ["checkpoint", "update-phase", "research", "--command", "design", "--feature", "x"];
    // One update without a kill measures the duration to choose moments from.
    let started = Instant::now();
    setup.start(charrette, &update, "{}", &[])?.wait()?;
    let duration = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX).max(1);
    for n in 0..count {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let task = format!("\"T{n}\"");
        let data = format!("{{\"tasks\": {{{task}: {{\"status\": \"complete\"}}}}}}");
        let mut child = setup.start(charrette, &update, &data, &[])?;
        std::thread::sleep(Duration::from_micros((random >> 33) % (duration + duration / 4)));
        child.kill()?;
        let mut stdout_text = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut stdout_text)?;
        }
        child.wait()?;
        if stdout_text == "true\n" {
            acknowledged.push(task);
        }
        let text = setup.read_document()?.ok_or("the document is missing")?;
        read(text.as_bytes()).map_err(|error| format!("kill {n}: the document is torn: {error}"))?;
        if let Some(lost) = acknowledged.iter().find(|task| !text.contains(task.as_str())) {
            return Err(format!("kill {n}: the acknowledged change {lost} is lost").into());
        }
    }
    println!("{} of {count} updates were acknowledged before the kill", acknowledged.len());
    check_next_change(charrette, &setup)
}
