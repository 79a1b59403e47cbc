//! Integration tests that run the real binary in sandboxed repositories.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod agents;
mod bad_input;
mod branches;
mod checkpoint;
mod checks;
mod collection;
mod completions;
mod config;
mod deleted_runs;
mod design_again;
mod design_flags;
mod design_gates;
mod design_levels;
mod design_mishaps;
mod design_nested;
mod design_regular;
mod design_repositories;
mod design_requests;
mod design_researchers;
mod design_terminal;
mod design_tracker;
mod design_webhooks;
mod design_words;
mod design_worker;
mod diagrams;
mod dirty_tree;
mod documented;
mod earlier_runs;
mod events;
mod gates;
mod git_kills;
mod honesty;
mod hooks;
mod hostile_agents;
mod hostile_records;
mod hosts;
mod implement;
mod implement_conflicts;
mod implement_lies;
mod init;
mod kills;
mod ledgers;
mod links;
mod manifests;
mod mcp;
mod one_checkout;
mod panel;
mod panel_answers;
mod panel_bed;
mod races;
mod research;
mod roles;
mod sandbox;
mod screens;
mod seat_queue;
mod surveys;
mod text_tools;
mod trust;
mod trust_hostile;
mod trust_runs;
mod two_drivers;
mod verify_init;
mod verify_run;
mod workshop;
mod write_seat;

use charrette_testkit::{Output, Sandbox};

/// Runs the binary in a sandbox.
fn charrette(sandbox: &Sandbox, args: &[&str]) -> Output {
    charrette_with(sandbox, args, b"")
}

/// Runs the binary in a sandbox, with `stdin` fed to it.
fn charrette_with(sandbox: &Sandbox, args: &[&str], stdin: &[u8]) -> Output {
    sandbox.run(BINARY, args, stdin)
}

const BINARY: &str = env!("CARGO_BIN_EXE_charrette");

/// Arguments and path of the document used by most tests.
const DOCUMENT_ARGS: [&str; 4] = ["--command", "design", "--feature", "add-login"];
const DOCUMENT: &str = ".claude/state/design-add-login.json";

/// Runs `checkpoint OPERATION` on that document.
fn checkpoint(sandbox: &Sandbox, operation: &[&str], stdin: &str) -> Output {
    let args: Vec<&str> = ["checkpoint"].iter().chain(operation).chain(&DOCUMENT_ARGS).copied().collect();
    charrette_with(sandbox, &args, stdin.as_bytes())
}
