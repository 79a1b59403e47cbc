//! Documents on disk: writes, refusals, and files left unchanged.

use crate::{documents, name, now};
use charrette_model::stamp::Now;
use charrette_store::StoreError;
use charrette_testkit::Sandbox;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};

const PATH: &str = ".claude/state/design-add-login.json";

#[test]
fn saved_documents_exist_and_the_folder_ignores_itself() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let changed = documents
        .update_phase(&name("add-login"), "research", &json!({"status": "complete"}), now())
        .unwrap();
    assert!(changed.created && changed.history_error.is_none());
    let text = sandbox.read(PATH);
    assert!(text.starts_with("{\n  \"version\": 1,\n") && text.ends_with('}'), "{text}");
    assert_eq!(documents.load(&name("add-login")).unwrap().unwrap().document, changed.document);
    assert_eq!(sandbox.git(["status", "--porcelain", "--ignored"]), "!! .claude/");
}

#[test]
fn a_change_that_is_refused_leaves_no_trace() {
    let sandbox = Sandbox::repository();
    let long = vec!["w"; 501].join(" ");
    let data = json!({"status": "complete", "context_summary": long});
    let error = documents(&sandbox).update_phase(&name("add-login"), "research", &data, now()).unwrap_err();
    assert!(matches!(error, StoreError::Transition(_)), "{error}");
    assert!(!sandbox.path(".claude").exists());
}

#[test]
fn a_moved_head_makes_a_document_stale() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    documents.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    assert_eq!(documents.load(&name("add-login")).unwrap().unwrap().stale, None);
    let head = sandbox.commit("second");
    assert_eq!(documents.load(&name("add-login")).unwrap().unwrap().stale.unwrap().head, head);
}

#[test]
fn unreadable_documents_are_never_replaced() {
    for content in
        ["", "{", "null", "{\"version\": 2, \"future\": true}", "\0\0\0", "{\"version\":1,\"phases\":[]}"]
    {
        let sandbox = Sandbox::repository();
        sandbox.write(PATH, content);
        let documents = documents(&sandbox);
        let name = name("add-login");
        let saved = documents.load(&name).unwrap_err();
        assert!(saved.to_string().contains("design-add-login.json"), "{saved}");
        assert!(documents.update_phase(&name, "research", &json!({"status": "complete"}), now()).is_err());
        assert!(documents.complete(&name, now()).is_err());
        assert_eq!(sandbox.read(PATH), content);
    }
}

#[test]
fn links_and_folders_in_the_way_are_refused() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    sandbox.write("elsewhere.json", "{\"version\": 1}");
    fs_err::create_dir_all(sandbox.path(".claude/state")).unwrap();
    symlink(sandbox.path("elsewhere.json"), sandbox.path(PATH)).unwrap();
    assert!(matches!(documents.load(&name("add-login")).unwrap_err(), StoreError::Symlink(_)));
    assert!(documents.update_phase(&name("add-login"), "research", &json!({}), now()).is_err());
    assert_eq!(sandbox.read("elsewhere.json"), "{\"version\": 1}");

    fs_err::create_dir(sandbox.path(".claude/state/design-folder.json")).unwrap();
    assert!(matches!(documents.load(&name("folder")).unwrap_err(), StoreError::NotAFile(_)));
}

#[test]
fn a_fifo_does_not_hang() {
    let sandbox = Sandbox::repository();
    fs_err::create_dir_all(sandbox.path(".claude/state")).unwrap();
    assert!(sandbox.command("mkfifo").arg(sandbox.path(PATH)).status().unwrap().success());
    assert!(matches!(documents(&sandbox).load(&name("add-login")).unwrap_err(), StoreError::NotAFile(_)));
}

#[test]
fn a_state_folder_that_leads_out_of_the_repository_is_refused() {
    for link in [".claude", ".claude/state"] {
        let sandbox = Sandbox::repository();
        let elsewhere = sandbox.outside("elsewhere");
        fs_err::create_dir_all(elsewhere.join("state")).unwrap();
        if link == ".claude/state" {
            fs_err::create_dir(sandbox.path(".claude")).unwrap();
        }
        symlink(&elsewhere, sandbox.path(link)).unwrap();
        let error =
            documents(&sandbox).update_phase(&name("add-login"), "research", &json!({}), now()).unwrap_err();
        assert!(matches!(error, StoreError::Symlink(_)), "{link}: {error}");
        assert_eq!(fs_err::read_dir(elsewhere.join("state")).unwrap().count(), 0);
    }
}

#[test]
fn a_state_folder_linked_within_the_repository_is_fine() {
    let sandbox = Sandbox::repository();
    fs_err::create_dir(sandbox.path("shared-claude")).unwrap();
    symlink("shared-claude", sandbox.path(".claude")).unwrap();
    documents(&sandbox).update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    assert!(sandbox.path("shared-claude/state/design-add-login.json").exists());
}

#[test]
fn a_file_where_the_folder_should_be_is_named() {
    let sandbox = Sandbox::repository();
    sandbox.write(".claude/state", "not a folder");
    let error =
        documents(&sandbox).update_phase(&name("add-login"), "research", &json!({}), now()).unwrap_err();
    assert!(matches!(error, StoreError::NotAFolder(_)), "{error}");
    assert_eq!(sandbox.read(".claude/state"), "not a folder");
}

#[test]
fn leftover_temp_files_are_replaced_even_links() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    sandbox.write("precious", "keep me");
    fs_err::create_dir_all(sandbox.path(".claude/state")).unwrap();
    let temp = sandbox.path(".claude/state/.design-add-login.json.tmp");
    symlink(sandbox.path("precious"), &temp).unwrap();
    documents.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    assert_eq!(sandbox.read("precious"), "keep me");
    fs_err::write(&temp, "{\"torn").unwrap();
    documents.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    assert!(!temp.exists());
}

#[test]
fn modes_follow_the_umask() {
    let sandbox = Sandbox::repository();
    documents(&sandbox).update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    fs_err::write(sandbox.path("plain"), "x").unwrap();
    let mode = |path: &str| fs_err::metadata(sandbox.path(path)).unwrap().permissions().mode();
    assert_eq!(mode(PATH), mode("plain"));
}

#[test]
fn the_clock_may_go_backwards() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let first = documents.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap().document;
    let past = Now::real("2020-01-01T00:00:00Z".parse().unwrap());
    let second = documents.update_phase(&name("add-login"), "research", &json!({}), past).unwrap().document;
    assert!(second.updated_at > first.updated_at);
    assert!(documents.save(&name("add-login"), &first, now()).is_err(), "the first copy is old now");
    assert!(documents.save(&name("add-login"), &second, past).is_ok());
}

/// The parse cache is invisible: cached and fresh reads agree.
#[test]
fn a_handle_that_made_the_last_change_writes_what_a_new_one_would() {
    let sandbox = Sandbox::repository();
    let (used, text) = (documents(&sandbox), || sandbox.read(PATH));
    let change = |n: usize| {
        let files: Vec<String> = (0..n % 3).map(|n| n.to_string()).collect();
        let status = ["in_progress", "complete", "failed"][n % 3];
        let responses = if n.is_multiple_of(2) { json!({}) } else { json!(null) };
        let odd = json!({"n": n, "float": 0.1 * f64::from(u8::try_from(n).unwrap()), "text": "é \" \u{1}"});
        json!({"status": status, "context_summary": format!("summary {n}"), "files_created": files, "odd": odd,
            "tasks": {format!("T{n}"): {"status": "done", "more": [null, {}]}, "T0": null},
            "steps": {"a/b": {"status": "done", "usage": {"input": n, "usd": 0.25}, "inputs": {"x": "1"}}},
            "checkpoint_responses": responses})
    };
    for n in 0..20 {
        let phase = format!("phase-{}", n % 4);
        let before = (n > 0).then(text);
        let ours = used.update_phase(&name("add-login"), &phase, &change(n), now()).unwrap();
        let written = text();
        match before {
            None => fs_err::remove_file(sandbox.path(PATH)).unwrap(),
            Some(before) => sandbox.write(PATH, before),
        }
        let theirs = documents(&sandbox).update_phase(&name("add-login"), &phase, &change(n), now()).unwrap();
        assert_eq!(text(), written, "change {n}");
        assert_eq!(ours.document, theirs.document, "change {n}");
        let loaded = documents(&sandbox).load(&name("add-login")).unwrap().unwrap();
        assert_eq!(loaded.document, ours.document, "change {n}");
    }
}

#[test]
fn changes_of_other_processes_are_seen() {
    let sandbox = Sandbox::repository();
    let (one, other) = (documents(&sandbox), documents(&sandbox));
    for n in 0..6 {
        let by = if n % 2 == 0 { &one } else { &other };
        let tasks = json!({"tasks": {format!("T{n}"): {"status": "done"}}});
        by.update_phase(&name("add-login"), "phase-1", &tasks, now()).unwrap();
        // Even an edit by hand of the same length.
        let edited = sandbox.read(PATH).replace(&format!("\"T{n}\""), &format!("\"X{n}\""));
        sandbox.write(PATH, edited);
    }
    let changed = one.update_phase(&name("add-login"), "phase-1", &json!({}), now()).unwrap();
    let tasks = changed.document.phases["phase-1"].tasks.clone().unwrap();
    assert_eq!(tasks.keys().collect::<Vec<_>>(), ["X0", "X1", "X2", "X3", "X4", "X5"]);
}

#[test]
fn a_change_that_spares_driven_runs_is_refused_under_the_lock() {
    let sandbox = Sandbox::repository();
    let (driver, other) = (documents(&sandbox), documents(&sandbox).sparing_driven());
    other.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    let lease = driver.lease(&name("add-login")).unwrap();
    let before = sandbox.read(PATH);
    let error = other.complete(&name("add-login"), now()).unwrap_err();
    assert!(error.to_string().starts_with("design-add-login is being driven by process "), "{error}");
    assert_eq!(sandbox.read(PATH), before);
    driver.update_phase(&name("add-login"), "plan", &json!({}), now()).unwrap();
    drop(lease);
    other.complete(&name("add-login"), now()).unwrap();
}
