//! tokens, flags and handoff.

use crate::{charrette, charrette_with};
use charrette_testkit::Sandbox;
use serde_json::json;

#[test]
fn tokens_are_counted_from_a_file_or_a_pipe() {
    let sandbox = Sandbox::repository();
    sandbox.write("text", "three little\u{feff}words");
    assert_eq!(charrette(&sandbox, &["tokens", "count", "text"]).stdout, "3\n");
    assert_eq!(charrette_with(&sandbox, &["tokens", "count"], b"one two").stdout, "2\n");
    assert_eq!(charrette_with(&sandbox, &["tokens", "count", "-"], b"").stdout, "0\n");
    let exact = charrette_with(&sandbox, &["tokens", "count", "--exact"], b"antidisestablishmentarianism");
    if cfg!(feature = "exact-tokens") {
        assert_eq!(exact.stdout, "6\n");
        assert!(exact.stderr.contains("Estimate with"), "{}", exact.stderr);
    } else {
        assert_eq!(exact.code, Some(2));
        assert!(!charrette(&sandbox, &["tokens", "count", "--help"]).stdout.contains("exact"));
    }
    assert_eq!(charrette_with(&sandbox, &["tokens", "count"], b"\xff").code, Some(1));
    let missing = charrette(&sandbox, &["tokens", "count", "no-such-file"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("no-such-file"), "{}", missing.stderr);
}

#[test]
fn summaries_are_checked_against_the_limit() {
    let sandbox = Sandbox::repository();
    let fine = charrette_with(&sandbox, &["tokens", "validate"], b"short summary");
    assert_eq!(fine.json(), json!({"valid": true, "tokenCount": 2, "limit": 500}));
    let long = charrette_with(&sandbox, &["tokens", "validate", "--max", "1"], b"short summary");
    assert_eq!(
        long.json(),
        json!({"valid": false, "tokenCount": 2, "limit": 1, "error": "Context summary exceeds 1 token limit (actual: 2 tokens)"})
    );
    assert_eq!(long.code, Some(0));
}

#[test]
fn flags_are_parsed_with_warnings() {
    let sandbox = Sandbox::repository();
    let define = r#"{"resume": "boolean", "phase": {"type": "string", "values": ["research", "write"]}, "parent": "string"}"#;
    let found =
        charrette(&sandbox, &["flags", "--define", define, "--PHASE=write \"--resume\" --parent=Shop"]);
    assert_eq!(found.json(), json!({"resume": false, "phase": "write", "parent": "Shop"}));
    assert_eq!(found.stderr, "");
    let warned = charrette_with(&sandbox, &["flags", "--define", define, "-"], b"--phase=foo --resume");
    assert_eq!(warned.json(), json!({"resume": true, "phase": null, "parent": null}));
    assert_eq!(warned.stderr, "Warning: Invalid value \"foo\" for --phase. Valid values: research, write\n");
    assert_eq!(charrette(&sandbox, &["flags", "--define", "{\"a\": 1}", "x"]).code, Some(2));
}

#[test]
fn handoffs_are_checked() {
    let sandbox = Sandbox::repository();
    let request = json!({"task_id": "T1", "phase": "research", "mode": "plan", "context": {"feature": "x"}, "instructions": "look", "expected_output": "structured_findings"});
    let fine = charrette_with(&sandbox, &["handoff", "check", "request"], request.to_string().as_bytes());
    assert_eq!((fine.code, fine.json()), (Some(0), json!({"valid": true, "errors": [], "warnings": []})));
    let wrong = charrette_with(&sandbox, &["handoff", "check", "response", "-"], b"{\"phase\": \"nap\"}");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.json()["errors"].as_array().unwrap().len() > 4);
    let not_json = charrette_with(&sandbox, &["handoff", "check", "response"], b"Sure! Here is the JSON:");
    assert_eq!((not_json.code, not_json.json()["valid"].clone()), (Some(1), json!(false)));
}

#[test]
fn relative_paths_start_at_the_folder_of_dash_c() {
    let sandbox = Sandbox::repository();
    sandbox.write("below/text", "one two three");
    assert_eq!(charrette(&sandbox, &["-C", "below", "tokens", "count", "text"]).stdout, "3\n");
    assert_eq!(charrette(&sandbox, &["tokens", "count", "text", "-C", "below"]).stdout, "3\n");
}
