//! A repository with a script for the agents, and a log of everything that was executed.

use charrette_testkit::{Output, Sandbox};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_charrette-rehearsal");

/// An agent that does as a script says.
pub(crate) const FAKE_AGENT: &str = env!("CARGO_BIN_EXE_fake-agent");

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    /// What the id of the run is made from. Its own for every stage: processes are told apart by it.
    seed: String,
}

impl Stage {
    pub(crate) fn set() -> Stage {
        let sandbox = Sandbox::repository();
        let seed = sandbox.work().display().to_string();
        Stage::seeded(sandbox, seed)
    }

    /// A stage whose runs have the same id as those of every other with that seed.
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

    /// The usual script, with parts of it changed.
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
        let mut command = self.sandbox.command(BINARY);
        command
            .args(args)
            .env("REHEARSAL_SCRIPT", self.file("script.json"))
            .env("FAKE_AGENT_LOG", self.file("log"))
            .env("CHARRETTE_SEED", &self.seed);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        Output::of(self.command(args), b"")
    }

    /// The same, with `stdin` fed to it.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        Output::of(self.command(args), stdin.as_bytes())
    }

    /// Begins a run with all answers at hand.
    pub(crate) fn rehearse(&self) -> Output {
        self.run(&["rehearse", "try", "--answers", self.file("answers.yaml").to_str().unwrap()])
    }

    /// Goes on with all answers at hand.
    pub(crate) fn resume(&self) -> Output {
        self.run(&["resume", "try", "--answers", self.file("answers.yaml").to_str().unwrap()])
    }

    pub(crate) fn answer(&self, yaml: &str) -> Output {
        Output::of(self.command(&["answer", "try", "--file", "-"]), yaml.as_bytes())
    }

    /// Everything that was executed since the log was last taken: seat or output, who, fingerprint of what it read.
    pub(crate) fn executed(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.file("log")).unwrap_or_default();
        let _ = std::fs::remove_file(self.file("log"));
        let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    /// The same without fingerprints.
    pub(crate) fn executed_steps(&self) -> Vec<String> {
        self.executed().iter().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    }

    /// Processes that agents of this stage are or have left, by number. They know its log.
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

    /// The artifacts and what is in them; ledgers, what was superseded and evidence of failures aside.
    pub(crate) fn artifacts(&self) -> BTreeMap<String, String> {
        let folder = self.artifact("");
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                // Ledgers and events say how long things took.
                let is_ledger = ["tokens.jsonl", "timing-ledger.tsv", "events.jsonl"]
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
