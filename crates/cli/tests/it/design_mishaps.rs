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

/// Runs a design in which this happens, with short clocks and a small limit of output.
fn suffering(mishaps: &[(&str, Mishap)]) -> (Workshop, Output) {
    let workshop = Workshop::regular();
    workshop.sets("clocks.sketch = 4\nclocks.review = 4\nclocks.grace = 1\nlimits.output_mb = 1\n");
    for (step, mishap) in mishaps {
        workshop.suffers(step, *mishap);
    }
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let document = workshop.document();
    assert_eq!(document["phases"]["validate"]["status"], "complete");
    let calls = workshop.calls();
    for (suffered, mishap) in mishaps {
        let (id, agent) = suffered.split_once('@').unwrap();
        let asked = calls.iter().filter(|call| **call == format!("{id} {agent}")).count();
        // What cannot be read is asked for once more; whoever does not work is not.
        let expected = if *mishap == Mishap::Rambles { 2 } else { 1 };
        assert_eq!(asked, expected, "{suffered} {mishap:?}: {calls:?}");
        let step = step(&workshop, id);
        assert_eq!(step["status"], "done", "{suffered}: {step}");
        if id.starts_with("debate/")
            || (*mishap == Mishap::Rambles && (id.starts_with("judge/") || id.starts_with("vote/")))
        {
            continue;
        }
        assert_ne!(step["agent"], agent, "{suffered}: {step}");
        assert_eq!(step["fallback_from"][0], agent, "{suffered}: {step}");
    }
    (workshop, output)
}

#[test]
fn sketches_that_do_not_come_are_made_by_others() {
    // One mishap for each agent: whoever fails here is not asked again, and who is first would be chance.
    suffering(&[
        ("sketch/cursor-edge@cursor", Mishap::Floods),
        ("sketch/codex-innovation@codex", Mishap::SaysNothing),
    ]);
    let (workshop, output) = suffering(&[
        ("sketch/cursor-arch@cursor", Mishap::Fails),
        ("sketch/codex-pragmatic@codex", Mishap::Rambles),
        ("illustrator@claude", Mishap::Fails),
    ]);
    for name in
        ["cursor-sketch-arch-output.txt", "codex-sketch-pragmatic-output.txt", "architecture-diagram.svg"]
    {
        assert!(workshop.artifact(name).exists(), "{name}");
    }
    let failed = |event: &&Value| event["event"] == "agent.finished" && event["status"] != "ok";
    let events = events(&output);
    let statuses: Vec<&Value> = events.iter().filter(failed).map(|event| &event["status"]).collect();
    assert!(statuses.len() >= 2, "{statuses:?}");
}

#[test]
fn defenses_and_reviews_that_do_not_come_stop_nothing() {
    suffering(&[
        ("review/reviewer-edge@cursor", Mishap::SaysNothing),
        ("review/reviewer-innovation@codex", Mishap::Floods),
    ]);
    let (workshop, _) = suffering(&[
        ("debate/1-thesis@cursor", Mishap::Hangs),
        ("debate/2-thesis@codex", Mishap::Rambles),
        ("review/reviewer-arch@cursor", Mishap::Fails),
        ("review/reviewer-pragmatic@codex", Mishap::Rambles),
        ("illustrator@claude", Mishap::Floods),
    ]);
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: fallback-to-synthesis").count(), 2, "{resolutions}");
    let reviewers = workshop.read("reviewers.md");
    assert_eq!(reviewers.lines().count(), 4, "{reviewers}");
    assert!(!reviewers.contains(": Cursor-Arch"), "{reviewers}");
}

#[test]
fn judges_and_voters_who_do_not_come_are_replaced_or_not_counted() {
    let (workshop, output) = suffering(&[
        ("judge/judge-cursor@cursor", Mishap::Floods),
        ("judge/judge-codex@codex", Mishap::Rambles),
        ("judge/judge-claude@claude", Mishap::SaysNothing),
        ("vote/voter-cursor@cursor", Mishap::Fails),
        ("vote/voter-codex@codex", Mishap::Rambles),
        ("illustrator@claude", Mishap::Rambles),
    ]);
    let resolutions = workshop.read("dialectic-resolutions.md");
    assert_eq!(resolutions.matches("**Disposition**: ").count(), 3, "{resolutions}");
    let tally = workshop.read("voting-tally.md");
    assert!(tally.contains("| FINDING_1 | Cursor-Arch | 2 | 0 | 0 | 1 | 2 | accepted |"), "{tally}");
    assert!(!warnings(&output).is_empty());
}

#[test]
fn who_hangs_is_not_waited_for() {
    suffering(&[
        ("sketch/cursor-arch@cursor", Mishap::Hangs),
        ("judge/judge-claude@claude", Mishap::Hangs),
        ("review/reviewer-innovation@codex", Mishap::Hangs),
        ("vote/voter-claude@claude", Mishap::Hangs),
    ]);
}

#[test]
fn a_review_by_the_embedded_agent_alone_says_whose_it_is() {
    let workshop = Workshop::regular();
    for reviewer in ["arch", "edge", "innovation", "pragmatic"] {
        workshop.suffers(&format!("review/reviewer-{reviewer}"), Mishap::Fails);
    }
    for seat in ["merger", "vote/voter-claude", "vote/voter-codex", "vote/voter-cursor"] {
        workshop.suffers(seat, Mishap::Fails);
    }
    let output = workshop.begin(&BRIEFLY);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let reviewers = workshop.read("reviewers.md");
    assert_eq!(reviewers.matches(": Embedded-").count(), 4, "{reviewers}");
    // All of them together are one voter, and one is no quorum.
    let tally = workshop.read("voting-tally.md");
    assert!(!tally.contains("| accepted |"), "{tally}");
    assert_eq!(workshop.read("plan-reviewed.txt"), workshop.read("plan-draft.txt"));
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
        let issue = format!("- **Step 3b — architecture diagram rejected:** {token}\n");
        assert!(workshop.read("execution-issues.md").ends_with(&issue), "{issue}");
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
