//! The life of a state document through the plumbing commands.

use crate::{DOCUMENT, charrette, checkpoint};
use charrette_testkit::{Output, Sandbox};
use serde_json::{Value, json};

fn success(stdout: &str, stderr: &str) -> Output {
    Output { code: Some(0), stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

#[test]
fn a_run_from_its_first_phase_to_its_end() {
    let sandbox = Sandbox::repository();
    assert_eq!(checkpoint(&sandbox, &["load"], ""), success("null\n", ""));
    assert_eq!(checkpoint(&sandbox, &["resume-point"], "").json(), json!({"phase": null, "summary": null}));
    assert_eq!(
        checkpoint(&sandbox, &["update-phase", "research"], r#"{"status": "in_progress"}"#),
        success("true\n", "")
    );
    let data = r#"{"status": "complete", "context_summary": "Found it.", "files_created": ["a.md"]}"#;
    assert_eq!(checkpoint(&sandbox, &["update-phase", "research"], data), success("true\n", ""));
    assert_eq!(
        checkpoint(&sandbox, &["resume-point"], "").json(),
        json!({"phase": "write", "summary": "Found it."})
    );
    for phase in ["write", "validate"] {
        assert_eq!(
            checkpoint(&sandbox, &["update-phase", phase], r#"{"status": "complete"}"#),
            success("true\n", "")
        );
    }
    assert_eq!(checkpoint(&sandbox, &["complete"], ""), success("true\n", ""));
    assert_eq!(checkpoint(&sandbox, &["resume-point"], "").json(), json!({"phase": null, "summary": null}));

    let document = checkpoint(&sandbox, &["load"], "").json();
    let head = sandbox.git(["rev-parse", "HEAD"]);
    let now = "2026-11-15T12:00:00.000Z";
    let done = |more: Value| {
        let mut phase = json!({"status": "complete", "started_at": now, "updated_at": now});
        charrette_merge(&mut phase, &more);
        phase
    };
    assert_eq!(
        document,
        json!({
            "version": 1, "command": "design", "feature": "add-login", "head_commit": head,
            "started_at": now, "updated_at": now, "completed_at": now,
            "state": {"current_phase": null, "completed_phases": ["research", "write", "validate"], "pending_phases": []},
            "phases": {"research": done(json!({"context_summary": "Found it.", "files_created": ["a.md"]})), "write": done(json!({})), "validate": done(json!({}))}
        })
    );
}

fn charrette_merge(target: &mut Value, more: &Value) {
    for (key, value) in more.as_object().unwrap() {
        target[key] = value.clone();
    }
}

#[test]
fn saved_documents_load_unchanged() {
    let sandbox = Sandbox::repository();
    let document = json!({
        "version": 1, "command": "design", "feature": "add-login", "started_at": "2026-01-31T10:00:00.000Z",
        "state": {"current_phase": "write", "completed_phases": ["research"], "pending_phases": ["write", "validate"], "theirs": 1},
        "phases": {"research": {"status": "complete", "checkpoint_responses": {"scope": "Add errors."}, "more": [null]}},
        "unknown": {"deep": {"er": null}}
    });
    assert_eq!(checkpoint(&sandbox, &["save"], &document.to_string()), success("true\n", ""));
    let mut loaded = checkpoint(&sandbox, &["load"], "").json();
    assert_eq!(loaded["updated_at"], "2026-11-15T12:00:00.000Z");
    for added in ["updated_at", "head_commit"] {
        loaded.as_object_mut().unwrap().shift_remove(added);
    }
    assert_eq!(loaded, document);
}

#[test]
fn a_moved_head_is_a_warning() {
    let sandbox = Sandbox::repository();
    let saved = sandbox.git(["rev-parse", "--short=7", "HEAD"]);
    checkpoint(&sandbox, &["update-phase", "research"], "{}");
    let head = &sandbox.commit("second")[..7];
    let loaded = checkpoint(&sandbox, &["load"], "");
    assert_eq!(loaded.stderr, format!("Checkpoint is stale (saved at {saved}, current HEAD is {head})\n"));
    assert_eq!(loaded.json()["version"], 1);
}

#[test]
fn completing_with_open_phases_is_a_warning() {
    let sandbox = Sandbox::repository();
    assert_eq!(
        checkpoint(&sandbox, &["complete"], ""),
        success("false\n", "Cannot complete checkpoint: no checkpoint found\n")
    );
    checkpoint(&sandbox, &["update-phase", "research"], r#"{"status": "in_progress"}"#);
    assert_eq!(
        checkpoint(&sandbox, &["complete"], ""),
        success("true\n", "Warning: completed with open phases: research, write, validate\n")
    );
}

#[test]
fn a_save_over_a_concurrent_change_is_refused() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], "{}");
    let mine = checkpoint(&sandbox, &["load"], "").stdout;
    let mut theirs = sandbox.command(crate::BINARY);
    theirs
        .args(["checkpoint", "update-phase", "research"])
        .args(crate::DOCUMENT_ARGS)
        .env("CHARRETTE_NOW", "2026-11-15T13:00:00Z");
    assert_eq!(Output::capture(theirs, b"{}").stdout, "true\n");
    let refused = checkpoint(&sandbox, &["save"], &mine);
    assert_eq!(refused.stdout, "false\n");
    assert!(
        refused.stderr.starts_with("Cannot save checkpoint: it was changed since you read it"),
        "{}",
        refused.stderr
    );
}

#[test]
fn history_and_diff_print_the_changes() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], r#"{"status": "in_progress"}"#);
    checkpoint(&sandbox, &["update-phase", "research"], r#"{"status": "complete"}"#);
    checkpoint(&sandbox, &["update-phase", "write"], r#"{"status": "in_progress"}"#);
    let history = checkpoint(&sandbox, &["history"], "").json();
    let changes: Vec<&str> =
        history.as_array().unwrap().iter().map(|entry| entry["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["update-phase research", "update-phase research", "update-phase write"]);
    let diff = checkpoint(&sandbox, &["diff", "1", "2"], "").json();
    assert_eq!(diff["patch"]["phases"], json!({"research": {"status": "complete"}}));
    let last = checkpoint(&sandbox, &["diff", "-2", "-1"], "").json();
    assert_eq!(last["patch"]["state"], json!({"current_phase": "write"}));
    let beyond = checkpoint(&sandbox, &["diff", "1", "9"], "");
    assert_eq!(
        (beyond.code, beyond.stderr.as_str()),
        (Some(2), "error: no change 9 in the history, which has changes 1 to 3\n")
    );
}

#[test]
fn list_show_gc_and_schema() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], r#"{"status": "complete"}"#);
    let list = charrette(&sandbox, &["checkpoint", "list"]).json();
    assert_eq!((&list[0]["command"], &list[0]["feature"]), (&json!("design"), &json!("add-login")));
    let shown = checkpoint(&sandbox, &["show"], "").json();
    assert_eq!(
        (&shown["resume_point"]["phase"], &shown["stale"], &shown["changes"]),
        (&json!("write"), &json!(false), &json!(1))
    );
    sandbox.write(".claude/state/.design-add-login.json.tmp", "{torn");
    let planned = charrette(&sandbox, &["checkpoint", "gc", "--dry-run"]).json();
    assert_eq!(planned["done"][0]["action"], "remove-temp");
    assert_eq!(charrette(&sandbox, &["checkpoint", "gc"]).json()["done"], planned["done"]);

    let schema = charrette(&sandbox, &["checkpoint", "schema"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = checkpoint(&sandbox, &["load"], "").json();
    assert!(validator.is_valid(&document));
    for (pointer, wrong) in [
        ("/version", json!(2)),
        ("/phases/research/status", json!("done")),
        ("/state/completed_phases", json!("research")),
    ] {
        let mut document = document.clone();
        *document.pointer_mut(pointer).unwrap() = wrong;
        assert!(!validator.is_valid(&document), "{pointer}");
    }
}

#[test]
fn nested_features_have_one_document_each() {
    let sandbox = Sandbox::repository();
    for feature in ["shop/cart", "shop-cart", "shop/cart/coupons"] {
        let output = crate::charrette_with(
            &sandbox,
            &["checkpoint", "update-phase", "research", "--command", "design", "--feature", feature],
            b"{}",
        );
        assert_eq!(output.stdout, "true\n", "{feature}: {}", output.stderr);
    }
    for file in ["design-shop.cart.json", "design-shop-cart.json", "design-shop.cart.coupons.json"] {
        assert!(sandbox.path(".claude/state").join(file).exists(), "{file}");
    }
}

#[test]
fn the_state_is_the_repositorys_from_anywhere_inside_it() {
    let sandbox = Sandbox::repository();
    sandbox.write("deep/inside/file", "");
    let mut command = sandbox.command(crate::BINARY);
    command
        .args(["checkpoint", "update-phase", "research"])
        .args(crate::DOCUMENT_ARGS)
        .current_dir(sandbox.path("deep/inside"));
    assert_eq!(Output::capture(command, b"{}").stdout, "true\n");
    assert!(sandbox.path(DOCUMENT).exists());
    let outside = sandbox.home();
    let elsewhere = charrette(&sandbox, &["-C", outside.to_str().unwrap(), "status"]);
    assert!(elsewhere.stdout.starts_with("No runs in "), "{}", elsewhere.stdout);
}

#[test]
fn the_summary_limit_and_the_state_folder_are_settings() {
    let sandbox = Sandbox::repository();
    sandbox.write("charrette.toml", "[limits]\nsummary_words = 2\n[paths]\nstate = \"local/state\"\n");
    let refused =
        checkpoint(&sandbox, &["update-phase", "research"], r#"{"context_summary": "one two three"}"#);
    assert_eq!(
        refused,
        success("false\n", "Phase \"research\" Context summary exceeds 2 token limit (actual: 3 tokens)\n")
    );
    checkpoint(&sandbox, &["update-phase", "research"], r#"{"context_summary": "one two"}"#);
    assert!(sandbox.path("local/state/design-add-login.json").exists());
    assert_eq!(sandbox.git(["status", "--porcelain"]), "?? charrette.toml");
}
