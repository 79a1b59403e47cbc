//! Researchers who have something to ask, or who say that the feature should not be designed.

use crate::workshop::{Workshop, of_the_regular, warnings};
use charrette_testkit::panel::{FEATURE, REQUEST};

/// What the researcher of tasks says, with another decision.
fn decides(workshop: &Workshop, decision: &str, issue: &str) -> String {
    let said = workshop.said("research/tasks");
    said.replace("\"decision\": \"PROCEED\"", &format!("\"decision\": \"{decision}\""))
        .replace("\"issues\": []", &format!("\"issues\": [\"{issue}\"]"))
}

fn count(calls: &[String], step: &str) -> usize {
    calls.iter().filter(|call| call.starts_with(step)).count()
}

#[test]
fn a_researcher_stops_the_run_until_somebody_answers() {
    let workshop = Workshop::regular();
    let usual = workshop.said("research/tasks");
    workshop.says("research/tasks", &decides(&workshop, "STOP", "there is a limiter already"));
    workshop.says("research/tasks.2", &usual);
    let output = workshop.begin(&["--auto"]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("there is a limiter already"), "{output:?}");
    assert_eq!(workshop.calls(), of_the_regular(&["research/"]));
    // Going on without an answer changes nothing.
    assert_eq!(workshop.resume(&[]).code, Some(4));
    assert_eq!(workshop.calls(), [""; 0]);
    let answered = workshop.answer("stopped/tasks: {answer: \"That one was removed.\"}\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let output = workshop.resume(&["--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), of_the_regular(&["aggregator", "research/tasks"]));
    let told = workshop.document()["phases"]["research"]["steps"]["research/tasks"]["inputs"].clone();
    assert_ne!(told["answers/tasks-1"], "absent", "{told}");
}

#[test]
fn a_researcher_asks_twice_at_most() {
    let workshop = Workshop::regular();
    workshop.says("research/tasks", &decides(&workshop, "CLARIFY", "Which clients are meant?"));
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
    assert_eq!(workshop.calls(), of_the_regular(&["aggregator", "clarifier", "research/tasks"]));
}

#[test]
fn under_auto_what_a_researcher_wants_to_know_stays_unknown() {
    let workshop = Workshop::regular();
    workshop.says("research/tasks", &decides(&workshop, "CLARIFY", "Which clients are meant?"));
    let output = workshop.begin(&["--auto", "--phase=research", "--json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), of_the_regular(&["research/", "aggregator"]));
    let told = "The researcher of tasks wanted to know, and nobody was asked: Which clients are meant?";
    assert!(warnings(&output).iter().any(|warning| warning == told), "{:?}", warnings(&output));
}
