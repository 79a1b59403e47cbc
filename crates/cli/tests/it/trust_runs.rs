//! Trust and runs: a run uses what was trusted when it began, a resume notices a change.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::{FEATURE, PanelVariant, REQUEST};
use charrette_testkit::{Output, Pty};
use std::process::Command;

const SUMMARY: &str = include_str!("../../../../assets/templates/summary.md.jinja");
const TEMPLATE: &str = "specs/templates/summary.md.jinja";
const OWN_AGENT: &str = "[agents.theirs]\nkind = \"queue\"\n";

/// A run in which nobody asks anything in between, in a repository with a template of its own that everybody has.
fn workshop() -> Workshop {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::NothingUnclear);
    workshop.sandbox.write(TEMPLATE, format!("{SUMMARY}\nThe first footer.\n"));
    workshop.sandbox.git(["add", "--all"]);
    workshop.sandbox.commit("a template");
    workshop.sandbox.git(["push", "-q"]);
    workshop
}

fn command(workshop: &Workshop, args: &[&str]) -> Command {
    let mut command = workshop.command(BINARY, args);
    command.env_remove("CHARRETTE_TRUST");
    command
}

fn charrette(workshop: &Workshop, args: &[&str]) -> Output {
    Output::capture(command(workshop, args), b"")
}

fn digest(workshop: &Workshop) -> String {
    let shown = charrette(workshop, &["trust", "--show", "--json"]).json();
    shown["digest"].as_str().unwrap().to_owned()
}

fn trust(workshop: &Workshop) {
    let output = charrette(workshop, &["trust", &format!("--trust={}", digest(workshop))]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn a_run_goes_on_with_what_was_trusted_when_it_began() {
    let workshop = workshop();
    let mut pty = Pty::start(command(&workshop, &["design", REQUEST, "--auto"]), 100);
    pty.wait_for("| The first footer.");
    pty.answer("[No / Yes] > ", "yes\r");
    pty.answer("[Run / Cancel] > ", "\r");
    pty.wait_for("Is this correct?");
    let began_with = digest(&workshop);
    assert_eq!(workshop.document()["run"]["trust"], began_with);
    // While the run is on, somebody changes what it was told to use.
    workshop.sandbox.write(TEMPLATE, format!("{SUMMARY}\nThe second footer.\n"));
    workshop.sandbox.write("charrette.toml", OWN_AGENT);
    pty.send("\r");
    for question in
        ["Does this align", "Are any of these", "Are you comfortable", "missing or", "Should we resolve"]
    {
        pty.answer(question, "\r");
    }
    pty.answer("review any specific file", "\r");
    for question in ["Do you agree", "additional risks", "Is anything missing that", "Any concerns"] {
        pty.answer(question, "\r");
    }
    pty.answer("(yes / no / revise)", "yes\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    let summary = fs_err::read_to_string(workshop.spec("summary.md")).unwrap();
    assert!(summary.contains("The first footer.") && !summary.contains("second"), "{summary}");
    assert_eq!(workshop.document()["run"]["trust"], began_with);
}

#[test]
fn a_resume_notices_a_change_and_asks_again() {
    let workshop = workshop();
    trust(&workshop);
    let output = charrette(&workshop, &["design", REQUEST, "--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    workshop.sandbox.write(TEMPLATE, format!("{SUMMARY}\nThe second footer.\n"));
    for args in [&["resume", FEATURE][..], &["design", FEATURE, "--resume"]] {
        let output = charrette(&workshop, args);
        assert_eq!(output.code, Some(4), "{output:?}");
        assert!(
            output.stderr.contains("\n  -  | The first footer.\n  +  | The second footer.\n"),
            "{output:?}"
        );
    }
    let mut pty = Pty::start(command(&workshop, &["resume", FEATURE]), 100);
    pty.wait_for("+  | The second footer.");
    pty.answer("[No / Yes] > ", "yes\r");
    pty.wait_for("has changed since this run began");
    pty.answer("Is this correct?", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    let output = charrette(&workshop, &["status"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
}

#[test]
fn a_worker_trusts_what_its_parent_trusts() {
    let workshop = Workshop::brief();
    let planner = charrette(&workshop, &["roles", "show", "planner", "--built-in"]).stdout;
    workshop.sandbox.write(".charrette/roles/planner.md", format!("{planner}\nRule 4711 is ours.\n"));
    workshop.sandbox.git(["add", "--all"]);
    workshop.sandbox.commit("a role");
    workshop.sandbox.git(["push", "-q"]);
    workshop.keep_prompts();
    let answers = workshop.answers();
    let answers = answers.to_str().unwrap();
    let trusted = format!("--trust={}", digest(&workshop));
    let args = ["design", REQUEST, "--auto", "--subagent", "--answers", answers, &trusted];
    let output = charrette(&workshop, &args);
    assert_eq!(output.code, Some(0), "{output:?}");
    let prompts = workshop.prompts();
    let planner = prompts
        .iter()
        .find(|(step, _)| step.contains("plan"))
        .unwrap_or_else(|| panic!("{:?}", prompts.keys()));
    assert!(prompts.values().any(|prompt| prompt.contains("Rule 4711 is ours.")), "{}", planner.1);
}
