//! The rehearsal flow killed at every durable write: resumed, it ends as if nothing had happened.

use super::points;
use crate::Outcome;
use crate::programs::{rehearsal, repository, scratch};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const SCRIPT: &str = r#"{"broken": {"*": {"answer": "Sure: {digest}"}}, "*": {"aggregator": {"answer": "SUMMARY: {digest}"}, "*": {"answer": "{seat} by {agent} from {digest}\n"}}}"#;
const ANSWERS: &str = "scope: {scope: \"yes\", depth: \"deep\"}\napproval: {approval: \"yes\"}\n";

/// The fingerprint of an empty prompt.
pub(super) const NOTHING_READ: &str = "cbf29ce484222325";

pub(super) fn crash(every: usize) -> Outcome {
    let program = rehearsal()?;
    let undisturbed = Stage::set(&program)?;
    undisturbed.to_the_end(&[])?;
    let expected = RunResult::of(&undisturbed)?;

    let watched = Stage::set(&program)?;
    let log = watched.folder.path().join("strace.log");
    watched.to_the_end(&points::watching(&log, &[]))?;
    let all = points::durable_writes(&log)?;

    let (mut killed, mut twice) = (0, 0);
    for point in all.iter().step_by(every) {
        let stage = Stage::set(&program)?;
        stage.begin(&point.strace_alone())?;
        stage.to_the_end(&[])?;
        let ending = RunResult::of(&stage)?;
        let problem =
            |what: &str| -> Box<dyn std::error::Error> { format!("the flow {point}: {what}").into() };
        if ending.artifacts != expected.artifacts {
            return Err(problem("the artifacts are not those of an undisturbed run"));
        }
        if ending.executed.keys().ne(expected.executed.keys()) {
            return Err(problem("something was executed with other inputs"));
        }
        let again = ending.executed.iter().filter(|(step, count)| **count > expected.executed[*step]).count();
        let too_often = ending.executed.iter().find(|(step, count)| **count > 2 * expected.executed[*step]);
        if let Some((step, count)) = too_often {
            return Err(problem(&format!("{step} was executed {count} times")));
        }
        // The aggregator asks three times within one step; parallel branches may all be in flight.
        if again > 3 {
            return Err(problem(&format!("{again} executions were repeated, more than were in flight")));
        }
        killed += 1;
        twice += usize::from(again > 0);
    }
    println!(
        "the flow killed at {killed} of {} durable writes: the same artifacts each time, {twice} times something in flight was done twice, nothing else",
        all.len()
    );
    Ok(())
}

/// A repository for one run of the flow.
struct Stage {
    folder: TempDir,
    program: PathBuf,
}

impl Stage {
    fn set(program: &Path) -> Outcome<Stage> {
        let folder = scratch("flow")?;
        repository(&folder.path().join("work"))?;
        fs_err::create_dir(folder.path().join("home"))?;
        fs_err::write(folder.path().join("script.json"), SCRIPT)?;
        fs_err::write(folder.path().join("answers.yaml"), ANSWERS)?;
        Ok(Stage { folder, program: program.to_owned() })
    }

    fn run(&self, verb: &str, wrapper: &[OsString]) -> Outcome<Output> {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(self.program.clone().into());
        words.extend([verb, "try", "--answers"].map(OsString::from));
        words.push(self.folder.path().join("answers.yaml").into());
        let output = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(self.folder.path().join("work"))
            .env("HOME", self.folder.path().join("home"))
            .env_remove("XDG_STATE_HOME")
            .env("REHEARSAL_SCRIPT", self.folder.path().join("script.json"))
            .env("FAKE_AGENT_LOG", self.folder.path().join("log"))
            .env("CHARRETTE_NOW", "2026-11-15T12:00:00Z")
            .env("CHARRETTE_SEED", "1")
            .output()?;
        Ok(output)
    }

    fn begin(&self, wrapper: &[OsString]) -> Outcome {
        self.run("rehearse", wrapper)?;
        Ok(())
    }

    /// Begins, or goes on with, the run, and sees it through.
    fn to_the_end(&self, wrapper: &[OsString]) -> Outcome {
        let has_begun = self.folder.path().join("work/.claude/state/start-try.json").exists();
        let output = self.run(if has_begun { "resume" } else { "rehearse" }, wrapper)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("the flow does not come to its end: {} {said}", output.status).into())
    }
}

/// Result of a run.
struct RunResult {
    artifacts: BTreeMap<String, Vec<u8>>,
    /// Executions of each step, by its inputs.
    executed: BTreeMap<String, usize>,
}

impl RunResult {
    fn of(stage: &Stage) -> Outcome<RunResult> {
        let mut artifacts = BTreeMap::new();
        for entry in fs_err::read_dir(stage.folder.path().join("work/.specs/20261115-try"))? {
            let path = entry?.path();
            // Ledgers say how long things took, which is never the same.
            let is_ledger =
                ["tokens.jsonl", "timing-ledger.tsv", "events.jsonl"].iter().any(|name| path.ends_with(name));
            if path.is_file() && !is_ledger {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                artifacts.insert(name, fs_err::read(&path)?);
            }
        }
        let mut executed = BTreeMap::new();
        for line in fs_err::read_to_string(stage.folder.path().join("log"))?.lines() {
            // An agent whose driver died before it had said anything: it was never asked.
            if line.ends_with(NOTHING_READ) {
                continue;
            }
            *executed.entry(line.to_owned()).or_default() += 1;
        }
        Ok(RunResult { artifacts, executed })
    }
}
