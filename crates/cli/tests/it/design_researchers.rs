//! Researchers who have something to ask, or who say that the feature should not be designed.

use crate::workshop::{Workshop, regular_calls, warnings};
use charrette_testkit::panel::{FEATURE, REQUEST};

/// Answer of the tasks researcher with another decision.
fn decides(workshop: &Workshop, decision: &str, issue: &str) -> String {
    let said = workshop.answer_text("research/tasks");
    said.replace("\"decision\": \"PROCEED\"", &format!("\"decision\": \"{decision}\""))
        .replace("\"issues\": []", &format!("\"issues\": [\"{issue}\"]"))
}

fn count(calls: &[String], step: &str) -> usize {
    calls.iter().filter(|call| call.starts_with(step)).count()
}

#[test]
fn a_researcher_stops_the_run_until_somebody_answers() {
    let workshop = Workshop::regular();
    let usual = workshop.answer_text("research/tasks");
    workshop.set_answer("research/tasks", &decides(&workshop, "STOP", "there is a limiter already"));
    workshop.set_answer("research/tasks.2", &usual);
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("there is a limiter already"), "{output:?}");
    assert_eq!(workshop.calls(), regular_calls(&["research/"]));
    // Going on without an answer changes nothing.
    assert_eq!(workshop.resume(&[]).code, Some(4));
    assert_eq!(workshop.calls(), [""; 0]);
    let answered = workshop.answer("stopped/tasks: {answer: \"That one was removed.\"}\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let output = workshop.resume(&["--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), regular_calls(&["aggregator", "research/tasks"]));
    let told = workshop.document()["phases"]["research"]["steps"]["research/tasks"]["inputs"].clone();
    assert_ne!(told["answers/tasks-1"], "absent", "{told}");
}

#[test]
fn a_researcher_asks_twice_at_most() {
    let workshop = Workshop::regular();
    workshop.set_answer("research/tasks", &decides(&workshop, "CLARIFY", "Which clients are meant?"));
    let output = workshop.design(&[REQUEST, "--no-checkpoint"]);
    let mut asked = Vec::new();
    assert_eq!(output.code, Some(3), "{output:?}");
    asked.push(output);
    for round in 1..=2 {
        assert_eq!(count(&workshop.calls(), "research/tasks"), 1, "{round}");
        let answered =
            workshop.answer(&format!("clarify/tasks-{round}: {{tasks-1: \"All of them, {round}.\"}}\n"));
        assert_eq!(answered.code, Some(0), "{answered:?}");
        asked.push(workshop.design(&[FEATURE, "--resume"]));
    }
    let gates: Vec<&str> = asked
        .iter()
        .map(|output| output.stderr.lines().find(|line| line.starts_with("Waiting at ")).unwrap())
        .collect();
    assert_eq!(
        gates,
        [
            "Waiting at clarify/tasks-1: tasks-1",
            "Waiting at clarify/tasks-2: tasks-1",
            "Waiting at clarify: q1, q2"
        ]
    );
    assert_eq!(workshop.calls(), regular_calls(&["aggregator", "clarifier", "research/tasks"]));
}

#[test]
fn questions_of_researchers_are_skipped_with_auto() {
    let workshop = Workshop::regular();
    workshop.set_answer("research/tasks", &decides(&workshop, "CLARIFY", "Which clients are meant?"));
    let output = workshop.start(&["--auto", "--phase=research", "--json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), regular_calls(&["research/", "aggregator"]));
    let told = "unanswered questions of the tasks researcher: Which clients are meant?";
    assert!(warnings(&output).iter().any(|warning| warning == told), "{:?}", warnings(&output));
}
