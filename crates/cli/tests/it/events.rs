//! The events of a run, kept and read back; and a run that is stopped from outside.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::{FEATURE, SeatFault};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn kinds(text: &str) -> Vec<String> {
    let kind = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["v"], 1, "{line}");
        event["event"].as_str().unwrap().to_owned()
    };
    text.lines().map(kind).collect()
}

#[test]
fn events_are_recorded_and_the_log_replays_them() {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let events = workshop.run(BINARY, ["events", FEATURE, "--json"]);
    let kinds = kinds(&events.stdout);
    assert_eq!(kinds.first().map(String::as_str), Some("run.started"));
    assert_eq!(kinds.last().map(String::as_str), Some("run.finished"));
    for kind in ["stage.began", "step.finished", "agent.finished", "gate.answered", "phase.finished"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind} in {kinds:?}");
    }
    let plain = workshop.run(BINARY, ["events", FEATURE]);
    assert!(plain.stdout.contains("planner finished: design-notes.md, plan-draft.txt"), "{plain:?}");
    let log = workshop.run(BINARY, ["log", FEATURE]);
    for line in ["> **🔶 2a: sketches**", "✅ 4c: validate — passed", "design complete!"] {
        assert!(log.stdout.contains(line), "{line} in {log:?}");
    }
}

#[test]
fn damaged_event_files_affect_only_the_log() {
    let workshop = Workshop::brief();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.start(&["--auto"]).code, Some(3));
    let file = workshop.artifact("events.jsonl");
    let kept = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{kept}{{\"v\":1,\"at\":\"torn")).unwrap();
    let log = workshop.run(BINARY, ["log", FEATURE]);
    assert!(
        log.code == Some(0) && log.stderr.contains("skipped unreadable lines of the event log: 1"),
        "{log:?}"
    );
    std::fs::write(&file, vec![b'x'; 20 << 20]).unwrap();
    assert_eq!(workshop.run(BINARY, ["events", FEATURE]).code, Some(0));
    std::fs::remove_file(&file).unwrap();
    let log = workshop.run(BINARY, ["log", FEATURE]);
    assert!(log.code == Some(0) && log.stderr.contains("No events recorded for this run."), "{log:?}");
    workshop.write_gate_answers(&answers);
    let done = workshop.resume(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn the_page_of_a_gate_is_recorded_with_its_digest() {
    let workshop = Workshop::brief();
    assert_eq!(workshop.start(&["--auto"]).code, Some(0));
    let document = workshop.document();
    for gate in ["pre-design", "post-design"] {
        let page = workshop.read(&format!("gates/{gate}-1.md"));
        let digest = charrette_store::workspace::sha256(page.as_bytes());
        assert_eq!(document["gates"][gate]["shown"], digest.as_str(), "{gate}");
    }
    let page = workshop.read("gates/post-design-1.md");
    assert!(page.contains("Post-Design Checkpoint") && page.contains("## approval"), "{page}");
}

#[test]
fn a_run_is_stopped_from_outside_says_why_and_goes_on() {
    let workshop = Workshop::brief();
    workshop.set_fault("planner", SeatFault::Hangs);
    let answers = workshop.answers();
    let mut child = workshop
        .command(BINARY, ["design", charrette_testkit::panel::REQUEST, "--auto", "--answers"])
        .arg(&answers)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_mins(2);
    let is_asked = || {
        let path = workshop.sandbox.path(&format!(".claude/state/design-{FEATURE}.json"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        document["phases"]["write"]["steps"]["planner"]["status"] == "running"
    };
    while !is_asked() {
        assert!(Instant::now() < deadline, "the planner is never asked");
        std::thread::sleep(Duration::from_millis(50));
    }
    let stopped = workshop.run(BINARY, ["stop", FEATURE]);
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
    assert!(stopped.stdout.starts_with(&format!("Stopped process {}", child.id())), "{stopped:?}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(workshop.document()["run"]["stopped"]["kind"], "interrupted");
    let status = workshop.run(BINARY, ["status"]);
    assert!(status.stdout.contains("write (interrupted)"), "{status:?}");
    let nothing = workshop.run(BINARY, ["stop", FEATURE]);
    assert!(nothing.code == Some(0) && nothing.stdout.contains("No process is driving"), "{nothing:?}");
    let planner =
        charrette_testkit::panel::Panel::regular(&*crate::workshop::FAKE_AGENT).answer_text("planner");
    workshop.set_answer("planner", &planner);
    let done = workshop.resume(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(workshop.document()["run"]["stopped"].is_null());
}
