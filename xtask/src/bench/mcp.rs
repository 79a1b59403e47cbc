//! The MCP server over its standard streams: an answer, a look beside a thousand finished runs, the start, the memory.

use super::documents::{open_documents, peak_memory};
use super::ratio::{Figure, compare, compare_with_setup};
use crate::TaskResult;
use crate::programs::{build_installable_charrette, create_repository, create_scratch_folder};
use charrette_model::checkpoint::{Command as FlowCommand, DocumentName};
use charrette_model::stamp::Now;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const ANSWER: &str = "mcp: answer, ms beyond a durable update";
const LOOK: &str = "mcp: a look, 1000 finished runs";
const OPEN: &str = "mcp: the open run among 1000 finished";
const START: &str = "mcp: start, to charrette --version";
const MEMORY: &str = "mcp: peak memory after 1000 calls";

/// Maximum time that an answer takes beyond a durable update of the same document, in milliseconds.
const ANSWER_MILLISECONDS: f64 = 0.5;
/// Maximum time of a look, in milliseconds.
const LOOK_MILLISECONDS: f64 = 2.0;
/// Maximum ratio of the start of a server, up to its first response, to printing the version.
const START_LIMIT: f64 = 3.0;
/// Maximum memory of a server, in megabytes.
const MEMORY_MEGABYTES: f64 = 20.0;

const FINISHED_RUNS: usize = 1000;
const CALLS: usize = 1000;
/// Run that waits at its first gate.
const FEATURE: &str = "greeting";

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let mut figures = Vec::new();
    if ![ANSWER, LOOK, OPEN, START, MEMORY].iter().any(|name| name.contains(only)) {
        return Ok(figures);
    }
    let scratch = create_scratch_folder("mcp")?;
    let bench = Bench::prepare(scratch.path())?;
    if START.contains(only) {
        figures.push(bench.start()?);
    }
    if ANSWER.contains(only) {
        figures.push(bench.answer()?);
    }
    bench.add_finished_runs()?;
    if LOOK.contains(only) {
        figures.push(bench.look(LOOK, &json!({"feature": FEATURE, "seconds": 0}))?);
    }
    if OPEN.contains(only) {
        figures.push(bench.look(OPEN, &json!({"seconds": 0}))?);
    }
    if MEMORY.contains(only) {
        figures.push(bench.memory()?);
    }
    Ok(figures)
}

/// A repository with a design at its first gate and a finished research.
struct Bench {
    folder: PathBuf,
    charrette: PathBuf,
}

impl Bench {
    fn prepare(folder: &Path) -> TaskResult<Bench> {
        let bench = Bench { folder: folder.to_owned(), charrette: build_installable_charrette()? };
        let repository = bench.repository();
        fs_err::create_dir_all(repository.join("src"))?;
        fs_err::create_dir_all(folder.join("home"))?;
        fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
        create_repository(&repository)?;
        let mut client = bench.connect();
        for (command, feature, end) in [("research", "finished", "complete"), ("design", FEATURE, "waiting")]
        {
            let order =
                json!({"command": command, "request": "add a greeting for new users", "feature": feature});
            client.value("start", order);
            let look = client.settle(feature);
            if look["state"] != end {
                return Err(format!("{command} {feature}: {look}").into());
            }
        }
        Ok(bench)
    }

    fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    fn state(&self) -> PathBuf {
        self.repository().join(".claude/state")
    }

    /// Command of charrette without any agent on its path.
    fn command(&self, argument: &str) -> Command {
        let mut command = Command::new(&self.charrette);
        command
            .arg(argument)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.join("home"))
            .current_dir(self.repository());
        command
    }

    fn connect(&self) -> McpClient {
        McpClient::start(self.command("mcp"), McpHost::plain(Revision::Session))
    }

    /// From the start of the process to its first response.
    fn start(&self) -> TaskResult<Figure> {
        let serve = || {
            let client = self.connect();
            if client.close() == Some(0) { Ok(()) } else { Err("the server failed".into()) }
        };
        let version = || {
            let output = self.command("--version").output()?;
            if output.status.success() { Ok(()) } else { Err("charrette --version failed".into()) }
        };
        compare(START, START_LIMIT, 200, serve, version)
    }

    /// One answer to one question of a gate with several, against a durable update of the same document.
    fn answer(&self) -> TaskResult<Figure> {
        let mut client = self.connect();
        let look = client.value("wait", json!({"feature": FEATURE, "seconds": 0}));
        let gate = &look["run"]["gates"][0];
        let key = gate["questions"][0]["key"].as_str().ok_or("the gate asks nothing")?;
        let answer = json!({
            "feature": FEATURE, "gate": gate["gate"], "shown": gate["shown"], "answers": {key: "as recommended"},
        });
        let documents = open_documents(&self.repository())?;
        let name = DocumentName::for_feature(FlowCommand::Design, Some(FEATURE))?;
        let path = documents.folder().document(&name);
        let asked = fs_err::read(&path)?;
        let phase = read_phase(&asked)?;
        // Everybody finds the question open.
        let set_up = || Ok(fs_err::write(&path, &asked)?);
        let update = || {
            let now = Now::real(std::time::SystemTime::now().try_into().unwrap_or_default());
            documents.update_phase(&name, &phase, &json!({"context_summary": "A change."}), now)?;
            Ok(())
        };
        let mut call = || {
            client.value("answer", answer.clone());
            Ok(())
        };
        let figure = compare_with_setup(ANSWER, 1.0, 200, set_up, &mut call, update)?;
        set_up()?;
        Ok(Figure { subject: figure.subject - figure.baseline, baseline: ANSWER_MILLISECONDS, ..figure })
    }

    /// Copies the finished run.
    fn add_finished_runs(&self) -> TaskResult {
        let finished = fs_err::read_to_string(self.state().join("research-finished.json"))?;
        let mut document: Value = serde_json::from_str(&finished)?;
        for number in 0..FINISHED_RUNS {
            document["feature"] = format!("finished-{number}").into();
            document["run"]["id"] = format!("run-{number}").into();
            let path = self.state().join(format!("research-finished-{number}.json"));
            fs_err::write(path, serde_json::to_string_pretty(&document)?)?;
        }
        // Finished runs are older than the moment in which a file is not believed to be unchanged.
        std::thread::sleep(Duration::from_millis(300));
        Ok(())
    }

    fn look(&self, name: &'static str, arguments: &Value) -> TaskResult<Figure> {
        let mut client = self.connect();
        let mut call = || {
            let looked = client.value("wait", arguments.clone());
            if looked["run"]["feature"] == FEATURE { Ok(()) } else { Err(looked.to_string().into()) }
        };
        let figure = compare(name, 1.0, 200, &mut call, || Ok(()))?;
        Ok(Figure { baseline: LOOK_MILLISECONDS, ..figure })
    }

    fn memory(&self) -> TaskResult<Figure> {
        let mut client = self.connect();
        for _ in 0..CALLS / 4 {
            client.value("wait", json!({"feature": FEATURE, "seconds": 0}));
            client.value("wait", json!({"seconds": 0}));
            client.value("read", json!({"feature": FEATURE}));
            client.request("resources/list", json!({}));
        }
        #[expect(clippy::cast_precision_loss, reason = "megabytes are small")]
        let subject = peak_memory(client.pid()).ok_or("the server has ended")? as f64 / 1024.0;
        Ok(Figure { name: MEMORY, subject, baseline: MEMORY_MEGABYTES, unit: "MB", limit: 1.0 })
    }
}

/// Name of a phase of a document.
fn read_phase(document: &[u8]) -> TaskResult<String> {
    let document: Value = serde_json::from_slice(document)?;
    let phases = document["phases"].as_object().ok_or("the document has no phases")?;
    Ok(phases.keys().next().ok_or("the document has no phases")?.clone())
}
