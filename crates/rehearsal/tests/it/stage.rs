//! Test harness: a repository with scripted agents, and a log of every execution.

use charrette_testkit::{Output, Sandbox};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_charrette-rehearsal");

/// The scripted agent.
pub(crate) const FAKE_AGENT: &str = env!("CARGO_BIN_EXE_fake-agent");

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    /// Seed of the run id. Unique for every stage, because processes are identified by the run id.
    seed: String,
}

impl Stage {
    pub(crate) fn set() -> Stage {
        let sandbox = Sandbox::repository();
        let seed = sandbox.work().display().to_string();
        Stage::seeded(sandbox, seed)
    }

    /// Makes a stage whose run ids depend on the seed only.
    pub(crate) fn with_seed(seed: &str) -> Stage {
        Stage::seeded(Sandbox::repository(), seed.to_owned())
    }

    fn seeded(sandbox: Sandbox, seed: String) -> Stage {
        let stage = Stage { sandbox, seed };
        stage.script(&json!({}));
        std::fs::write(
            stage.file("answers.yaml"),
            "scope: {scope: \"yes\", depth: \"deep\"}\napproval: {approval: \"yes\"}\n",
        )
        .unwrap();
        stage
    }

    /// Writes the usual script with changes.
    pub(crate) fn script(&self, changes: &Value) {
        let mut script = json!({
            "broken": {"*": {"answer": "Sure, here it is: {digest}"}},
            "alpha": {"*": {"answer": "{seat} by {agent} from {digest}\n"}},
            "beta": {"aggregator": {"answer": "SUMMARY: {digest}"}, "*": {"answer": "{seat} by {agent} from {digest}\n"}},
        });
        charrette_merge(&mut script, changes);
        std::fs::write(self.file("script.json"), script.to_string()).unwrap();
    }

    /// A file outside the repository.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.sandbox.outside(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.command_of(BINARY);
        command.args(args);
        command
    }

    /// Another program with the environment of charrette.
    pub(crate) fn command_of(&self, program: &str) -> Command {
        let mut command = self.sandbox.command(program);
        command
            .env("REHEARSAL_SCRIPT", self.file("script.json"))
            .env("FAKE_AGENT_LOG", self.file("log"))
            .env("CHARRETTE_SEED", &self.seed);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        Output::capture(self.command(args), b"")
    }

    /// Runs a command with standard input.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        Output::capture(self.command(args), stdin.as_bytes())
    }

    /// Starts a run with all answers in a file.
    pub(crate) fn rehearse(&self) -> Output {
        self.run(&["rehearse", "try", "--answers", self.file("answers.yaml").to_str().unwrap()])
    }

    /// Resumes the run with all answers in a file.
    pub(crate) fn resume(&self) -> Output {
        self.run(&["resume", "try", "--answers", self.file("answers.yaml").to_str().unwrap()])
    }

    pub(crate) fn answer(&self, yaml: &str) -> Output {
        Output::capture(self.command(&["answer", "try", "--file", "-"]), yaml.as_bytes())
    }

    /// Takes the log of executions: seat or output, agent, fingerprint of the inputs.
    pub(crate) fn executed(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.file("log")).unwrap_or_default();
        let _ = std::fs::remove_file(self.file("log"));
        let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    /// Takes the log of executions, without fingerprints.
    pub(crate) fn executed_steps(&self) -> Vec<String> {
        self.executed().iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    }

    /// Process ids of the agents of this stage and of their orphans, found by the log in their environment.
    pub(crate) fn alive(&self) -> Vec<i64> {
        let mark = format!("FAKE_AGENT_LOG={}", self.file("log").display());
        let has = |environment: &[u8], wanted: &[u8]| {
            environment.split(|&b| b == 0).any(|entry| entry.starts_with(wanted))
        };
        let mut pids: Vec<i64> = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|pid: &i64| {
                let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                has(&environment, mark.as_bytes()) && has(&environment, b"CHARRETTE_LANE=")
            })
            .collect();
        pids.sort_unstable();
        pids
    }

    /// The state document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.sandbox.read(".claude/state/start-try.json")).unwrap()
    }

    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        self.sandbox.path(&format!(".specs/20261115-try/{name}"))
    }

    /// Artifacts with their content, without ledgers, superseded files and evidence.
    pub(crate) fn artifacts(&self) -> BTreeMap<String, String> {
        let folder = self.artifact("");
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                // Ledgers and events contain durations.
                let is_ledger = ["tokens.jsonl", "timing-ledger.tsv", "events.jsonl", ".closing-page-shown"]
                    .iter()
                    .any(|name| path.ends_with(name));
                path.is_file() && !is_ledger
            })
            .map(|path| {
                (
                    path.file_name().unwrap().to_str().unwrap().to_owned(),
                    std::fs::read_to_string(&path).unwrap(),
                )
            })
            .collect()
    }
}

fn charrette_merge(target: &mut Value, changes: &Value) {
    match (target, changes) {
        (Value::Object(target), Value::Object(changes)) => {
            for (key, value) in changes {
                charrette_merge(target.entry(key.as_str()).or_insert(Value::Null), value);
            }
        }
        (target, changes) => *target = changes.clone(),
    }
}
