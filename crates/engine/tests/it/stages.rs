//! Events of the numbered stages of a flow.

use crate::stage::watched;
use charrette_engine::flows::design::stages::STAGES;
use charrette_engine::{EventKind, StageOutcome};
use charrette_testkit::Sandbox;
use std::sync::{Arc, Mutex};

#[test]
fn stage_events_have_the_name_and_label_of_the_flow_table() {
    let sandbox = Sandbox::new();
    let events: Arc<Mutex<Vec<EventKind>>> = Arc::default();
    let seen = events.clone();
    let run = watched(&sandbox, STAGES, move |event| seen.lock().unwrap().push(event.kind.clone()));
    let phase = run.phase("all");
    phase.stage_with("2a", Some("four".to_owned())).finish("drawn");
    phase.stage("9").warn("odd");
    phase.stage("5").finish("complete");

    let began = |number: &str, name: &str, ledger: &str, payload: Option<&str>| EventKind::StageBegan {
        number: number.to_owned(),
        name: name.to_owned(),
        ledger: ledger.to_owned(),
        payload: payload.map(str::to_owned),
    };
    let ended = |number: &str, name: &str, ending: StageOutcome, payload: &str| EventKind::StageEnded {
        number: number.to_owned(),
        name: name.to_owned(),
        ending,
        payload: payload.to_owned(),
    };
    assert_eq!(
        *events.lock().unwrap(),
        [
            began("2a", "sketches", "design Step 2a — sketches", Some("four")),
            ended("2a", "sketches", StageOutcome::Done, "drawn"),
            began("9", "9", "", None),
            ended("9", "9", StageOutcome::Warning, "odd"),
            began("5", "cleanup", "design Step 5 — cleanup", None),
            ended("5", "cleanup", StageOutcome::Last, "complete"),
        ]
    );
}
