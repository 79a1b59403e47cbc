//! The numbered stages of a flow, as those who watch a run hear of them.

use crate::stage::watched;
use charrette_engine::flows::design::stages::STAGES;
use charrette_engine::{Ending, EventKind};
use charrette_testkit::Sandbox;
use std::sync::{Arc, Mutex};

#[test]
fn an_event_says_what_the_table_of_the_flow_says_of_its_stage() {
    let sandbox = Sandbox::new();
    let heard: Arc<Mutex<Vec<EventKind>>> = Arc::default();
    let hear = heard.clone();
    let run = watched(&sandbox, STAGES, move |event| hear.lock().unwrap().push(event.kind.clone()));
    let phase = run.phase("all");
    phase.stage_with("2a", Some("four".to_owned())).done("drawn");
    phase.stage("9").warn("odd");
    phase.stage("5").done("complete");

    let began = |number: &str, name: &str, ledger: &str, payload: Option<&str>| EventKind::StageBegan {
        number: number.to_owned(),
        name: name.to_owned(),
        ledger: ledger.to_owned(),
        payload: payload.map(str::to_owned),
    };
    let ended = |number: &str, name: &str, ending: Ending, payload: &str| EventKind::StageEnded {
        number: number.to_owned(),
        name: name.to_owned(),
        ending,
        payload: payload.to_owned(),
    };
    assert_eq!(
        *heard.lock().unwrap(),
        [
            began("2a", "sketches", "design Step 2a — sketches", Some("four")),
            ended("2a", "sketches", Ending::Done, "drawn"),
            began("9", "9", "", None),
            ended("9", "9", Ending::Warning, "odd"),
            began("5", "cleanup", "design Step 5 — cleanup", None),
            ended("5", "cleanup", Ending::Last, "complete"),
        ]
    );
}
