//! The rehearsal flow killed at every durable write: the resumed run ends with the artifacts of an uninterrupted one.

use super::points;
use crate::TaskResult;
use crate::programs::{build_rehearsal, create_repository, create_scratch_folder};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const SCRIPT: &str = r#"{"broken": {"*": {"answer": "Sure: {digest}"}}, "*": {"aggregator": {"answer": "SUMMARY: {digest}"}, "*": {"answer": "{seat} by {agent} from {digest}\n"}}}"#;
const ANSWERS: &str = "scope: {scope: \"yes\", depth: \"deep\"}\napproval: {approval: \"yes\"}\n";

/// Digest of an empty prompt in the log of the fake agent.
pub(super) const EMPTY_PROMPT: &str = "cbf29ce484222325";

pub(super) fn crash(every: usize) -> TaskResult {
    let program = build_rehearsal()?;
    let uninterrupted = FlowSetup::new(&program)?;
    uninterrupted.run_to_end(&[])?;
    let expected = RunResult::read(&uninterrupted)?;

    let traced = FlowSetup::new(&program)?;
    let log = traced.folder.path().join("strace.log");
    traced.run_to_end(&points::trace_durable_writes(&log, &[]))?;
    let all = points::durable_writes(&log)?;

    let (mut kills, mut with_repeats) = (0, 0);
    for point in all.iter().step_by(every) {
        let setup = FlowSetup::new(&program)?;
        setup.start(&point.strace_without_children())?;
        setup.run_to_end(&[])?;
        let result = RunResult::read(&setup)?;
        let problem =
            |what: &str| -> Box<dyn std::error::Error> { format!("the flow {point}: {what}").into() };
        if result.artifacts != expected.artifacts {
            return Err(problem("the artifacts differ from those of an uninterrupted run"));
        }
        if result.executed.keys().ne(expected.executed.keys()) {
            return Err(problem("a step was executed with other inputs"));
        }
        let repeated =
            result.executed.iter().filter(|(step, count)| **count > expected.executed[*step]).count();
        let too_often = result.executed.iter().find(|(step, count)| **count > 2 * expected.executed[*step]);
        if let Some((step, count)) = too_often {
            return Err(problem(&format!("{step} was executed {count} times")));
        }
        // The aggregator calls its agent three times within one step, and all parallel branches may be in flight.
        if repeated > 3 {
            return Err(problem(&format!("{repeated} executions were repeated, more than were in flight")));
        }
        kills += 1;
        with_repeats += usize::from(repeated > 0);
    }
    println!(
        "the flow killed at {kills} of {} durable writes: same artifacts each time, {with_repeats} times an execution in flight was repeated, no other was",
        all.len()
    );
    Ok(())
}

/// Repository, home and script of one run of the flow.
struct FlowSetup {
    folder: TempDir,
    program: PathBuf,
}

impl FlowSetup {
    fn new(program: &Path) -> TaskResult<FlowSetup> {
        let folder = create_scratch_folder("flow")?;
        create_repository(&folder.path().join("work"))?;
        fs_err::create_dir(folder.path().join("home"))?;
        fs_err::write(folder.path().join("script.json"), SCRIPT)?;
        fs_err::write(folder.path().join("answers.yaml"), ANSWERS)?;
        Ok(FlowSetup { folder, program: program.to_owned() })
    }

    fn run(&self, verb: &str, wrapper: &[OsString]) -> TaskResult<Output> {
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
            // Scripted agents write their logs beside the repository.
            .env("CHARRETTE_LANDLOCK", "0")
            .output()?;
        Ok(output)
    }

    fn start(&self, wrapper: &[OsString]) -> TaskResult {
        self.run("rehearse", wrapper)?;
        Ok(())
    }

    /// Starts or resumes the run; an error if it does not succeed.
    fn run_to_end(&self, wrapper: &[OsString]) -> TaskResult {
        let has_started = self.folder.path().join("work/.claude/state/start-try.json").exists();
        let output = self.run(if has_started { "resume" } else { "rehearse" }, wrapper)?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("the flow failed: {} {stderr}", output.status).into())
    }
}

/// Result of a run.
struct RunResult {
    artifacts: BTreeMap<String, Vec<u8>>,
    /// Executions of each step, by its inputs.
    executed: BTreeMap<String, usize>,
}

impl RunResult {
    fn read(setup: &FlowSetup) -> TaskResult<RunResult> {
        let mut artifacts = BTreeMap::new();
        for entry in fs_err::read_dir(setup.folder.path().join("work/.specs/20261115-try"))? {
            let path = entry?.path();
            // Ledgers contain times, which differ in every run; a run that was killed at its end has not shown its page.
            let is_ledger = ["tokens.jsonl", "timing-ledger.tsv", "events.jsonl", ".closing-page-shown"]
                .iter()
                .any(|name| path.ends_with(name));
            if path.is_file() && !is_ledger {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                artifacts.insert(name, fs_err::read(&path)?);
            }
        }
        let mut executed = BTreeMap::new();
        for line in fs_err::read_to_string(setup.folder.path().join("log"))?.lines() {
            // The driver died before it sent the prompt, so this was not a call.
            if line.ends_with(EMPTY_PROMPT) {
                continue;
            }
            *executed.entry(line.to_owned()).or_default() += 1;
        }
        Ok(RunResult { artifacts, executed })
    }
}
