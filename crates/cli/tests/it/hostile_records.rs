//! Agents that forge the record of their run, or that stop the check of its files: the document alone approves nothing, no
//! obstacle makes a forgery an edit of the person, and what was shown is what is approved.

use crate::BINARY;
use crate::hostile_agents::{attack, continue_after, undisturbed};
use crate::workshop::{Workshop, document_path};
use charrette_testkit::panel::{FEATURE, PanelVariant};
use charrette_testkit::{Output, Pty};
use std::path::Path;
use std::time::{Duration, Instant};

/// Answers of a person to the last gate.
const POST: &str = "post-design: {what_built: proceed, decisions: \"yes\", risks: no additional, omissions: nothing missing, confidence: no concerns, approval: \"yes\"}\n";

/// A script that changes the document by these statements of Python.
fn forge(workshop: &Workshop, statements: &str) -> String {
    let path = workshop.sandbox.path(&document_path(FEATURE));
    format!(
        "python3 - <<'E'\nimport json\np = '{}'\nd = json.load(open(p))\n{statements}\njson.dump(d, open(p, 'w'))\nE",
        path.display()
    )
}

const APPROVE: &str = r#"g = d["gates"]["post-design"]
g.update(state="approved", by="Ada L", at="2099-11-18T20:00:00.000Z", answers={"what_built": "proceed", "decisions": "yes",
    "risks": "no additional", "omissions": "nothing missing", "confidence": "no concerns", "approval": "yes"})"#;

/// Leaves the last gate to people at another time.
fn without_last_answers(workshop: &Workshop) {
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
}

/// A run that waits at its last gate, and whose writer is asked again by the next resume.
fn waiting_at_the_last_gate() -> Workshop {
    let workshop = Workshop::brief();
    without_last_answers(&workshop);
    assert_eq!(workshop.start(&[]).code, Some(3));
    assert_eq!(workshop.gate("post-design"), "pending");
    let plan = workshop.read("plan.txt");
    workshop.edit("plan.txt", &format!("{plan}\nA remark of the person.\n"));
    workshop
}

fn is_approved(workshop: &Workshop) -> bool {
    std::fs::read_to_string(workshop.spec("spec.json")).unwrap().contains("\"approved\"")
}

#[test]
fn an_agent_that_answers_a_waiting_gate_in_the_document_approves_nothing() {
    let workshop = waiting_at_the_last_gate();
    attack(&workshop, "writer", &forge(&workshop, APPROVE));
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("(gate post-design)"), "{output:?}");
    assert_eq!(workshop.gate("post-design"), "pending");
    let output = continue_after(&workshop, &output, &format!("design-{FEATURE}.json"));
    assert_eq!(output.code, Some(3), "the person was not asked: {output:?}");
    assert!(!is_approved(&workshop));
}

#[test]
fn an_agent_that_turns_a_no_into_a_yes_approves_nothing() {
    let workshop = waiting_at_the_last_gate();
    assert_eq!(workshop.answer(&POST.replace("approval: \"yes\"", "approval: \"no\"")).code, Some(0));
    attack(&workshop, "writer", &forge(&workshop, APPROVE));
    let answers = workshop.answers();
    let output = workshop.design(&[FEATURE, "--phase=write", "--answers", answers.to_str().unwrap()]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.gate("post-design"), "rejected");
    let output = continue_after(&workshop, &output, &format!("design-{FEATURE}.json"));
    assert_ne!(output.code, Some(0), "{output:?}");
    assert!(!is_approved(&workshop));
}

#[test]
fn a_person_may_answer_a_gate_while_agents_work() {
    let workshop = waiting_at_the_last_gate();
    let (begun, goes_on) = (workshop.sandbox.outside("begun"), workshop.sandbox.outside("goes-on"));
    let wait = format!("touch {}; until [ -e {} ]; do sleep 0.1; done", begun.display(), goes_on.display());
    attack(&workshop, "writer", &wait);
    let answers = workshop.answers();
    let resume =
        workshop.command(BINARY, ["design", FEATURE, "--resume", "--answers", answers.to_str().unwrap()]);
    let driver = std::thread::spawn(move || Output::capture(resume, b""));
    wait_for(&begun);
    let answered = workshop.answer(POST);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    std::fs::write(goes_on, "").unwrap();
    let output = driver.join().unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stdout.contains("by another process"), "{output:?}");
    assert_eq!(workshop.gate("post-design"), "approved");
    assert!(is_approved(&workshop));
}

fn wait_for(path: &Path) {
    let until = Instant::now() + Duration::from_mins(1);
    while !path.exists() {
        assert!(Instant::now() < until, "{} is not there", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_branch_that_an_agent_writes_into_the_record_is_put_back() {
    let workshop = Workshop::brief();
    attack(&workshop, "planner", &forge(&workshop, "d['run']['branch'] = 'main'"));
    let output = workshop.start(&[]);
    assert!(output.stdout.contains("(branch of the run)"), "{output:?}");
    assert_ne!(workshop.document()["run"]["branch"], "main");
    let done = continue_after(&workshop, &output, &format!("design-{FEATURE}.json"));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_record_that_an_agent_removes_or_replaces_is_put_back() {
    for script in [
        "rm -rf .claude/state",
        "cd .claude/state && rm design-$F.json && mkdir design-$F.json",
        "cd .claude/state && mv design-$F.json ../../../moved && ln -s ../../../moved design-$F.json",
    ] {
        let workshop = Workshop::brief();
        let root = workshop.sandbox.work();
        attack(&workshop, "planner", &format!("cd {} && F={FEATURE} && {script}", root.display()));
        let output = workshop.start(&[]);
        let done = continue_after(&workshop, &output, &format!("design-{FEATURE}.json"));
        assert_eq!(done.code, Some(0), "{script}: {done:?}");
    }
}

#[test]
fn no_obstacle_makes_a_forgery_an_edit_of_the_person() {
    let honest = undisturbed("dialectic-resolutions.md");
    for obstacle in [
        "rm -rf evidence; echo x > evidence",
        "rm -rf evidence; mkfifo evidence",
        "chmod 000 *.md .",
        "mkdir -p .dialectic-resolutions.md.tmp/x .plan.txt.tmp/x",
        "rm request.md; mkdir -p request.md/sub",
        "rm -rf gates; echo x > gates",
    ] {
        let workshop = Workshop::regular();
        let specs = workshop.sandbox.path(".specs");
        let script = format!(
            "cd {}/*-{FEATURE} && echo 'as I like it' >> dialectic-resolutions.md; {obstacle}",
            specs.display()
        );
        attack(&workshop, "planner", &script);
        let output = workshop.start(&[]);
        let done = continue_after(&workshop, &output, "dialectic-resolutions.md");
        assert_eq!(done.code, Some(0), "{obstacle}: {done:?}");
        assert_eq!(workshop.read("dialectic-resolutions.md"), honest, "{obstacle}");
    }
}

#[test]
fn files_that_change_while_the_last_gate_is_open_are_shown_before_they_are_approved() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::NothingUnclear);
    without_last_answers(&workshop);
    assert_eq!(workshop.start(&[]).code, Some(3));
    let mut pty = Pty::start(workshop.command(BINARY, ["design", FEATURE, "--resume", "--yes"]), 120);
    pty.wait_for("review any specific file");
    let design = std::fs::read_to_string(workshop.spec("design.md")).unwrap();
    std::fs::write(workshop.spec("design.md"), format!("{design}\nA sentence by hand.\n")).unwrap();
    pty.send("\r");
    for round in 1..=2 {
        if round == 2 {
            pty.answer("review any specific file", "\r");
        }
        for question in ["Do you agree", "additional risks", "Is anything missing that", "Any concerns"] {
            pty.answer(question, "\r");
        }
        if round == 2 {
            assert!(pty.raw_output().contains("+A sentence by hand."), "{}", pty.screen());
        }
        assert!(!is_approved(&workshop), "round {round}");
        pty.answer("(yes / no / revise)", "yes\r");
    }
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    assert!(is_approved(&workshop));
    assert!(std::fs::read_to_string(workshop.spec("design.md")).unwrap().contains("A sentence by hand."));
}
