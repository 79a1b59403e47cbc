//! The real command line with one more flow: three phases, ten steps, two parallel groups, two gates and a
//! fallback. `charrette-rehearsal rehearse FEATURE [--answers FILE] [--json]` begins a run of it; everything
//! else is what `charrette` does.
//!
//! `REHEARSAL_SCRIPT` names the script of its agents, `FAKE_AGENT_LOG` a file that gets a line for every
//! execution of a step, `REHEARSAL_FAIL_ONCE` a folder: with it, every local step fails the first time.

#![expect(clippy::disallowed_methods, reason = "a test program reads its own environment")]

mod flow;

use charrette_agents::CommandLauncher;
use charrette_cli::drive::{Beginning, Extension};
use charrette_engine::Cancel;
use charrette_engine::ports::Launcher;
use charrette_model::checkpoint::{Command, DocumentName};
use flow::{Rehearsal, Wide};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXTENSION: Extension = Extension { flows: &[&Rehearsal, &Wide], launcher };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, feature) = match arguments.first().map(String::as_str) {
        Some("rehearse") => (Command::Research, arguments.get(1)),
        Some("go-wide") => (Command::Reconcile, arguments.get(1)),
        _ => return charrette_cli::main(EXTENSION),
    };
    let Ok(name) = DocumentName::for_feature(command, feature.map(String::as_str)) else {
        return ExitCode::from(2);
    };
    let answers = arguments
        .iter()
        .position(|word| word == "--answers")
        .and_then(|at| arguments.get(at + 1))
        .map(PathBuf::from);
    let beginning = Beginning { name, request: "Rehearse everything.\n", answers };
    charrette_cli::begin(EXTENSION, &beginning, arguments.iter().any(|word| word == "--json"))
}

fn launcher(root: &Path, cancel: Cancel) -> Arc<dyn Launcher> {
    let script = std::env::var("REHEARSAL_SCRIPT").unwrap_or_default();
    let fake = std::env::current_exe().unwrap_or_default().with_file_name("fake-agent");
    let words = |agent: &str| vec![fake.to_string_lossy().into_owned(), script.clone(), agent.to_owned()];
    let commands: HashMap<_, _> =
        ["alpha", "beta", "broken"].map(|agent| (agent.to_owned(), words(agent))).into();
    Arc::new(CommandLauncher { commands, folder: root.to_owned(), grace: Duration::from_secs(2), cancel })
}
