//! The hook while a real run is driven: `active.json`, the environment of lanes, and `charrette hook`.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A design in which the planner's agent calls the hook, as a lane and as a session of a person.
fn design_with_hooks() -> (Workshop, PathBuf) {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().canonicalize().unwrap();
    let out = workshop.sandbox.outside("out");
    std::fs::create_dir(&out).unwrap();
    let script = r#"
        cp "$ROOT/.claude/state/active.json" "$OUT/active.json"
        env | grep '^CHARRETTE_' > "$OUT/environment"
        input() { printf '{"cwd":"%s","tool_name":"Bash","tool_input":{"command":"%s"}}' "$ROOT" "$1"; }
        for command in 'git switch main' 'touch x' 'git status'; do
            input "$command" | "$BINARY" hook PreToolUse 2>> "$OUT/reasons"
            echo "lane $command: $?" >> "$OUT/codes"
            input "$command" | env -u CHARRETTE_LANE "$BINARY" hook PreToolUse 2>> "$OUT/reasons"
            echo "session $command: $?" >> "$OUT/codes"
        done
        echo "{\"cwd\":\"$ROOT\"}" | env -u CHARRETTE_LANE "$BINARY" hook SessionStart > "$OUT/context"
    "#;
    let quoted = |path: &std::path::Path| path.display().to_string();
    let script = format!("ROOT='{}'; OUT='{}'; BINARY='{BINARY}'; {script}", quoted(&root), quoted(&out));
    workshop.set_part("planner", &json!({"says": "planner.txt", "shell": script}));
    (workshop, out)
}

#[test]
fn a_driven_run_is_guarded_and_a_finished_one_is_not() {
    let (workshop, out) = design_with_hooks();
    let done = workshop.start(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();

    let active: Value = serde_json::from_str(&read("active.json")).unwrap();
    let run = &active["runs"][0];
    assert_eq!((active["version"].as_u64(), active["runs"].as_array().unwrap().len()), (Some(1), 1));
    assert_eq!(
        (run["document"].as_str(), run["phase"].as_str()),
        (Some(&*format!("design-{FEATURE}")), Some("write"))
    );
    assert_eq!(active["hooks"], json!({"on_error": "open", "danger": true, "secrets": true}));
    assert_eq!(run["branch"], workshop.document()["run"]["branch"], "{run}");
    assert!(run["driver"]["pid"].is_number() && run["rights"] == "read-only", "{run}");

    let environment = read("environment");
    assert!(
        environment.contains("CHARRETTE_STATE=") && environment.contains("/.claude/state"),
        "{environment}"
    );
    assert_eq!(
        read("codes"),
        "lane git switch main: 2\nsession git switch main: 2\nlane touch x: 2\nsession touch x: 0\n\
         lane git status: 0\nsession git status: 0\n"
    );
    let reasons = read("reasons");
    assert!(
        reasons.contains(&format!("charrette stop {FEATURE}")) && reasons.lines().count() == 3,
        "{reasons}"
    );
    assert!(read("context").contains("is driven by process"));
    assert!(!workshop.sandbox.path(".claude/state/active.json").exists(), "nothing is active any more");
}

#[test]
fn a_waiting_run_is_listed_until_it_is_abandoned() {
    let workshop = Workshop::regular();
    let output = workshop.design(&[REQUEST]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let active: Value = serde_json::from_str(
        &std::fs::read_to_string(workshop.sandbox.path(".claude/state/active.json")).unwrap(),
    )
    .unwrap();
    let run = &active["runs"][0];
    assert!(run["driver"].is_null() && !run["waits"].as_array().unwrap().is_empty(), "{active}");
    let abandoned = workshop.run(BINARY, ["abandon", FEATURE]);
    assert_eq!(abandoned.code, Some(0), "{abandoned:?}");
    assert!(!workshop.sandbox.path(".claude/state/active.json").exists());
}
