//! Two hundred agents, sixteen at a time, a third of which misbehave.

use crate::Stage;
use serde_json::{Map, Value, json};

/// Script of a member that misbehaves, in turn.
fn misbehaviour(n: usize) -> Value {
    match n % 8 {
        0 => json!({}),
        1 => json!({"exit": 3}),
        2 => json!({"exit_early": 4}),
        3 => json!({"flood_mb": 2, "answer": "too much\n"}),
        4 => json!({"answer": "with a child\n", "child_ms": 60_000, "exit": 5}),
        5 => json!({"daemon_ms": 60_000}),
        6 => json!({"answer_hex": "00ff", "exit": 6}),
        _ => json!({"hang": true, "ignores_term": true}),
    }
}

#[test]
fn every_result_is_right_and_nothing_is_left() {
    let stage = Stage::set();
    let mut alpha = Map::new();
    for n in (0..200).filter(|n| n % 3 == 0) {
        alpha.insert(format!("member-{n}"), misbehaviour(n / 3));
    }
    stage.script(&json!({"alpha": alpha}));
    stage.sandbox.write("charrette.toml", "[limits]\nparallel = 16\noutput_mb = 1\n[clocks]\nreview = 12\n");
    let mut command = stage.command(&["gather-crowd", "try", "--json"]);
    command.env("REHEARSAL_CENSUS", stage.file("census"));
    let output = charrette_testkit::Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{}", output.stderr);

    for n in 0..200 {
        let who = if n % 3 == 0 { "beta" } else { "alpha" };
        let said = std::fs::read_to_string(stage.artifact(&format!("member-{n}.md"))).unwrap();
        assert!(said.starts_with(&format!("member-{n} by {who} from ")), "{n}: {said}");
    }
    let document: Value =
        serde_json::from_str(&stage.sandbox.read(".claude/state/implement-try.json")).unwrap();
    let steps = document["phases"]["crowd"]["steps"].as_object().unwrap();
    let replaced = steps.values().filter(|step| step["fallback_from"] == json!(["alpha"])).count();
    assert_eq!((steps.len(), replaced), (200, 67));
    assert_eq!(stage.alive(), [0; 0]);
    let census: Value =
        serde_json::from_str(&std::fs::read_to_string(stage.file("census")).unwrap()).unwrap();
    assert_eq!(census["children"], 0, "no process and no zombie is left: {census}");
    assert!(census["files"].as_u64().unwrap() <= 12, "no file is left open: {census}");
    assert!(census["peak_kb"].as_u64().unwrap() <= 80 << 10, "at most 80 MB: {census}");
}
