//! The scripted panel called by the real program: every seat by its own agent, unless a test changes that.

use crate::BINARY;
use crate::panel_answers::{contested, is_scripted, step_of};
use crate::workshop::FAKE_AGENT;
use charrette_engine::flows::design::level_seats;
use charrette_model::panel::debate::SeatAnswer;
use charrette_model::panel::dialectic::ballot::{BallotRequest, DebatedDecision, build_ballot};
use charrette_model::panel::dialectic::tally::{BallotDecision, Judge, JudgesRequest, tally_judges};
use charrette_model::panel::quotes::no_quotes;
use charrette_model::spec::resolver::SpecLevel;
use charrette_testkit::Output;
use charrette_testkit::panel::{Panel, PanelVariant, SeatFault, Seating, parcels};
use serde_json::json;

/// Agent that answers in each group of seats when all are installed.
fn sits_in(seat: &str) -> &'static str {
    match seat {
        _ if seat.contains("codex") || seat == "validator" || seat == "researcher-dependencies" => "codex",
        _ if seat.contains("cursor") || seat == "researcher-tasks" => "cursor",
        "reviewer-arch" | "reviewer-edge" => "cursor",
        "reviewer-innovation" | "reviewer-pragmatic" | "walker-2" => "codex",
        _ if seat.starts_with("debate-1") || seat.starts_with("debate-5") => "cursor",
        _ if seat.starts_with("debate-2") || seat.starts_with("debate-4") => "codex",
        _ => "claude",
    }
}

fn ask(panel: &Panel, seat: &str, prompt: &str) -> Output {
    let file = panel.sandbox.outside("prompt.md");
    std::fs::write(&file, prompt).unwrap();
    let file = file.to_str().unwrap();
    panel.run(BINARY, ["ask", "--seat", seat, "--prompt-file", file, "--output", "out.txt"])
}

fn answered(panel: &Panel, seat: &str, prompt: &str) -> String {
    let output = ask(panel, seat, prompt);
    assert_eq!(output.code, Some(0), "{seat}: {output:?}");
    panel.sandbox.read("out.txt")
}

#[test]
fn every_seat_is_taken_by_its_own_agent_who_says_its_text() {
    let panel = Panel::regular(&*FAKE_AGENT);
    for seat in level_seats(SpecLevel::Spec).all().filter(|seat| !seat.id.starts_with("debate-3")) {
        if !is_scripted(seat) {
            continue;
        }
        let said = answered(&panel, seat.id, "- Task: `a-task` (phase: x)\n### DECISION_1: a\n");
        assert_eq!(panel.calls(), [format!("{} {}", step_of(seat), sits_in(seat.id))]);
        let first = panel.answer_text(&step_of(seat));
        let first = first.lines().next().unwrap().trim_start_matches("{given:### DECISION_1:}").to_owned();
        assert!(said.starts_with(&first), "{}: {said}", seat.id);
        assert!(!said.contains("{given:") && !said.contains("{task}"), "{}: {said}", seat.id);
    }
}

#[test]
fn the_third_decision_has_no_debaters_unless_a_test_wants_them() {
    let panel = Panel::regular(&*FAKE_AGENT);
    for side in ["debate-3-thesis", "debate-3-antithesis"] {
        let output = ask(&panel, side, "x");
        assert!(output.code != Some(0) && output.stderr.contains("no installed agent"), "{output:?}");
    }
    assert_eq!(panel.calls(), [""; 0]);
    panel.seat_agents(&Seating { undebated: &[], ..Seating::REGULAR });
    answered(&panel, "debate-3-thesis", "x");
    assert_eq!(panel.calls(), ["debate/3-thesis cursor"]);
    panel.seat_agents(&Seating { absent: &["codex"], ..Seating::REGULAR });
    assert_ne!(ask(&panel, "debate-2-thesis", "x").code, Some(0));
    answered(&panel, "codex-pragmatic", "x");
    assert_eq!(panel.calls(), ["sketch/codex-pragmatic claude"]);
}

#[test]
fn judges_uphold_the_first_decision_and_overturn_the_second() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let decisions: Vec<DebatedDecision> = contested(&panel.answer_text("synthesist"))
        .contested
        .into_iter()
        .take(2)
        .map(|decision| {
            let side = |side: &str| SeatAnswer {
                status: "OK".to_owned(),
                text: panel.answer_text(&format!("debate/{}-{side}", decision.n)),
            };
            DebatedDecision {
                n: decision.n,
                thesis: side("thesis"),
                antithesis: side("antithesis"),
                title: decision.title,
                chosen: decision.chosen,
                alternative: decision.alternative,
                tension: decision.tension,
            }
        })
        .collect();
    let ballot = build_ballot(&BallotRequest { decisions, ..BallotRequest::default() }, &no_quotes);
    assert_eq!(ballot.off_ballot.len(), 0);
    let judges = ["cursor", "codex", "claude"].map(|name| Judge {
        name: name.to_owned(),
        status: "OK".to_owned(),
        text: answered(&panel, &format!("judge-{name}"), &ballot.ballot),
        ..Judge::default()
    });
    let decisions = [1, 2].map(|n| BallotDecision { n, ..BallotDecision::default() }).to_vec();
    let tally = tally_judges(&JudgesRequest { decisions, judges: judges.to_vec() });
    assert_eq!(tally.warnings, [""; 0]);
    let counted: Vec<(usize, usize)> =
        tally.decisions.iter().map(|decision| (decision.thesis, decision.anti_thesis)).collect();
    assert_eq!(counted, [(2, 1), (0, 3)]);
}

#[test]
fn variants_change_what_is_said() {
    for variant in PanelVariant::ALL {
        let panel = Panel::regular(&*FAKE_AGENT);
        let seat = match variant {
            PanelVariant::NothingUnclear => "clarifier",
            PanelVariant::NothingContested | PanelVariant::SevenContested => "synthesist",
            PanelVariant::DiagramRejected | PanelVariant::DiagramUnparsable => "illustrator",
            PanelVariant::RepairNeeded | PanelVariant::RepairFails => "writer",
        };
        let before = answered(&panel, seat, "x");
        panel.set_variant(variant);
        assert_ne!(answered(&panel, seat, "x"), before, "{variant:?}");
    }
    let panel = Panel::regular(&*FAKE_AGENT);
    panel.set_variant(PanelVariant::RepairNeeded);
    let vague = answered(&panel, "writer", "x");
    assert!(answered(&panel, "validator", &vague).starts_with("Verdict: FAIL"));
    assert!(answered(&panel, "validator", &panel.answer_text("writer/repair")).starts_with("Verdict: PASS"));
    let quick = answered(&panel, "synthesist", "## cursor-sketch-generic-output.txt\n");
    assert_eq!(contested(&quick).contested.len(), 1);
}

#[test]
fn diagrams_are_good_rejected_or_not_to_be_parsed() {
    for (variant, code, token) in [
        (None, 0, "STATUS=ok"),
        (Some(PanelVariant::DiagramRejected), 1, "REASON_TOKEN=pipe-in-node-label"),
        (Some(PanelVariant::DiagramUnparsable), 1, "REASON_TOKEN=parse-error"),
    ] {
        let panel = Panel::regular(&*FAKE_AGENT);
        if let Some(variant) = variant {
            panel.set_variant(variant);
        }
        let diagram = answered(&panel, "illustrator", "x");
        let output =
            panel.sandbox.run(BINARY, ["diagram", "check", "--from-md", "--parse"], diagram.as_bytes());
        assert_eq!(output.code, Some(code), "{output:?}");
        assert!(output.stdout.contains(token) && output.stdout.contains("FENCE_COUNT=1"), "{output:?}");
    }
}

#[test]
fn one_agent_fails_and_the_next_one_takes_its_seat() {
    let panel = Panel::regular(&*FAKE_AGENT);
    panel.write_settings("clocks.sketch = 2\nlimits.output_mb = 1\n");
    for mishap in [SeatFault::Hangs, SeatFault::Fails, SeatFault::Floods, SeatFault::EmptyAnswer] {
        panel.set_fault("sketch/cursor-arch@cursor", mishap);
        assert_eq!(
            answered(&panel, "cursor-arch", "x"),
            panel.answer_text("sketch/cursor-arch"),
            "{mishap:?}"
        );
        assert_eq!(panel.calls(), ["sketch/cursor-arch claude", "sketch/cursor-arch cursor"], "{mishap:?}");
    }
}

#[test]
fn the_second_time_can_be_another_answer() {
    let panel = Panel::regular(&*FAKE_AGENT);
    panel.set_answer("planner", "first\n");
    panel.set_answer("planner.2", "second\n");
    let said = [1, 2, 3].map(|_| answered(&panel, "planner", "x"));
    assert_eq!(said, ["first\n", "second\n", "second\n"]);
    panel.set_part("planner@claude", &json!({"answer": "{seat} by {agent}\n"}));
    assert_eq!(answered(&panel, "planner", "x"), "planner by claude\n");
}

#[test]
fn agents_that_are_probed_answer() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let output = panel.run(BINARY, ["agents", "probe", "claude", "codex", "cursor"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(panel.calls(), ["probe claude", "probe codex", "probe cursor"]);
}

#[test]
fn the_repository_is_the_same_everywhere_and_clean() {
    let (first, second) = (parcels(), Panel::regular(&*FAKE_AGENT).sandbox);
    assert_eq!(first.git(["rev-parse", "HEAD"]), second.git(["rev-parse", "origin/main"]));
    assert_eq!(second.git(["status", "--porcelain", "--ignored"]), "");
    assert_eq!(second.git(["log", "--format=%aI %s"]).lines().count(), 4);
}
