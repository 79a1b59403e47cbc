//! Archives, listing and garbage collection.

use crate::{documents, name, now};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::stamp::Now;
use charrette_store::archive::read_archive;
use charrette_store::gc::Retention;
use charrette_store::{Documents, StoreError};
use charrette_testkit::Sandbox;
use serde_json::json;

const KEEP: Retention = Retention { completed_days: 30, archive_days: 180 };

fn later(days: i64) -> Now {
    Now::real(now().at() + jiff::SignedDuration::from_hours(24 * days))
}

fn run(documents: &Documents, feature: &str) {
    documents.update_phase(&name(feature), "research", &json!({"status": "complete"}), now()).unwrap();
}

fn files(sandbox: &Sandbox) -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["", "locks", "history", "archive"] {
        let Ok(entries) = fs_err::read_dir(sandbox.path(".claude/state").join(folder)) else { continue };
        for entry in entries.map(Result::unwrap).filter(|entry| entry.file_type().unwrap().is_file()) {
            files.push(format!("{folder}/{}", entry.file_name().to_str().unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn an_abandoned_run_is_archived_and_its_name_is_free() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "add-login");
    let bytes = sandbox.read(".claude/state/design-add-login.json");
    let archive = documents.abandon(&name("add-login"), now()).unwrap().unwrap();
    assert_eq!(String::from_utf8(read_archive(&archive).unwrap()).unwrap(), bytes);
    assert_eq!(
        files(&sandbox),
        [
            "/.gitignore",
            "archive/design-add-login-20261115T120000Z.history.jsonl.zst",
            "archive/design-add-login-20261115T120000Z.json.zst"
        ]
    );
    assert_eq!(documents.abandon(&name("add-login"), now()).unwrap(), None);

    run(&documents, "add-login");
    let second = documents.abandon(&name("add-login"), now()).unwrap().unwrap();
    assert!(second.ends_with("design-add-login-20261115T120000Z-2.json.zst"), "{}", second.display());
}

#[test]
fn a_run_that_cannot_be_read_can_be_abandoned() {
    let sandbox = Sandbox::repository();
    sandbox.write(".claude/state/design-add-login.json", "{torn");
    let archive = documents(&sandbox).abandon(&name("add-login"), now()).unwrap().unwrap();
    assert_eq!(read_archive(&archive).unwrap(), b"{torn");
}

#[test]
fn a_driven_run_is_not_abandoned() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "add-login");
    let lease = documents.lease(&name("add-login")).unwrap();
    assert!(matches!(documents.abandon(&name("add-login"), now()).unwrap_err(), StoreError::Locked { .. }));
    drop(lease);
    assert!(documents.abandon(&name("add-login"), now()).unwrap().is_some());
}

#[test]
fn runs_are_listed_newest_first_and_unreadable_ones_last() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    for (n, feature) in ["old", "middle", "new"].into_iter().enumerate() {
        let at = later(i64::try_from(n).unwrap());
        documents.update_phase(&name(feature), "research", &json!({}), at).unwrap();
    }
    sandbox.write(".claude/state/design-torn.json", "{\"version\": 1, \"phases\": {");
    sandbox.write(".claude/state/loop-state.json", "{}");
    let _lease = documents.lease(&name("middle")).unwrap();
    let rows = documents.list().unwrap();
    let names: Vec<String> = rows.iter().map(|row| row.name.stem()).collect();
    assert_eq!(names, ["design-new", "design-middle", "design-old", "design-torn"]);
    assert!(rows[1].driver.is_some() && rows[0].driver.is_none() && rows[3].overview.is_err());
}

#[test]
fn many_runs_are_all_listed() {
    let sandbox = Sandbox::new();
    for n in 0..1500 {
        sandbox.write(
            &format!(".claude/state/design-feature-{n}.json"),
            format!("{{\"version\":1,\"updated_at\":\"2026-01-01T00:00:{:02}.{:03}Z\"}}", n / 1000, n % 1000),
        );
    }
    let rows = documents(&sandbox).list().unwrap();
    assert_eq!(rows.len(), 1500);
    assert_eq!(rows[0].name.stem(), "design-feature-1499");
}

#[test]
fn a_listing_again_sees_every_change() {
    let sandbox = Sandbox::new();
    let write = |feature: &str, second: u32| {
        let text = format!("{{\"version\":1,\"updated_at\":\"2026-01-01T00:00:{second:02}.000Z\"}}");
        sandbox.write(&format!(".claude/state/design-{feature}.json"), text);
    };
    for (feature, second) in [("a", 1), ("b", 2), ("c", 3)] {
        write(feature, second);
    }
    let listed = || -> Vec<String> {
        let rows = documents(&sandbox).list().unwrap();
        rows.iter().map(|row| row.name.feature().unwrap().to_string()).collect()
    };
    assert_eq!(listed(), ["c", "b", "a"]);
    // Only what has not changed for a moment is believed to be the same.
    std::thread::sleep(std::time::Duration::from_millis(150));
    for _ in 0..2 {
        assert_eq!(listed(), ["c", "b", "a"]);
    }
    // In place, with the same length.
    write("a", 9);
    assert_eq!(listed(), ["a", "c", "b"]);
    write("a", 1);
    assert_eq!(listed(), ["c", "b", "a"]);
    fs_err::remove_file(sandbox.path(".claude/state/design-c.json")).unwrap();
    write("d", 4);
    assert_eq!(listed(), ["d", "b", "a"]);
    sandbox.write(".claude/state/design-b.json", "{torn");
    assert_eq!(listed(), ["d", "a", "b"]);
    let _lease = documents(&sandbox).lease(&name("d")).unwrap();
    assert!(documents(&sandbox).list().unwrap()[0].driver.is_some());
}

#[test]
fn tidying_removes_leftovers_and_archives_what_is_long_done() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "open");
    run(&documents, "done");
    documents.complete(&name("done"), now()).unwrap();
    sandbox.write(".claude/state/.design-open.json.tmp", "{torn");
    sandbox.write(".claude/state/locks/design-gone.lock", "");
    sandbox.write(".claude/state/history/design-gone.jsonl", "");
    let before = files(&sandbox);

    let planned = documents.gc(KEEP, later(31), true).unwrap();
    assert_eq!(files(&sandbox), before, "a dry run changes nothing");
    let done = documents.gc(KEEP, later(31), false).unwrap();
    assert_eq!(done, planned);
    let actions: Vec<&str> = done.iter().map(|tidied| tidied.action).collect();
    assert_eq!(actions, ["archive-completed", "remove-temp", "remove-lock", "remove-history"]);
    assert_eq!(documents.gc(KEEP, later(31), false).unwrap(), []);
    assert!(documents.load(&name("open")).unwrap().is_some());
    assert!(documents.load(&name("done")).unwrap().is_none());
}

#[test]
fn both_locks_of_a_run_without_a_document_are_removed() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    // A driver that was killed before its document had its name.
    sandbox.write(".claude/state/locks/design-torn.lock", "");
    sandbox.write(".claude/state/locks/design-torn.lease", "");
    let planned = documents.gc(KEEP, now(), true).unwrap();
    let done = documents.gc(KEEP, now(), false).unwrap();
    assert_eq!(done, planned);
    assert_eq!(done.len(), 2);
    assert_eq!(documents.gc(KEEP, now(), false).unwrap(), []);
}

#[test]
fn a_deleted_document_is_rebuilt_from_its_history() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "add-login");
    let before = documents.load(&name("add-login")).unwrap().unwrap().document;
    assert!(documents.remains(&name("add-login")).unwrap().is_none(), "it is there");
    assert!(documents.rebuild(&name("add-login"), now()).unwrap().is_none());

    fs_err::remove_file(sandbox.path(".claude/state/design-add-login.json")).unwrap();
    assert_eq!(documents.deleted().unwrap(), [name("add-login")]);
    let rebuilt = documents.rebuild(&name("add-login"), later(1)).unwrap().unwrap();
    assert_eq!(rebuilt.phases, before.phases);
    assert_eq!(documents.load(&name("add-login")).unwrap().unwrap().document, rebuilt);
    assert_eq!(documents.deleted().unwrap(), []);
}

#[test]
fn what_is_left_of_a_deleted_run_is_archived() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "add-login");
    fs_err::remove_file(sandbox.path(".claude/state/design-add-login.json")).unwrap();
    let archive = documents.abandon(&name("add-login"), now()).unwrap().unwrap();
    assert!(archive.to_string_lossy().ends_with(".history.jsonl.zst") && archive.exists(), "{archive:?}");
    assert_eq!(documents.deleted().unwrap(), []);
    assert_eq!(documents.abandon(&name("add-login"), now()).unwrap(), None);
}

#[test]
fn old_archives_are_removed() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    run(&documents, "add-login");
    documents.abandon(&name("add-login"), now()).unwrap();
    let file_age = Now::real(jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * 181));
    assert_eq!(documents.gc(KEEP, file_age, false).unwrap().len(), 2);
    assert_eq!(files(&sandbox), ["/.gitignore"]);
}

#[test]
fn a_run_without_a_feature_has_a_document_too() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let ship = DocumentName::new(Command::Ship, None);
    documents.update_phase(&ship, "commit", &json!({"status": "complete"}), now()).unwrap();
    assert!(sandbox.path(".claude/state/ship-checkpoint.json").exists());
    assert_eq!(documents.list().unwrap()[0].name, ship);
}
