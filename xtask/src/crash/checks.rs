//! Checks after a kill or an injected error.

use super::operations::{CommandOutput, Operation, OperationScene};
use crate::Outcome;
use charrette_model::checkpoint::read;
use charrette_store::archive::read_archive;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// The document is the old one or the new one; acknowledged means new; the next change cleans up.
pub(super) fn after_kill(
    charrette: &Path,
    scene: &OperationScene,
    operation: Operation,
    said: &CommandOutput,
) -> Outcome {
    document_is_whole(scene, operation, said.stdout == "true\n")?;
    next_change_works(charrette, scene)
}

/// The document is the old one and the message says so, unless the change was acknowledged after all.
pub(super) fn after_error(
    charrette: &Path,
    scene: &OperationScene,
    operation: Operation,
    said: &CommandOutput,
) -> Outcome {
    let acknowledged = said.stdout == "true\n";
    document_is_whole(scene, operation, acknowledged)?;
    let is_change = !matches!(operation, Operation::Abandon | Operation::Gc);
    let could_not_answer = said.stdout.is_empty() && said.stderr.contains("cannot print the result");
    if is_change && !acknowledged && !could_not_answer {
        if scene.now()? != scene.before {
            return Err("refused, yet the document changed".into());
        }
        if scene.before.is_some() && !said.stderr.contains("intact") {
            return Err("the message does not say that the previous document is intact".into());
        }
        if said.stderr.lines().count() != 1 {
            return Err("expected one line of explanation".into());
        }
    }
    next_change_works(charrette, scene)
}

fn document_is_whole(scene: &OperationScene, operation: Operation, acknowledged: bool) -> Outcome {
    match scene.now()? {
        None if operation == Operation::FirstUpdate && !acknowledged => Ok(()),
        None if operation == Operation::Abandon => archived(scene),
        None => Err("the document is gone".into()),
        Some(text) => {
            read(text.as_bytes()).map_err(|error| format!("the document is torn: {error}"))?;
            let is_old = scene.before.as_deref() == Some(text.as_str());
            let is_new = operation.is_done(&text);
            if acknowledged && !is_new {
                return Err("acknowledged, but lost".into());
            }
            if is_old || is_new { Ok(()) } else { Err("neither the old document nor the new one".into()) }
        }
    }
}

fn archived(scene: &OperationScene) -> Outcome {
    for entry in fs_err::read_dir(scene.state().join("archive"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".json.zst")
            && Some(String::from_utf8(read_archive(&path)?)?) == scene.before
        {
            return Ok(());
        }
    }
    Err("the document is gone and no archive holds it".into())
}

fn next_change_works(charrette: &Path, scene: &OperationScene) -> Outcome {
    let next = scene.update(charrette)?;
    if next.stdout != "true\n" {
        return Err(format!("the next change failed: {}", next.stderr).into());
    }
    for folder in ["", "locks", "history"] {
        for entry in fs_err::read_dir(scene.state().join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".tmp") {
                return Err(format!("{name} was left behind").into());
            }
        }
    }
    Ok(())
}

/// Kills at moments spread over the life of the process, on one document that lives through all of them.
pub(super) fn random_kills(charrette: &Path, count: u64) -> Outcome {
    let scene = OperationScene::set(Operation::Update)?;
    let mut acknowledged = Vec::new();
    // A fixed sequence that looks random, so that a failure can be repeated.
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let update = ["checkpoint", "update-phase", "research", "--command", "design", "--feature", "x"];
    // Left alone once, to know how long the moments are to choose from.
    let started = Instant::now();
    scene.start(charrette, &update, "{}", &[])?.wait()?;
    let whole = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX).max(1);
    for n in 0..count {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let task = format!("\"T{n}\"");
        let data = format!("{{\"tasks\": {{{task}: {{\"status\": \"complete\"}}}}}}");
        let mut child = scene.start(charrette, &update, &data, &[])?;
        std::thread::sleep(Duration::from_micros((random >> 33) % (whole + whole / 4)));
        child.kill()?;
        let mut said = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut said)?;
        }
        child.wait()?;
        if said == "true\n" {
            acknowledged.push(task);
        }
        let text = scene.now()?.ok_or("the document is gone")?;
        read(text.as_bytes()).map_err(|error| format!("kill {n}: the document is torn: {error}"))?;
        if let Some(lost) = acknowledged.iter().find(|task| !text.contains(task.as_str())) {
            return Err(format!("kill {n}: {lost} was acknowledged, but is lost").into());
        }
    }
    println!("{} of {count} were acknowledged before the kill", acknowledged.len());
    next_change_works(charrette, &scene)
}
