//! Implementations with the real clients: one writes two tasks in worktrees, in the kernel sandbox, and another one reviews
//! them. The scripted model has the writer run the edits of each task in its shell.

use super::case_run::{PORT, Programs};
use super::clients::{self, Client};
use super::designs::{log_path, script_path, with_model};
use super::install::InstalledClients;
use super::{connections, hostile, namespace, processes};
use crate::TaskResult;
use charrette_testkit::Sandbox;
use charrette_testkit::till::{FEATURE, Till, leftovers, repository};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Timeout of a run, on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Tasks, with the first line of their brief.
const TASKS: [(&str, &str); 2] =
    [("T001", "\n# T001: Read prices"), ("T002", "\n# T002: Take off discounts")];

/// Answer of a writer.
const DONE: &str = "```json\n{\"task_id\": \"implementer\", \"phase\": \"write\", \"status\": \"complete\", \"decision\": \"PROCEED\", \"findings\": {}, \"context_summary\": \"Module and test are there.\", \"issues\": []}\n```\n";

/// An implementation as a test case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Implementation {
    pub(super) name: &'static str,
    writer: Seated,
    reviewer: Seated,
}

/// A client, and the API over which its requests reach the model.
#[derive(Debug, Clone, Copy)]
struct Seated {
    name: &'static str,
    api: &'static str,
}

const CLAUDE: Seated = Seated { name: "claude", api: "anthropic" };
const CODEX: Seated = Seated { name: "codex", api: "responses" };

pub(super) const ALL: [Implementation; 2] = [
    Implementation { name: "implement/claude-codex", writer: CLAUDE, reviewer: CODEX },
    Implementation { name: "implement/codex-claude", writer: CODEX, reviewer: CLAUDE },
];

/// Runs an implementation; the error is the first failed check.
pub(super) fn run(
    implementation: &Implementation,
    programs: &Programs,
    installed: &InstalledClients,
    runs: &Path,
) -> Result<(), String> {
    let folder = runs.join(implementation.name.replace('/', "-"));
    let run = ImplementationRun::prepare(implementation, installed, &folder);
    let run = run.map_err(|error| error.to_string())?;
    let code = with_model(&run.till, programs, |model| run.implement(model, programs));
    let orphans = processes::kill_processes_of(&run.till.sandbox.home());
    let code = code.map_err(|error| error.to_string())?;
    run.check(implementation, code, &orphans)
}

/// Repository and configuration of an implementation.
struct ImplementationRun {
    folder: PathBuf,
    till: Till,
    environment: Vec<(String, String)>,
}

impl ImplementationRun {
    fn prepare(
        implementation: &Implementation,
        installed: &InstalledClients,
        folder: &Path,
    ) -> TaskResult<ImplementationRun> {
        let sandbox = Sandbox::persistent(&folder.join("run"));
        repository::create(&sandbox);
        let till = Till::with_sandbox(sandbox, "/nonexistent");
        let model = format!("http://127.0.0.1:{PORT}");
        hostile::write_home(&till.sandbox.home(), &till.sandbox.work(), &model, true)?;
        let find = |seated: Seated| clients::all().into_iter().find(|client| client.name == seated.name);
        let (Some(writer), Some(reviewer)) = (find(implementation.writer), find(implementation.reviewer))
        else {
            return Err("a client is missing".into());
        };
        let mut settings = String::from("[clocks]\ngrace = 2\n");
        for client in [&writer, &reviewer] {
            let program = installed.program(client).unwrap_or_default();
            let own = client.settings.replace("{program}", &program.to_string_lossy());
            write!(settings, "[agents.{}]\n{own}", client.name)?;
        }
        for absent in ["cursor", "gemini", "opencode"] {
            write!(settings, "[agents.{absent}]\ncommand = \"/nonexistent\"\n")?;
        }
        write!(settings, "[seats]\nimplementer = [{:?}]\n", writer.name)?;
        fs_err::write(till.sandbox.home().join(".config/charrette/charrette.toml"), settings)?;
        fs_err::write(script_path(&till), model_script(&till, &writer).to_string())?;
        fs_err::create_dir_all(folder.join("tmp"))?;
        let variables = writer.environment.iter().chain(reviewer.environment);
        let environment =
            variables.map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model))).collect();
        Ok(ImplementationRun { folder: folder.to_owned(), till, environment })
    }

    /// Implements two tasks in the namespace of the model. Returns the exit code.
    fn implement(&self, model: &Child, programs: &Programs) -> TaskResult<Option<i32>> {
        let inside = namespace::in_namespace_of(model.id());
        let mut command = self.till.command(inside.get_program(), inside.get_args());
        command.args(connections::trace_connections(&self.folder.join("connections")));
        command.arg(&programs.charrette).args(["implement", FEATURE, "--task=T001,T002", "--yes"]);
        command.envs(self.environment.iter().cloned());
        command.env("TMPDIR", self.folder.join("tmp")).env_remove("CHARRETTE_LANDLOCK");
        let file = |kind: &str| fs_err::File::create(self.folder.join(kind));
        command.stdout(file("stdout")?.into_parts().0).stderr(file("stderr")?.into_parts().0);
        let mut child = command.stdin(Stdio::null()).process_group(0).spawn()?;
        processes::wait(&mut child, TIMEOUT)
    }

    fn check(
        &self,
        implementation: &Implementation,
        code: Option<i32>,
        orphans: &[String],
    ) -> Result<(), String> {
        let Implementation { writer, reviewer, .. } = implementation;
        let stderr = fs_err::read_to_string(self.folder.join("stderr")).unwrap_or_default();
        require(code == Some(0), || format!("exit code {code:?}: {stderr}"))?;
        require(orphans.is_empty(), || format!("orphans: {orphans:?}"))?;
        let sandbox = &self.till.sandbox;
        let format = "--format=%(trailers:key=Charrette-Task,valueonly,separator=) %(trailers:key=Assisted-by,valueonly,separator=)";
        let listed = sandbox.git(["log", "--reverse", format, "origin/main..main"]);
        for (task, _) in TASKS {
            let start = format!("{task} {}", writer.name);
            require(listed.lines().any(|line| line.starts_with(&start)), || {
                format!("no commit of {start}: {listed}")
            })?;
        }
        let tests = sandbox.run("python3", ["-B", "-m", "unittest", "-v"], b"");
        require(tests.code == Some(0), || format!("the landed tests fail: {}", tests.stderr))?;
        require(tests.stderr.contains("Ran 5 tests"), || {
            format!("not all tests are there: {}", tests.stderr)
        })?;
        let left = leftovers::find(sandbox, &["main"]);
        require(left.is_empty(), || format!("left behind: {left:?}"))?;
        // Lanes 0 to 2 of the script are reviewers, then a lane for each task.
        let apis = |lanes: std::ops::Range<u64>| -> Vec<String> {
            let requests = self.requests().into_iter();
            let of_lane = requests.filter(|line| {
                line["turn"].is_number() && line["lane"].as_u64().is_some_and(|lane| lanes.contains(&lane))
            });
            of_lane.map(|line| line["api"].as_str().unwrap_or_default().to_owned()).collect()
        };
        let (reviews, writings) = (apis(0..1), apis(3..5));
        require(reviews.len() == 2 && reviews.iter().all(|api| api == reviewer.api), || {
            format!("reviews by {reviews:?}")
        })?;
        require(writings.len() == 4 && writings.iter().all(|api| api == writer.api), || {
            format!("written by {writings:?}")
        })?;
        let outside = connections::external_addresses(&self.folder.join("connections"));
        require(outside.is_empty(), || format!("connections beyond loopback: {outside:?}"))
    }

    /// Requests to the model.
    fn requests(&self) -> Vec<Value> {
        let log = fs_err::read_to_string(log_path(&self.till)).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// Script of the model: reviewers have nothing to say, writers run the edits of their task.
fn model_script(till: &Till, writer: &Client) -> Value {
    let (tool, argument) = writer.shell.unwrap_or_default();
    let reviews = [
        ("task-reviewer", "Verdict: PASS\n\nNO_ISSUES_FOUND\n"),
        ("comprehensive-reviewer-1", "NO_ISSUES_FOUND\n"),
        ("comprehensive-reviewer-2", "NO_ISSUES_FOUND\n"),
    ];
    let mut lanes: Vec<Value> = reviews
        .iter()
        .map(|(seat, text)| json!({"when": format!("- Task: `{seat}`"), "turns": [{"text": text}]}))
        .collect();
    for (task, when) in TASKS {
        let mut arguments = json!({"description": "edit"});
        arguments[argument] = till.work(task).into();
        let call = json!({"calls": [{"tool": tool, "arguments": arguments}]});
        lanes.push(json!({"when": when, "turns": [call, {"text": DONE}]}));
    }
    lanes.push(json!({"turns": [{"text": "OK"}]}));
    json!({"order": "history", "lanes": lanes, "side": {"text": "A title"}})
}

fn require(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}
