//! The real command line with example flows. `charrette-rehearsal rehearse FEATURE [--answers FILE] [--json]` starts a run
//! with three phases, ten steps, two parallel groups, two gates and a fallback; every other command is that of `charrette`.
//!
//! `run-errand FEATURE` starts a run that drives the rehearsal as a child run, `gather-crowd FEATURE` one with two hundred
//! seats, `go-wide FEATURE` one with two hundred steps, `knock FEATURE` one that has numbered stages and two gates at once.
//!
//! `REHEARSAL_SCRIPT` is the script of the agents, `FAKE_AGENT_LOG` a log with a line for every executed step,
//! `REHEARSAL_FAIL_ONCE` a folder that makes every local step fail the first time.

#![expect(clippy::disallowed_methods, reason = "a test program reads its own environment")]

mod flow;

use charrette_app::App;
use charrette_app::start::NewRun;
use charrette_engine::flows::FLOWS;
use charrette_engine::{FlowSpec, Registry};
use charrette_model::checkpoint::DocumentName;
use charrette_model::config::Layer;
use flow::{CROWD, DOORS, ERRAND, REHEARSAL, WIDE};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// The flows of the product and the example flows.
fn app() -> App {
    let own = [&REHEARSAL, &WIDE, &CROWD, &DOORS, &ERRAND];
    let settings = Layer { origin: "built in".to_owned(), text: settings() };
    App { registry: Registry::new(FLOWS.into_iter().chain(own)), settings: Some(settings) }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flow, feature): (&'static FlowSpec, _) = match arguments.first().map(String::as_str) {
        Some("rehearse") => (&REHEARSAL, arguments.get(1)),
        Some("go-wide") => (&WIDE, arguments.get(1)),
        Some("knock") => (&DOORS, arguments.get(1)),
        Some("gather-crowd") => (&CROWD, arguments.get(1)),
        Some("run-errand") => (&ERRAND, arguments.get(1)),
        _ => return with_census(charrette_cli::main(app())),
    };
    let Ok(name) = DocumentName::for_feature(flow.command, feature.map(String::as_str)) else {
        return ExitCode::from(2);
    };
    let answers = arguments
        .iter()
        .position(|word| word == "--answers")
        .and_then(|at| arguments.get(at + 1))
        .map(PathBuf::from);
    let beginning = NewRun {
        flow,
        name,
        request: "Rehearse everything.\n".to_owned(),
        flags: serde_json::Map::new(),
        parent: None,
    };
    with_census(charrette_cli::start_run(
        app(),
        beginning,
        answers.as_deref(),
        arguments.iter().any(|word| word == "--json"),
    ))
}

/// With `REHEARSAL_CENSUS`, writes the resources of this process to that file: open files, child processes, peak memory.
fn with_census(code: ExitCode) -> ExitCode {
    if let Some(census) = std::env::var_os("REHEARSAL_CENSUS") {
        let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let children = std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id()));
        let children = children.unwrap_or_default().split_whitespace().count();
        let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let peak = peak.trim().trim_end_matches(" kB");
        let _ = fs_err::write(
            census,
            format!("{{\"files\": {files}, \"children\": {children}, \"peak_kb\": {peak}}}\n"),
        );
    }
    code
}

/// Settings with three scripted agents, on top of those of the repository and the user.
fn settings() -> String {
    let script = std::env::var("REHEARSAL_SCRIPT").unwrap_or_default();
    let fake = std::env::current_exe().unwrap_or_default().with_file_name("fake-agent");
    let mut text = "[policy]\nprobe = false\n[clocks]\ngrace = 2\n".to_owned();
    for agent in ["alpha", "beta", "broken"] {
        let _ = write!(
            text,
            "[agents.{agent}]\nkind = \"command\"\ncommand = {:?}\nargs = [{script:?}, {agent:?}]\nenv = [\"FAKE_AGENT_LOG\"]\n",
            fake.to_string_lossy()
        );
    }
    text
}
