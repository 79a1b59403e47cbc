//! Documents on disk: what is written, what is refused, what is left as it was.

use crate::{documents, name, now};
use charrette_model::stamp::Now;
use charrette_store::StoreError;
use charrette_testkit::Sandbox;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt as _, symlink};

const PATH: &str = ".claude/state/design-add-login.json";

#[test]
fn what_is_saved_is_there_and_the_folder_ignores_itself() {
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
fn nothing_that_cannot_be_read_is_ever_replaced() {
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
fn what_a_killed_writer_left_is_replaced_even_if_it_is_a_trap() {
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
