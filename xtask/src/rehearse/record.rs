//! `rehearse --record`: a run becomes a cassette. The arena has copied the calls of its run; for another run, `--follow`
//! copies them while it goes on, into `CASSETTE.calls`.

use super::RehearseArgs;
use super::cassette::{Cassette, CassetteRecord};
use super::keeper::QueueKeeper;
use super::queue::read_queue;
use crate::TaskResult;
use crate::driver::{by_gate, read_document, recorded_answers, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a run is.
struct RunPlace {
    repository: PathBuf,
    /// Its calls: a queue, or a copy of one.
    calls: PathBuf,
    feature: String,
}

/// Pause between two looks at the document of a run that is followed.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn record(folder: &Path, args: &RehearseArgs) -> TaskResult {
    if folder.exists() {
        return Err(format!("{} exists already", folder.display()).into());
    }
    let mut place = find_run(args)?;
    let copy = folder.with_extension("calls");
    if args.follow {
        follow(&place, &copy)?;
    }
    if copy.exists() {
        place.calls = copy;
    }
    let cassette = read_run(&place)?;
    cassette.write(folder)?;
    let unanswered = cassette.calls.iter().filter(|call| call.answer.is_none()).count();
    println!("{}: {} calls of {}", folder.display(), cassette.calls.len(), cassette.record.feature);
    if unanswered > 0 {
        println!("{unanswered} of them were never answered");
    }
    Ok(())
}

/// Copies the calls of a run until it is complete.
fn follow(place: &RunPlace, copy: &Path) -> TaskResult {
    let keeper = QueueKeeper::start(&place.calls, copy);
    let is_complete = || {
        let document = read_document(&place.repository, &place.feature);
        document.is_some_and(|document| document["completed_at"].is_string())
    };
    while !is_complete() {
        std::thread::sleep(PAUSE);
    }
    keeper.finish()?;
    Ok(())
}

fn find_run(args: &RehearseArgs) -> TaskResult<RunPlace> {
    if let Some(arena) = &args.arena {
        let record: Value = serde_json::from_slice(&fs_err::read(arena.join("arena.json"))?)?;
        return Ok(RunPlace {
            repository: arena.join("panel/repository"),
            calls: arena.join("calls"),
            feature: record["name"].as_str().ok_or("arena.json has no name")?.to_owned(),
        });
    }
    match (&args.repo, &args.state, &args.name) {
        (Some(repository), Some(state), Some(feature)) => Ok(RunPlace {
            repository: repository.clone(),
            calls: state.join("charrette/queue"),
            feature: feature.clone(),
        }),
        _ => Err("--record needs --arena, or --repo, --state and --name".into()),
    }
}

fn read_run(place: &RunPlace) -> TaskResult<Cassette> {
    let repository = fs_err::canonicalize(&place.repository)?;
    let document = read_document(&repository, &place.feature)
        .ok_or_else(|| format!("{} has no design {}", repository.display(), place.feature))?;
    let text = |value: &Value, name: &str| {
        value.as_str().map(str::to_owned).ok_or_else(|| format!("the document has no {name}"))
    };
    let run = text(&document["run"]["id"], "run id")?;
    let calls = read_queue(&place.calls, Some(&run))?;
    if calls.is_empty() {
        let place = place.calls.display();
        return Err(format!(
            "no calls of run {run} in {place}: a queue forgets them when the run ends (--follow)"
        )
        .into());
    }
    let workspace = workspace(&repository, &document).ok_or("the document names no workspace")?;
    let request = fs_err::read_to_string(workspace.join("request.md"))?;
    let flags = document["run"]["flags"].as_object().into_iter().flatten();
    let options = flags.filter(|(_, is_set)| **is_set == true).map(|(flag, _)| format!("--{flag}")).collect();
    let answers = match by_gate(&recorded_answers(&document)) {
        Value::Object(answers) => answers,
        _ => serde_json::Map::new(),
    };
    let record = CassetteRecord {
        version: 1,
        feature: place.feature.clone(),
        commit: text(&document["run"]["base"], "base commit")?,
        started_at: text(&document["started_at"], "start")?,
        repository,
        options,
    };
    Ok(Cassette { record, request, answers, calls })
}
