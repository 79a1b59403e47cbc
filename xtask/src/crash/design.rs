//! A whole regular design killed at every durable write: resumed, it ends with the same files, and nobody whose
//! answer was on record is asked again.

use super::flow::NOTHING_READ;
use super::points::{self, Point};
use super::workers::{Queue, side_by_side};
use crate::Outcome;
use crate::design::Rig;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No panel of this run asks more at a time.
const IN_FLIGHT: usize = 4;

/// Kills at every Nth point, or at so many of them that `most` is not exceeded.
pub(super) fn crash(every: usize, most: Option<usize>) -> Outcome {
    let rig = Rig::set()?;
    let log = rig.panel.sandbox.outside("strace.log");
    rig.run_well(&points::watching(&log, &[]))?;
    let expected = RunResult::of(&rig)?;
    let all = points::durable_writes(&log)?;
    let every = most.map_or(every, |most| every.max(all.len().div_ceil(most.max(1))));
    let chosen: Vec<&Point> = all.iter().step_by(every).collect();
    let twice = AtomicUsize::new(0);
    side_by_side(&chosen, |queue| kill_them(queue, &expected, &twice))?;
    println!(
        "a design killed at {} of {} durable writes: the same files each time, {} times a step in flight ran twice, no recorded call was repeated",
        chosen.len(),
        all.len(),
        twice.load(Ordering::SeqCst)
    );
    Ok(())
}

/// Takes point after point until none is left.
fn kill_them(queue: &Queue<'_, &Point>, expected: &RunResult, twice: &AtomicUsize) -> Outcome {
    let rig = Rig::set()?;
    while let Some(point) = queue.take() {
        rig.restore()?;
        let again =
            kill(&rig, point, expected).map_err(|problem| format!("the design {point}: {problem}"))?;
        twice.fetch_add(usize::from(again > 0), Ordering::SeqCst);
    }
    Ok(())
}

/// Kills a design once and sees it through. Says how many calls were made twice.
fn kill(rig: &Rig, point: &Point, expected: &RunResult) -> Outcome<usize> {
    rig.run(&point.strace_alone())?;
    let answered = rig.document().as_ref().map(answered).unwrap_or_default();
    let before = calls(&rig.panel.log());
    let _ = fs_err::remove_file(rig.panel.log());
    let is_complete = rig.document().is_some_and(|document| document["completed_at"].is_string());
    if !is_complete {
        rig.run_well(&[])?;
    }
    let after = calls(&rig.panel.log());
    if let Some(step) = after.iter().find(|step| answered.contains(*step)) {
        return Err(format!("{step} had answered, and was asked again").into());
    }
    let again = after.iter().filter(|step| before.contains(step)).count();
    if again > IN_FLIGHT {
        return Err(format!("{again} calls were made again, more than were in flight").into());
    }
    let ending = RunResult::of(rig)?;
    compare(&expected.files, &ending.files)?;
    if let Some(place) = difference(&expected.document, &ending.document) {
        return Err(format!("the document is not that of an undisturbed run at {place}").into());
    }
    Ok(again)
}

/// The steps whose answers are on record.
fn answered(document: &Value) -> BTreeSet<String> {
    let phases = document["phases"].as_object().into_iter().flat_map(|phases| phases.values());
    let steps = phases.flat_map(|phase| phase["steps"].as_object().into_iter().flatten());
    let is_answered = |step: &Value| step["status"] == "done" && step["agent"].is_string();
    steps.filter(|(_, step)| is_answered(step)).map(|(id, _)| id.clone()).collect()
}

/// Steps with an agent call, except those whose prompt never arrived.
fn calls(log: &Path) -> Vec<String> {
    let text = fs_err::read_to_string(log).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.ends_with(NOTHING_READ));
    lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// Result of a design.
struct RunResult {
    files: Files,
    document: Value,
}

impl RunResult {
    fn of(rig: &Rig) -> Outcome<RunResult> {
        let mut document = rig.document().ok_or("there is no document")?;
        remove_varying_members(&mut document);
        Ok(RunResult { files: files(rig)?, document })
    }
}

/// Files by their names.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The files of a design that are the same in every run.
pub(super) fn files(rig: &Rig) -> Outcome<Files> {
    let mut files = BTreeMap::new();
    collect(&rig.workspace()?, "", &mut files)?;
    collect(&rig.panel.sandbox.path("specs"), "specs/", &mut files)?;
    files.retain(|name, _| !is_about_this_run(name));
    Ok(files)
}

/// Compares the files with those of an undisturbed run.
pub(super) fn compare(expected: &Files, found: &Files) -> Outcome {
    for (name, text) in expected {
        if found.get(name) != Some(text) {
            return Err(format!("{name} is not that of an undisturbed run").into());
        }
    }
    match found.keys().find(|name| !expected.contains_key(*name)) {
        Some(name) => Err(format!("{name} was left behind").into()),
        None => Ok(()),
    }
}

/// Ledgers say how long things took, what was replaced or went wrong is kept, and messages are named after their run:
/// none of that is ever the same.
fn is_about_this_run(name: &str) -> bool {
    ["timing-ledger.tsv", "tokens.jsonl", "events.jsonl", "execution-issues.md"].contains(&name)
        || ["superseded/", "evidence/", "webhooks/"].iter().any(|folder| name.starts_with(folder))
}

/// Without what may differ: whose run it was, where it is, how often something was tried, and what a page looked at,
/// which is looked at again when the status in it has changed.
fn remove_varying_members(document: &mut Value) {
    document["run"]["id"] = Value::Null;
    document["run"]["workspace"] = Value::Null;
    for phase in document["phases"].as_object_mut().into_iter().flat_map(|phases| phases.values_mut()) {
        for step in phase["steps"].as_object_mut().into_iter().flat_map(|steps| steps.values_mut()) {
            step["attempt"] = Value::Null;
            step["prompt"] = Value::Null;
            step["inputs"] = Value::Null;
        }
    }
}

/// First difference of two documents.
fn difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(first), Value::Object(second)) => {
            let keys: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
            let differs = |key: &&String| difference(&one[key.as_str()], &other[key.as_str()]);
            keys.iter().find_map(|key| Some(format!("/{key}{}", differs(key)?)))
        }
        _ if one == other => None,
        _ => Some(format!(": {one} was {other}")),
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Files) -> Outcome {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs_err::read(&path)?);
        }
    }
    Ok(())
}
