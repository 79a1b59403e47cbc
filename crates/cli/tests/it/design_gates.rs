//! A design at its gates: waiting, answered later, approved, rejected, sent back, opened again.

use crate::workshop::{REGULAR, Workshop, regular_calls, regular_calls_except};
use charrette_testkit::panel::FEATURE;

const PRE: &str = "pre-design: {understanding: \"yes\", approach: \"yes\", assumptions: \"all correct\", trade_offs: \"yes\", scope: \"scope is right\", unknowns: \"proceed\"}\n";
const POST: &str = "post-design: {what_built: \"proceed\", decisions: \"yes\", risks: \"no additional\", omissions: \"nothing missing\", confidence: \"no concerns\", approval: \"yes\"}\n";

/// Answers for everything but the last gate.
fn undecided(workshop: &Workshop) {
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
}

#[test]
fn a_design_waits_at_every_gate_and_repeats_no_agent_call() {
    let workshop = Workshop::regular();
    let mut calls = Vec::new();
    let mut output = workshop.design(&[charrette_testkit::panel::REQUEST]);
    for (gate, keys, answers) in [
        ("clarify", "q1, q2", "clarify: {q1: \"All.\", q2: \"At once.\"}\n"),
        ("discussion-1", "d1, d2", "discussion-1: {d1: \"60 a minute.\", d2: \"Yes.\"}\n"),
        ("pre-design", "understanding, approach, assumptions, trade_offs, scope, unknowns", PRE),
        ("discussion-2", "d1, d2", "discussion-2: {d1: \"Yes.\", d2: \"Yes.\"}\n"),
        ("post-design", "what_built, decisions, risks, omissions, confidence, approval", POST),
    ] {
        assert_eq!(output.code, Some(3), "{gate}: {output:?}");
        assert!(output.stderr.contains(&format!("Waiting at {gate}: {keys}")), "{output:?}");
        assert!(output.stderr.contains(&format!("charrette answer {FEATURE} --file FILE")), "{output:?}");
        assert_eq!(workshop.gate(gate), "pending");
        calls.extend(workshop.calls());
        // Waiting costs nothing.
        assert_eq!(workshop.design(&[FEATURE, "--resume"]).code, Some(3));
        assert_eq!(workshop.calls(), [""; 0], "{gate}");
        // One of the answers is not enough; the rest may come later.
        let answered = workshop.answer(answers);
        assert_eq!(answered.code, Some(0), "{answered:?}");
        output = workshop.design(&[FEATURE, "--resume"]);
    }
    assert_eq!(output.code, Some(0), "{output:?}");
    calls.extend(workshop.calls());
    calls.sort();
    assert_eq!(calls, REGULAR);
    assert_eq!(workshop.gate("post-design"), "approved");
}

#[test]
fn a_gate_waits_for_the_missing_answers_only_and_stop_is_none() {
    let workshop = Workshop::brief();
    workshop.replace_gate_answer("  scope: \"scope is right\"\n  unknowns: \"proceed\"\n", "");
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("Waiting at pre-design: scope, unknowns\n"), "{output:?}");
    let output = workshop.answer("pre-design: {scope: \"stop\", unknowns: \"proceed\"}\n");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.gate("pre-design"), "pending");
    workshop.replace_gate_answer("pre-design:\n", "pre-design:\n  scope: \"stop\"\n");
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(
        output.stderr.contains(&format!("Design paused. Resume with: charrette design {FEATURE} --resume")),
        "{output:?}"
    );
}

#[test]
fn a_revision_is_made_by_planner_illustrator_and_writer_alone() {
    let workshop = Workshop::regular();
    undecided(&workshop);
    assert_eq!(workshop.start(&[]).code, Some(3));
    workshop.calls();
    for round in 1..=3 {
        let wish = format!("Name the header in README.md, {round}.");
        let answered = workshop.answer(
            &POST.replace("approval: \"yes\"", &format!("approval: \"revise\", feedback: \"{wish}\"")),
        );
        assert_eq!(answered.code, Some(0), "{answered:?}");
        let output = workshop.resume(&[]);
        assert_eq!(output.code, Some(3), "{output:?}");
        assert_eq!(
            workshop.calls(),
            ["finisher claude", "illustrator claude", "writer claude"],
            "round {round}"
        );
        assert_eq!(workshop.read(&format!("feedback-round{round}.md")), format!("{wish}\n"));
        assert_eq!(workshop.document()["gates"]["post-design"]["round"], round + 1);
    }
    // Three rounds are enough: now it is yes or no.
    let answered =
        workshop.answer(&POST.replace("approval: \"yes\"", "approval: \"revise\", feedback: \"Again.\""));
    assert!(answered.code != Some(0) || workshop.gate("post-design") == "pending", "{answered:?}");
    workshop.answer(POST);
    assert_eq!(workshop.resume(&[]).code, Some(0));
    assert_eq!(workshop.calls(), ["validator codex"]);
}

#[test]
fn an_answers_file_that_wants_a_revision_is_heard_once() {
    let workshop = Workshop::brief();
    workshop.replace_gate_answer("approval: \"yes\"", "approval: \"revise\"\n  feedback: \"Shorter.\"");
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let writers = workshop.calls().iter().filter(|call| *call == "writer claude").count();
    assert_eq!(writers, 2, "once, and once more for the revision");
}

#[test]
fn a_rejected_design_returns_to_its_gate() {
    let workshop = Workshop::regular();
    workshop.replace_gate_answer("approval: \"yes\"", "approval: \"no\"");
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(4), "{output:?}");
    let rejection =
        format!("Design not approved. To revise, run:\n  charrette design {FEATURE} --phase=write");
    assert!(output.stderr.contains(&rejection), "{output:?}");
    assert_eq!(workshop.gate("post-design"), "rejected");
    assert_eq!(workshop.calls(), regular_calls_except(&["validator"]));
    for output in [workshop.resume(&[]), workshop.design(&[FEATURE, "--resume"])] {
        assert_eq!(output.code, Some(4), "{output:?}");
        assert!(output.stderr.contains(&rejection), "{output:?}");
    }
    assert_eq!(workshop.calls(), [""; 0]);
    assert_eq!(workshop.answer("post-design: {approval: \"yes\"}\n").code, Some(0));
    let output = workshop.design(&[FEATURE, "--resume"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"]);
}

#[test]
fn an_edit_after_the_approval_opens_the_gate_again_with_the_difference() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&["--auto", "--phase=research"]).code, Some(0));
    let answers = workshop.answers();
    let output = workshop.design(&[FEATURE, "--phase=write", "--answers", answers.to_str().unwrap()]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.gate("post-design"), "approved");
    workshop.calls();
    let design = std::fs::read_to_string(workshop.spec("design.md")).unwrap();
    std::fs::write(workshop.spec("design.md"), format!("{design}\nA sentence by hand.\n")).unwrap();
    let output = workshop.design(&[FEATURE, "--resume"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!((workshop.calls(), workshop.gate("post-design")), (Vec::new(), "pending".to_owned()));
    let page = workshop.read("post-design.md");
    assert!(page.contains("What changed since you last looked:"), "{page}");
    assert!(page.contains("\n+A sentence by hand.\n"), "{page}");
    assert_eq!(workshop.answer(POST).code, Some(0));
    let output = workshop.design(&[FEATURE, "--resume"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"]);
    let design = std::fs::read_to_string(workshop.spec("design.md")).unwrap();
    assert!(design.contains("A sentence by hand."), "{design}");
    assert_eq!(workshop.gate("post-design"), "approved");
}

#[test]
fn a_no_to_the_understanding_sends_the_research_back_once() {
    let workshop = Workshop::regular();
    workshop.replace_gate_answer("understanding: \"yes\"", "understanding: \"no: limits are per account\"");
    let output = workshop.start(&["--phase=research"]);
    assert_eq!(output.code, Some(3), "the same no is not heard twice: {output:?}");
    let calls = workshop.calls();
    for call in regular_calls(&["research/", "aggregator", "clarifier", "scoper"]) {
        let count = calls.iter().filter(|found| *found == call).count();
        assert_eq!(count, 2, "{call} of {calls:?}");
    }
    let correction = workshop.read("correction.md");
    assert!(correction.contains("**Resolution**: no: limits are per account\n"), "{correction}");
    assert_eq!(workshop.answer(PRE).code, Some(0));
    let output = workshop.design(&[FEATURE, "--resume", "--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
}
