//! A whole regular design killed at every durable write: the resumed run ends with the same files, and no recorded
//! call is repeated.

use super::flow::EMPTY_PROMPT;
use super::points::{self, Point};
use super::workers::{Queue, run_parallel};
use crate::TaskResult;
use crate::design::DesignRig;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of parallel calls in this design.
const MAX_PARALLEL: usize = 4;

/// Kills at every Nth point, or at fewer if that exceeds `most` kills.
pub(super) fn crash(every: usize, most: Option<usize>) -> TaskResult {
    let rig = DesignRig::new()?;
    let log = rig.panel.sandbox.outside("strace.log");
    rig.run_to_success(&points::trace_durable_writes(&log, &[]))?;
    let expected = RunResult::read(&rig)?;
    let all = points::durable_writes(&log)?;
    let every = most.map_or(every, |most| every.max(all.len().div_ceil(most.max(1))));
    let chosen: Vec<&Point> = all.iter().step_by(every).collect();
    let with_repeats = AtomicUsize::new(0);
    run_parallel(&chosen, |queue| kill_at_points(queue, &expected, &with_repeats))?;
    println!(
        "a design killed at {} of {} durable writes: same files each time, {} times a call in flight was repeated, never a recorded call",
        chosen.len(),
        all.len(),
        with_repeats.load(Ordering::SeqCst)
    );
    Ok(())
}

/// Worker: kills a design at each point of the queue.
fn kill_at_points(queue: &Queue<'_, &Point>, expected: &RunResult, with_repeats: &AtomicUsize) -> TaskResult {
    let rig = DesignRig::new()?;
    while let Some(point) = queue.take() {
        rig.restore()?;
        let repeated = kill_and_resume(&rig, point, expected)
            .map_err(|problem| format!("the design {point}: {problem}"))?;
        with_repeats.fetch_add(usize::from(repeated > 0), Ordering::SeqCst);
    }
    Ok(())
}

/// Kills a design once, resumes it to its end and checks the result. Returns the number of repeated calls.
fn kill_and_resume(rig: &DesignRig, point: &Point, expected: &RunResult) -> TaskResult<usize> {
    rig.run(&point.strace_without_children())?;
    let recorded = rig.document().as_ref().map(recorded_steps).unwrap_or_default();
    let before = called_steps(&rig.panel.log());
    let _ = fs_err::remove_file(rig.panel.log());
    let is_complete = rig.document().is_some_and(|document| document["completed_at"].is_string());
    if !is_complete {
        rig.run_to_success(&[])?;
    }
    let after = called_steps(&rig.panel.log());
    if let Some(step) = after.iter().find(|step| recorded.contains(*step)) {
        return Err(format!("the recorded call of {step} was repeated").into());
    }
    let repeated = after.iter().filter(|step| before.contains(step)).count();
    if repeated > MAX_PARALLEL {
        return Err(format!("{repeated} calls were repeated, more than were in flight").into());
    }
    let result = RunResult::read(rig)?;
    compare_files(&expected.files, &result.files)?;
    if let Some(place) = find_difference(&expected.document, &result.document) {
        return Err(format!("the document differs from that of an uninterrupted run at {place}").into());
    }
    Ok(repeated)
}

/// Steps whose answers are recorded in the document.
pub(super) fn recorded_steps(document: &Value) -> BTreeSet<String> {
    let phases = document["phases"].as_object().into_iter().flat_map(|phases| phases.values());
    let steps = phases.flat_map(|phase| phase["steps"].as_object().into_iter().flatten());
    let is_answered = |step: &Value| step["status"] == "done" && step["agent"].is_string();
    steps.filter(|(_, step)| is_answered(step)).map(|(id, _)| id.clone()).collect()
}

/// Steps with an agent call, except calls whose prompt never arrived.
pub(super) fn called_steps(log: &Path) -> Vec<String> {
    let text = fs_err::read_to_string(log).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.ends_with(EMPTY_PROMPT));
    lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

/// Result of a design.
struct RunResult {
    files: Files,
    document: Value,
}

impl RunResult {
    fn read(rig: &DesignRig) -> TaskResult<RunResult> {
        let mut document = rig.document().ok_or("there is no document")?;
        remove_varying_members(&mut document);
        Ok(RunResult { files: read_files(rig)?, document })
    }
}

/// Contents of files by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Reads the files of a design that are the same in every run.
pub(super) fn read_files(rig: &DesignRig) -> TaskResult<Files> {
    let mut files = BTreeMap::new();
    collect_files(&rig.workspace()?, "", &mut files)?;
    collect_files(&rig.panel.sandbox.path("specs"), "specs/", &mut files)?;
    files.retain(|name, _| !varies_by_run(name));
    for (_, text) in files.iter_mut().filter(|(name, _)| name.ends_with("/spec.json")) {
        // The time of the approval.
        let lines = String::from_utf8_lossy(text).into_owned();
        let lines = lines.lines().filter(|line| !line.trim_start().starts_with("\"at\":"));
        *text = lines.collect::<Vec<_>>().join("\n").into_bytes();
    }
    Ok(files)
}

/// Compares the files with those of an uninterrupted run.
pub(super) fn compare_files(expected: &Files, found: &Files) -> TaskResult {
    for (name, text) in expected {
        if found.get(name) != Some(text) {
            let lines =
                |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
            let (expected, found) =
                (lines(text), found.get(name).map(|text| lines(text)).unwrap_or_default());
            let place = expected.iter().zip(&found).find(|(expected, found)| expected != found);
            let place = place.map(|(expected, found)| format!(": '{found}' instead of '{expected}'"));
            let place = place.unwrap_or_default();
            return Err(format!("{name} differs from that of an uninterrupted run{place}").into());
        }
    }
    match found.keys().find(|name| !expected.contains_key(*name)) {
        Some(name) => Err(format!("{name} is a leftover").into()),
        None => Ok(()),
    }
}

/// True for files that differ in every run: ledgers with times, replaced and failed outputs, webhook messages named
/// after their run.
fn varies_by_run(name: &str) -> bool {
    ["timing-ledger.tsv", "tokens.jsonl", "events.jsonl", "execution-issues.md", ".closing-page-shown"]
        .contains(&name)
        || ["superseded/", "evidence/", "webhooks/"].iter().any(|folder| name.starts_with(folder))
}

/// Removes the members that may differ: id and workspace of the run, attempts, and prompts and inputs, because a page
/// is rendered again if the status in it has changed.
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

/// Finds the first difference of two documents.
fn find_difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(first), Value::Object(second)) => {
            let keys: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
            let differs = |key: &&String| find_difference(&one[key.as_str()], &other[key.as_str()]);
            keys.iter().find_map(|key| Some(format!("/{key}{}", differs(key)?)))
        }
        _ if one == other => None,
        _ => Some(format!(": {one} was {other}")),
    }
}

fn collect_files(folder: &Path, prefix: &str, files: &mut Files) -> TaskResult {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect_files(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs_err::read(&path)?);
        }
    }
    Ok(())
}
