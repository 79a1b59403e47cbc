//! The example library with scripted agents. An implementer runs the shell script of its task; reviewers have nothing to
//! say.

use super::repository::{approve, assets, copy, create, spec_path};
use super::{FEATURE, leftovers};
use crate::Sandbox;
use crate::panel::Panel;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Runs the script of the task that the lane is named after.
const WORK: &str =
    r#"step=${CHARRETTE_LANE##*/}; step=${step#*-}; task=${step%%.*}; exec sh -e "$SCRIPT/${task%%-*}.sh""#;

/// Answer of an implementer; `{seat}` is its step.
const RESPONSE: &str = r#"```json
{"task_id": "{seat}", "phase": "write", "status": "complete", "decision": "PROCEED",
 "findings": {}, "context_summary": "Did what {seat} asks for.", "issues": []}
```
"#;

/// A sandbox with the example library, its specification and scripted agents.
#[derive(Debug)]
pub struct Till {
    panel: Panel,
}

impl Deref for Till {
    type Target = Panel;

    fn deref(&self) -> &Panel {
        &self.panel
    }
}

impl Till {
    /// The ten tasks, each with an agent that does it. `fake_agent` is the program.
    pub fn new(fake_agent: impl AsRef<Path>) -> Till {
        let sandbox = Sandbox::new();
        create(&sandbox);
        Till::with_sandbox(sandbox, fake_agent)
    }

    /// The same agents in a sandbox that has the repository already.
    pub fn with_sandbox(sandbox: Sandbox, fake_agent: impl AsRef<Path>) -> Till {
        let till = Till { panel: Panel::with_sandbox(sandbox, fake_agent) };
        copy(&assets().join("tasks"), &till.script());
        till.set_part("implementer", &till.working_part(""));
        till.set_answer("task-reviewer", "Verdict: PASS\n\nNO_ISSUES_FOUND\n");
        for reviewer in ["comprehensive-reviewer-1", "comprehensive-reviewer-2"] {
            till.set_answer(reviewer, "NO_ISSUES_FOUND\n");
        }
        till.write_gate_answers("{}\n");
        till
    }

    /// Makes proofs and verify commands instant: they only look for files. For measurements and kills, where Python would
    /// take most of the time.
    pub fn make_instant(&self) {
        self.sandbox.write("charrette.toml", "[verify]\ntest = \"test -e till/basket.py\"\n");
        self.sandbox.git(["commit", "-q", "-am", "Instant commands"]);
        self.sandbox.git(["push", "-q"]);
        let tasks = self.sandbox.read(&spec_path("tasks.md"));
        let mut file = "";
        let mut instant = String::new();
        for line in tasks.lines() {
            if let Some((first, _)) =
                line.strip_prefix("**Files:** ").and_then(|files| files.split_once(" (new)"))
            {
                file = first.rsplit(' ').next().unwrap_or(first);
            }
            let is_proof = line.starts_with("**Proof:**");
            let line =
                if is_proof { format!("**Proof:** command `test -e {file}`") } else { line.to_owned() };
            instant.push_str(&line);
            instant.push('\n');
        }
        self.sandbox.write(&spec_path("tasks.md"), instant);
        self.approve();
    }

    /// Replaces the specification by this many tasks that are independent of each other, with instant proofs.
    pub fn make_independent(&self, count: usize) {
        self.make_instant();
        let mut tasks = "# Tasks: receipts for the till\n\n## Phase 1: All\n".to_owned();
        for number in 1..=count {
            // Writing to a string cannot fail.
            let _ = write!(
                tasks,
                "\n### T{number:03}: Piece {number} [REQ-1.1]\nA module of its own.\n\n**Files:** till/piece{number}.py (new)\n**Proof:** command `test -e till/piece{number}.py`\n"
            );
            self.set_work(
                &format!("T{number:03}"),
                &format!("echo 'PIECE = {number}' > till/piece{number}.py\n"),
            );
        }
        self.sandbox.write(&spec_path("tasks.md"), tasks);
        self.approve();
    }

    /// Part of an agent that does its task, runs more shell commands, and claims to be done.
    pub fn working_part(&self, more: &str) -> Value {
        let shell = format!("SCRIPT={}\n({WORK})\n{more}", quoted(&self.script()));
        json!({"shell": shell, "answer": RESPONSE})
    }

    /// Part of an agent that runs these shell commands only, and claims to be done.
    pub fn claiming_part(&self, shell: &str) -> Value {
        json!({"shell": format!("set -e\n{shell}"), "answer": RESPONSE})
    }

    /// Replaces the script of a task.
    pub fn set_work(&self, task: &str, script: &str) {
        fs_err::write(self.work_script(task), script).expect("a script");
    }

    /// The script of a task.
    pub fn work(&self, task: &str) -> String {
        fs_err::read_to_string(self.work_script(task)).expect("a script")
    }

    fn work_script(&self, task: &str) -> PathBuf {
        self.script().join(format!("{task}.sh"))
    }

    /// Replaces a text in a file of the specification. It is not approved any more afterwards.
    pub fn edit_spec(&self, name: &str, from: &str, to: &str) {
        let text = self.sandbox.read(&spec_path(name));
        assert!(text.contains(from), "{from} is not in {name}");
        self.sandbox.write(&spec_path(name), text.replace(from, to));
    }

    /// Approves the specification as it is on disk.
    pub fn approve(&self) {
        approve(&self.sandbox);
    }

    /// Path of a file of the specification, relative to the repository.
    pub fn spec_path(name: &str) -> String {
        spec_path(name)
    }

    /// The state document of the implementation, if there is one.
    pub fn state(&self) -> Option<Value> {
        let path = self.sandbox.path(&format!(".claude/state/implement-{FEATURE}.json"));
        serde_json::from_slice(&fs_err::read(path).ok()?).ok()
    }

    /// What the run left behind: worktrees, refs, branches, locks and processes.
    pub fn leftovers(&self) -> Vec<String> {
        leftovers::find(&self.sandbox, &["main"])
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
