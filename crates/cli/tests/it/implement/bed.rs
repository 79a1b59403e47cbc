//! Test bed for `charrette implement`: starts, answers, resumes and inspects runs.

use crate::BINARY;
use crate::workshop::FAKE_AGENT;
use charrette_testkit::Output;
use charrette_testkit::till::{FEATURE, Till};
use serde_json::Value;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The ten tasks in their sandbox.
pub(super) struct Bed(Till);

impl Deref for Bed {
    type Target = Till;

    fn deref(&self) -> &Till {
        &self.0
    }
}

/// A commit on the way from the first one to the result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) run: String,
    pub(super) task: String,
    pub(super) assistant: String,
}

impl Bed {
    pub(super) fn new() -> Bed {
        Bed(Till::new(&*FAKE_AGENT))
    }

    /// Like [`Bed::new`]; T001 may touch everything below `till` and `tests`, so that only the rules for changes stand in
    /// the way of its agent.
    pub(super) fn lenient() -> Bed {
        let bed = Bed::new();
        bed.edit_spec("tasks.md", "till/price.py (new), tests/test_price.py (new)", "till/, tests/");
        bed.approve();
        bed
    }

    pub(super) fn with_till(till: Till) -> Bed {
        Bed(till)
    }

    /// Command line of `charrette implement` with these arguments.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        self.0.command(BINARY, ["implement", FEATURE].iter().chain(args))
    }

    /// Another program with the environment of a run.
    pub(super) fn command_for(&self, program: &str, args: &[String]) -> Command {
        self.0.command(program, args)
    }

    pub(super) fn implement(&self, args: &[&str]) -> Output {
        Output::capture(self.command(args), b"")
    }

    /// Resumes the run.
    pub(super) fn resume(&self) -> Output {
        self.implement(&["--resume"])
    }

    /// Answers a gate about a task, and resumes.
    pub(super) fn decide(&self, gate: &str, decision: &str) -> Output {
        self.answer(&format!("{gate}:\n  decision: {decision:?}\n"));
        self.resume()
    }

    /// Records answers, as a person at another time would.
    pub(super) fn answer(&self, yaml: &str) {
        let command = self.0.command(BINARY, ["answer", FEATURE, "--file", "-"]);
        let output = Output::capture(command, yaml.as_bytes());
        assert_eq!(output.code, Some(0), "{output:?}");
    }

    pub(super) fn document(&self) -> Value {
        self.state().expect("a state document")
    }

    /// Path of a file of the run.
    pub(super) fn artifact(&self, name: &str) -> PathBuf {
        let document = self.document();
        self.sandbox.path(document["run"]["workspace"].as_str().unwrap()).join(name)
    }

    /// Text of a file of the run.
    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.artifact(name)).unwrap()
    }

    /// State of a gate; empty if there is none.
    pub(super) fn gate(&self, name: &str) -> String {
        self.document()["gates"][name]["state"].as_str().unwrap_or_default().to_owned()
    }

    /// Names of the gates that wait.
    pub(super) fn open_gates(&self) -> Vec<String> {
        let document = self.document();
        let gates = document["gates"].as_object().unwrap().iter();
        gates.filter(|(_, gate)| gate["state"] == "pending").map(|(name, _)| name.clone()).collect()
    }

    /// Page of a gate, with its questions.
    pub(super) fn gate_page(&self, name: &str) -> String {
        let document = self.document();
        let round = document["gates"][name]["round"].as_u64().unwrap_or(1);
        let page = self.read(&format!("gates/{}-{round}.md", name.replace('/', "-")));
        format!("{page}\n{}", document["gates"][name])
    }

    /// Id of a commit, tree or blob.
    pub(super) fn id(&self, what: &str) -> String {
        self.sandbox.git(["rev-parse", what])
    }

    /// The integration ref; empty if there is none.
    pub(super) fn integration(&self) -> String {
        let refs = self.sandbox.git(["for-each-ref", "--format=%(refname)", "refs/charrette"]);
        refs.lines()
            .find(|name| name.split('/').count() == 3 && !name.contains(".work"))
            .unwrap_or_default()
            .to_owned()
    }

    /// The newest integrated commit: on its ref while it waits, on the branch once it has landed.
    pub(super) fn tip(&self) -> String {
        let integration = self.integration();
        if integration.is_empty() { "main".to_owned() } else { integration }
    }

    /// Commits from one to another, oldest first.
    pub(super) fn commits(&self, from: &str, to: &str) -> Vec<Commit> {
        let format = "%s%x1f%an%x1f%(trailers:key=Charrette-Run,valueonly,separator=)%x1f%(trailers:key=Charrette-Task,valueonly,separator=)%x1f%(trailers:key=Assisted-by,valueonly,separator=)";
        let listed =
            self.sandbox.git(["log", "--reverse", &format!("--format={format}"), &format!("{from}..{to}")]);
        let commit = |line: &str| {
            let parts: Vec<String> = line.split('\u{1f}').map(str::to_owned).collect();
            let [title, author, run, task, assistant] = <[String; 5]>::try_from(parts).unwrap();
            Commit { title, author, run, task, assistant }
        };
        listed.lines().map(commit).collect()
    }

    /// Ids of the tasks with a commit between two others, oldest first.
    pub(super) fn landed_tasks(&self, from: &str, to: &str) -> Vec<String> {
        let commits = self.commits(from, to).into_iter();
        commits.map(|commit| commit.task).filter(|task| !task.is_empty()).collect()
    }

    /// Text of a file in a commit; none if it has none.
    pub(super) fn file_at(&self, commit: &str, path: &str) -> Option<String> {
        let output = self.sandbox.run("git", ["show", &format!("{commit}:{path}")], b"");
        (output.code == Some(0)).then_some(output.stdout)
    }

    /// Result of the library's own tests in the checkout.
    pub(super) fn unittest(&self) -> Output {
        self.sandbox.run("python3", ["-B", "-m", "unittest", "-v"], b"")
    }

    /// Lines of `git status` about files that are not charrette's own.
    pub(super) fn status(&self) -> Vec<String> {
        let status = self.sandbox.git(["status", "--porcelain", "--untracked-files=all"]);
        let own = |line: &&str| {
            let path = line.get(3..).unwrap_or_default();
            !path.starts_with(".claude/") && !path.starts_with(".specs/")
        };
        status.lines().filter(own).map(str::to_owned).collect()
    }

    /// Asserts that a run is over and left nothing behind.
    pub(super) fn assert_clean(&self) {
        assert_eq!(self.leftovers(), [""; 0]);
    }

    /// Calls of agents so far whose step begins with this, in their order.
    pub(super) fn calls_of(&self, step: &str) -> Vec<String> {
        self.calls_in_order().into_iter().filter(|call| call.starts_with(step)).collect()
    }
}

/// Everything that a run printed.
pub(super) fn printed(output: &Output) -> String {
    format!("{}\n{}", output.stdout, output.stderr)
}

/// Asserts the exit code, and that the output has these texts.
pub(super) fn assert_ends(output: &Output, code: i32, texts: &[&str]) {
    assert_eq!(output.code, Some(code), "{output:?}");
    let all = printed(output);
    for text in texts {
        assert!(all.contains(text), "{text:?} is not in:\n{all}");
    }
}

/// Waits until a file exists.
pub(super) fn wait_for(path: &Path) {
    let until = Instant::now() + Duration::from_mins(1);
    while !path.exists() {
        assert!(Instant::now() < until, "{} did not appear", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}
