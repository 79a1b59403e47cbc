//! Agents who hang, fail, flood, say nothing or ramble, and answers that do not help: the run goes on where it can,
//! stops where it must, and says so.

use crate::workshop::{Workshop, events, warnings};
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, Mishap, Variant};
use serde_json::Value;

/// The gates that only cost time here.
const BRIEFLY: [&str; 3] = ["--auto", "--no-checkpoint", "--json"];

fn step(workshop: &Workshop, id: &str) -> Value {
    workshop.document()["phases"]["write"]["steps"][id].clone()
}

/// One agent of every kind of seat has the mishap.
fn one_of_each_suffers(mishap: Mishap) -> (Workshop, Output) {
    let workshop = Workshop::regular();
    workshop.sets("clocks.sketch = 3\nclocks.review = 3\nclocks.grace = 1\nlimits.output_mb = 1\n");
    for step in [
        "sketch/cursor-arch@cursor",
        "debate/1-thesis@cursor",
        "judge/judge-codex@codex",
        "review/reviewer-edge@cursor",
        "vote/voter-cursor@cursor",
        "illustrator@claude",
    ] {
        workshop.suffers(step, mishap);
    }
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{mishap:?}: {output:?}");
    (workshop, output)
}

/// Whoever is next sits in their place, except in a debate: there the synthesis stands.
fn others_sit(workshop: &Workshop, mishap: Mishap) {
    for (id, agent) in [
        ("sketch/cursor-arch", "codex"),
        ("judge/judge-codex", "claude"),
        ("review/reviewer-edge", "codex"),
        ("vote/voter-cursor", "codex"),
        ("illustrator", "codex"),
    ] {
        let step = step(workshop, id);
        assert_eq!(step["status"], "done", "{mishap:?} {id}: {step}");
        assert_eq!(step["agent"], agent, "{mishap:?} {id}: {step}");
        assert!(step["fallback_from"][0].is_string(), "{mishap:?} {id}: {step}");
    }
    let resolutions = workshop.read("dialectic-resolutions.md");
    let first = resolutions.split("### ").nth(1).unwrap();
    assert!(first.contains("**Disposition**: fallback-to-synthesis"), "{mishap:?}: {first}");
    assert!(workshop.artifact("architecture-diagram.md").exists(), "{mishap:?}");
    assert_eq!(workshop.document()["phases"]["validate"]["status"], "complete");
}

#[test]
fn who_fails_is_replaced() {
    let (workshop, output) = one_of_each_suffers(Mishap::Fails);
    others_sit(&workshop, Mishap::Fails);
    let failed = events(&output)
        .iter()
        .filter(|event| event["event"] == "agent.finished" && event["status"] != "ok")
        .count();
    assert!(failed >= 6, "{failed}");
}

#[test]
fn who_hangs_is_replaced() {
    let (workshop, _) = one_of_each_suffers(Mishap::Hangs);
    others_sit(&workshop, Mishap::Hangs);
}

#[test]
fn who_floods_is_replaced() {
    let (workshop, _) = one_of_each_suffers(Mishap::Floods);
    others_sit(&workshop, Mishap::Floods);
}

#[test]
fn who_says_nothing_is_replaced() {
    let (workshop, _) = one_of_each_suffers(Mishap::SaysNothing);
    others_sit(&workshop, Mishap::SaysNothing);
}

#[test]
fn who_rambles_is_asked_once_more_and_then_replaced_or_not_counted() {
    let (workshop, output) = one_of_each_suffers(Mishap::Rambles);
    let calls = workshop.calls();
    let asked = |call: &str| calls.iter().filter(|found| *found == call).count();
    assert_eq!(asked("sketch/cursor-arch cursor"), 2);
    assert_eq!(asked("illustrator claude"), 2);
    let resolutions = workshop.read("dialectic-resolutions.md");
    let first = resolutions.split("### ").nth(1).unwrap();
    assert!(first.contains("**Disposition**: fallback-to-synthesis"), "{first}");
    assert!(workshop.artifact("architecture-diagram.md").exists());
    // Nobody votes for somebody else: what a voter did not say is not eligible.
    let tally = workshop.read("voting-tally.md");
    assert!(tally.contains("| FINDING_1 |"), "{tally}");
    assert!(!warnings(&output).is_empty());
}

#[test]
fn a_plan_that_nobody_reviewed_does_not_look_reviewed() {
    let workshop = Workshop::regular();
    workshop.sets("[seats]\nreviewers = [\"cursor\"]\n[agents.claude]\ncommand = \"/nonexistent\"\n");
    for reviewer in ["arch", "edge", "innovation", "pragmatic"] {
        workshop.suffers(&format!("review/reviewer-{reviewer}"), Mishap::Fails);
    }
    let output = workshop.begin(&BRIEFLY);
    for f in ["reviewers.md", "evidence/write-merger-1-embedded-2.txt", "evidence/write-merger-1-embedded-1.txt"] { println!("=== {f}\n{}", std::fs::read_to_string(workshop.artifact(f)).unwrap_or_default()); }
    for (n, t) in crate::workshop::tree(&workshop.artifact("")) { if n.contains("plan-") && n.contains("output") { println!("=== {n}\n{}", String::from_utf8_lossy(&t)); } }
    let document = workshop.document();
    let embedded = document["phases"]["write"]["steps"]["review/reviewer-arch"]["agent"] == "embedded";
    if embedded {
        // The embedded agent always can; then it is said who reviewed.
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    } else {
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stderr.contains("no reviewer answered"), "{output:?}");
    }
}

#[test]
fn sketches_that_are_the_same_are_one_voice_and_people_are_told() {
    let workshop = Workshop::brief();
    let said = workshop.said("sketch/cursor-arch");
    workshop.says("sketch/codex-innovation", &said);
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{output:?}");
    let same =
        "cursor-sketch-arch-output.txt and codex-sketch-innovation-output.txt are the same, word for word";
    assert!(warnings(&output).iter().any(|warning| warning.contains(same)), "{:?}", warnings(&output));
}

#[test]
fn seven_contested_decisions_are_two_more_than_are_debated() {
    let workshop = Workshop::regular();
    workshop.seat(&charrette_testkit::panel::Seating {
        undebated: &[],
        ..charrette_testkit::panel::Seating::REGULAR
    });
    workshop.takes(Variant::SevenContested);
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{output:?}");
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: voted").count(), 5, "{resolutions}");
    assert_eq!(resolutions.matches("**Disposition**: over-cap").count(), 2, "{resolutions}");
    let debates = workshop.calls().iter().filter(|call| call.starts_with("debate/")).count();
    assert_eq!(debates, 10);
}

#[test]
fn a_diagram_that_cannot_be_shown_stops_nothing() {
    for (variant, token) in
        [(Variant::DiagramRejected, "pipe-in-node-label"), (Variant::DiagramUnparsable, "parse-error")]
    {
        let workshop = Workshop::brief();
        workshop.takes(variant);
        let output = workshop.begin(&BRIEFLY);
        assert_eq!(output.code, Some(0), "{output:?}");
        let said = format!(
            "**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN={token}); proceeding without diagram.**"
        );
        assert!(warnings(&output).contains(&said), "{:?}", warnings(&output));
        assert!(!workshop.artifact("architecture-diagram.md").exists());
        assert!(workshop.artifact("architecture-diagram.candidate.md").exists());
    }
}

#[test]
fn a_repair_opens_the_gate_again() {
    let workshop = Workshop::brief();
    workshop.takes(Variant::RepairNeeded);
    // Approved once, by hand, so that the second time is nobody's yes.
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    let (before, post) = answers.split_once("post-design:").unwrap();
    workshop.replies(before);
    assert_eq!(workshop.begin(&["--auto"]).code, Some(3));
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
fn without_checkpoints_a_repair_just_goes_on() {
    let workshop = Workshop::brief();
    workshop.takes(Variant::RepairNeeded);
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = workshop.calls();
    let asked = |call: &str| calls.iter().filter(|found| *found == call).count();
    assert_eq!((asked("writer/repair claude"), asked("validator codex"), asked("writer claude")), (1, 2, 1));
}

#[test]
fn a_second_failure_ends_the_run_until_somebody_mends_the_files() {
    let workshop = Workshop::brief();
    workshop.takes(Variant::RepairFails);
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("does not pass, and was repaired once already"), "{output:?}");
    assert_eq!(workshop.document()["phases"]["validate"]["status"], "failed");
    workshop.calls();
    // Going on without a change: nobody is paid again for the same.
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
