//! Agents that hang, fail, flood, stay silent or ramble, and unusable answers: the run continues where it can, stops
//! where it must, and reports it.

use crate::BINARY;
use crate::workshop::{Workshop, events, warnings};
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, PanelVariant, SeatFault};
use serde_json::{Value, json};

/// The gates that only cost time here; the embedded agent may take the place of those that fail.
const SHORT_RUN: [&str; 4] = ["--auto", "--no-checkpoint", "--embedded", "--json"];

fn step(workshop: &Workshop, id: &str) -> Value {
    workshop.document()["phases"]["write"]["steps"][id].clone()
}

/// Runs a design in which this happens, with short clocks and a small limit of output.
fn run_with_faults(faults: &[(&str, SeatFault)]) -> (Workshop, Output) {
    let workshop = Workshop::regular();
    workshop.write_settings("clocks.sketch = 4\nclocks.review = 4\nclocks.grace = 1\nlimits.output_mb = 1\n");
    for (step, fault) in faults {
        workshop.set_fault(step, *fault);
    }
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let document = workshop.document();
    assert_eq!(document["phases"]["validate"]["status"], "complete");
    let calls = workshop.calls();
    for (seat, fault) in faults {
        let (id, agent) = seat.split_once('@').unwrap();
        let asked = calls.iter().filter(|call| **call == format!("{id} {agent}")).count();
        // An unreadable answer is requested once more; a failing agent is not retried.
        let expected = if *fault == SeatFault::UnstructuredAnswer { 2 } else { 1 };
        assert_eq!(asked, expected, "{seat} {fault:?}: {calls:?}");
        let step = step(&workshop, id);
        assert_eq!(step["status"], "done", "{seat}: {step}");
        if id.starts_with("debate/")
            || (*fault == SeatFault::UnstructuredAnswer
                && (id.starts_with("judge/") || id.starts_with("vote/")))
        {
            continue;
        }
        assert_ne!(step["agent"], agent, "{seat}: {step}");
        assert_eq!(step["fallback_from"][0], agent, "{seat}: {step}");
    }
    (workshop, output)
}

#[test]
fn missing_sketches_are_made_by_fallback_agents() {
    // One fault per agent: a failed agent is not called again, and the order of calls is random.
    run_with_faults(&[
        ("sketch/cursor-edge@cursor", SeatFault::Floods),
        ("sketch/codex-innovation@codex", SeatFault::EmptyAnswer),
    ]);
    let (workshop, output) = run_with_faults(&[
        ("sketch/cursor-arch@cursor", SeatFault::Fails),
        ("sketch/codex-pragmatic@codex", SeatFault::UnstructuredAnswer),
        ("illustrator@claude", SeatFault::Fails),
    ]);
    for name in
        ["cursor-sketch-arch-output.txt", "codex-sketch-pragmatic-output.txt", "architecture-diagram.md"]
    {
        assert!(workshop.artifact(name).exists(), "{name}");
    }
    let failed = |event: &&Value| event["event"] == "agent.finished" && event["status"] != "ok";
    let events = events(&output);
    let statuses: Vec<&Value> = events.iter().filter(failed).map(|event| &event["status"]).collect();
    assert!(statuses.len() >= 2, "{statuses:?}");
}

#[test]
fn missing_defenses_and_reviews_do_not_stop_the_run() {
    run_with_faults(&[
        ("review/reviewer-edge@cursor", SeatFault::EmptyAnswer),
        ("review/reviewer-innovation@codex", SeatFault::Floods),
    ]);
    let (workshop, _) = run_with_faults(&[
        ("debate/1-thesis@cursor", SeatFault::Hangs),
        ("debate/2-thesis@codex", SeatFault::UnstructuredAnswer),
        ("review/reviewer-arch@cursor", SeatFault::Fails),
        ("review/reviewer-pragmatic@codex", SeatFault::UnstructuredAnswer),
        ("illustrator@claude", SeatFault::Floods),
    ]);
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: fallback-to-synthesis").count(), 2, "{resolutions}");
    let reviewers = workshop.read("reviewers.md");
    assert_eq!(reviewers.lines().count(), 4, "{reviewers}");
    assert!(!reviewers.contains(": Cursor-Arch"), "{reviewers}");
}

#[test]
fn missing_judges_and_voters_are_replaced_or_not_counted() {
    let (workshop, output) = run_with_faults(&[
        ("judge/judge-cursor@cursor", SeatFault::Floods),
        ("judge/judge-codex@codex", SeatFault::UnstructuredAnswer),
        ("judge/judge-claude@claude", SeatFault::EmptyAnswer),
        ("vote/voter-cursor@cursor", SeatFault::Fails),
        ("vote/voter-codex@codex", SeatFault::UnstructuredAnswer),
        ("illustrator@claude", SeatFault::UnstructuredAnswer),
    ]);
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: ").count(), 3, "{resolutions}");
    let tally = workshop.read("voting-tally.md");
    assert!(tally.contains("| FINDING_1 | Cursor-Arch | 2 | 0 | 0 | 1 | 2 | accepted |"), "{tally}");
    assert!(!warnings(&output).is_empty());
}

#[test]
fn a_hanging_agent_is_stopped_by_its_timeout() {
    run_with_faults(&[
        ("sketch/cursor-arch@cursor", SeatFault::Hangs),
        ("judge/judge-claude@claude", SeatFault::Hangs),
        ("review/reviewer-innovation@codex", SeatFault::Hangs),
        ("vote/voter-claude@claude", SeatFault::Hangs),
    ]);
}

#[test]
fn a_review_by_the_embedded_agent_alone_says_whose_it_is() {
    let workshop = Workshop::regular();
    for reviewer in ["arch", "edge", "innovation", "pragmatic"] {
        workshop.set_fault(&format!("review/reviewer-{reviewer}"), SeatFault::Fails);
    }
    for seat in ["merger", "vote/voter-claude", "vote/voter-codex", "vote/voter-cursor"] {
        workshop.set_fault(seat, SeatFault::Fails);
    }
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let reviewers = workshop.read("reviewers.md");
    assert_eq!(reviewers.matches(": Embedded-").count(), 4, "{reviewers}");
    let shown = format!("{}{}", output.stdout, output.stderr);
    assert!(!shown.contains("rejected all in-scope findings"), "they are undecided: {shown}");
    // All of them together are one voter, and one is no quorum.
    let tally = workshop.read("voting-tally.md");
    assert!(!tally.contains("| accepted |"), "{tally}");
    assert_eq!(workshop.read("plan-reviewed.txt"), workshop.read("plan-draft.txt"));
}

#[test]
fn sketches_that_are_the_same_are_one_voice_and_people_are_told() {
    let workshop = Workshop::brief();
    let said = workshop.answer_text("sketch/cursor-arch");
    workshop.set_answer("sketch/codex-innovation", &said);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{output:?}");
    let same = "cursor-sketch-arch-output.txt and codex-sketch-innovation-output.txt are identical";
    assert!(warnings(&output).iter().any(|warning| warning.contains(same)), "{:?}", warnings(&output));
}

#[test]
fn seven_contested_decisions_are_two_more_than_are_debated() {
    let workshop = Workshop::regular();
    workshop.seat_agents(&charrette_testkit::panel::Seating {
        undebated: &[],
        ..charrette_testkit::panel::Seating::REGULAR
    });
    workshop.set_variant(PanelVariant::SevenContested);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{output:?}");
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: voted").count(), 5, "{resolutions}");
    assert_eq!(resolutions.matches("**Disposition**: over-cap").count(), 2, "{resolutions}");
    let debates = workshop.calls().iter().filter(|call| call.starts_with("debate/")).count();
    assert_eq!(debates, 10);
}

#[test]
fn a_diagram_that_cannot_be_shown_stops_nothing() {
    for (variant, token) in [
        (PanelVariant::DiagramRejected, "pipe-in-node-label"),
        (PanelVariant::DiagramUnparsable, "parse-error"),
    ] {
        let workshop = Workshop::brief();
        workshop.set_variant(variant);
        let output = workshop.start(&SHORT_RUN);
        assert_eq!(output.code, Some(0), "{output:?}");
        let said = format!(
            "**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN={token}); proceeding without diagram.**"
        );
        assert!(warnings(&output).contains(&said), "{:?}", warnings(&output));
        assert!(!workshop.artifact("architecture-diagram.md").exists());
        assert!(workshop.artifact("architecture-diagram.candidate.md").exists());
        let issue = format!("- **Step 3b — architecture diagram rejected:** {token}\n");
        assert!(workshop.read("execution-issues.md").ends_with(&issue), "{issue}");
    }
}

#[test]
fn a_citation_of_a_file_that_does_not_exist_is_sent_back_and_struck() {
    let workshop = Workshop::brief();
    let said = workshop.answer_text("research/tasks") + "\nSee parcels/ghost.py:3 and lib/app/ghost.ex:4.\n";
    workshop.set_answer("research/tasks", &said);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = workshop.calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("research/tasks")).count(), 2, "{calls:?}");
    let kept = workshop.read("research-tasks.md");
    let struck = "\nSee (struck: no such place) and (struck: no such place).";
    assert!(kept.contains(struck) && !kept.contains("ghost"), "{kept}");
    let told = "research/tasks: cursor: 2 wrong citations struck out";
    assert!(warnings(&output).iter().any(|warning| warning == told), "{:?}", warnings(&output));
}

#[test]
fn a_rejected_diagram_is_drawn_again_with_the_reason() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::DiagramRejected);
    let drawn = workshop.answer_text("illustrator");
    let part = json!({"given": "refused, reason: pipe-in-node-label", "answer": drawn});
    workshop.set_part("illustrator/again", &part);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(warnings(&output).iter().all(|warning| !warning.contains("diagram")), "{output:?}");
    assert_eq!(workshop.read("architecture-diagram.md"), workshop.read("architecture-diagram.second.md"));
}

#[test]
fn a_repair_opens_the_gate_again() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::RepairNeeded);
    // Approved once, by hand, so that the second time is nobody's yes.
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    let (before, post) = answers.split_once("post-design:").unwrap();
    workshop.write_gate_answers(before);
    assert_eq!(workshop.start(&["--auto"]).code, Some(3));
    let post = format!("post-design:{post}");
    assert_eq!(workshop.answer(&post).code, Some(0));
    workshop.calls();
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex", "writer/repair claude"]);
    assert_eq!(workshop.gate("post-design"), "pending");
    assert!(workshop.read("post-design.md").contains("What changed since you last looked:"));
    assert_eq!(workshop.answer(&post).code, Some(0));
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"]);
    assert_eq!(workshop.gate("post-design"), "approved");
}

#[test]
fn a_repair_without_checkpoints_continues() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::RepairNeeded);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = workshop.calls();
    let asked = |call: &str| calls.iter().filter(|found| *found == call).count();
    assert_eq!((asked("writer/repair claude"), asked("validator codex"), asked("writer claude")), (1, 2, 1));
}

#[test]
fn a_second_validation_failure_ends_the_run_until_the_files_are_fixed() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::RepairFails);
    let output = workshop.start(&SHORT_RUN);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("validation failed again after the repair"), "{output:?}");
    assert_eq!(workshop.document()["phases"]["validate"]["status"], "failed");
    workshop.calls();
    // Resuming without a change repeats no agent call.
    assert_eq!(workshop.resume(&[]).code, Some(1));
    assert_eq!(workshop.calls(), [""; 0]);
    let requirements = std::fs::read_to_string(workshop.spec("requirements.md")).unwrap();
    let mended = requirements.replace("to wait a while", "to wait the seconds that Retry-After says");
    assert_ne!(mended, requirements);
    std::fs::write(workshop.spec("requirements.md"), &mended).unwrap();
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"]);
    assert_eq!(std::fs::read_to_string(workshop.spec("requirements.md")).unwrap(), mended, "of {FEATURE}");
}

#[test]
fn a_state_folder_that_cannot_be_used_is_named_before_a_run_begins() {
    for name in ["lanes", "drivers"] {
        let workshop = Workshop::brief();
        let state = workshop.sandbox.home().join(".local/state/charrette");
        std::fs::create_dir_all(&state).unwrap();
        std::fs::write(state.join(name), "").unwrap();
        let output = workshop.start(&[]);
        assert_eq!(output.code, Some(1), "{output:?}");
        let place = format!("cannot write to the state folder {}", state.join(name).display());
        assert!(
            output.stderr.contains(&place) && output.stderr.contains("Nothing was started"),
            "{output:?}"
        );
        assert!(workshop.calls().is_empty() && !workshop.sandbox.path("specs").exists(), "{output:?}");
    }
}

#[test]
fn a_home_that_cannot_be_used_is_named_before_a_run_goes_on() {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    workshop.calls();
    let document = || workshop.sandbox.read(&format!(".claude/state/design-{FEATURE}.json"));
    let before = document();
    let home = workshop.sandbox.outside("no-home");
    std::fs::write(&home, "a file").unwrap();
    let mut command = workshop.command(BINARY, ["resume", FEATURE]);
    command.env("HOME", &home).env_remove("XDG_STATE_HOME");
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stderr.contains(&format!("cannot write to the state folder {}", home.display())),
        "{output:?}"
    );
    assert!(workshop.calls().is_empty() && document() == before, "{output:?}");
}
