//! The history: every change can be rebuilt, whatever happened to the files.

use crate::{documents, name, now};
use charrette_model::checkpoint::Checkpoint;
use charrette_store::{Documents, history};
use charrette_testkit::Sandbox;
use serde_json::{Value, json};

const HISTORY: &str = ".claude/state/history/design-add-login.jsonl";
const DOCUMENT: &str = ".claude/state/design-add-login.json";

fn update(documents: &Documents, n: usize) -> Checkpoint {
    let status = ["in_progress", "complete", "failed"][n % 3];
    let data =
        json!({"status": status, "files_created": [format!("file-{n}.md")], "odd": {"n": n, "null": null}});
    documents.update_phase(&name("add-login"), &format!("phase-{}", n % 4), &data, now()).unwrap().document
}

/// The document after the last change, rebuilt.
fn rebuilt(sandbox: &Sandbox) -> Checkpoint {
    let (entries, _) = history::read(&sandbox.path(HISTORY)).unwrap();
    document(history::rebuild(&entries, entries.len()).unwrap())
}

fn document(value: Value) -> Checkpoint {
    serde_json::from_value(value).unwrap()
}

/// As the history keeps it: null members equal absent ones.
fn without_odd_nulls(document: &Checkpoint) -> Value {
    charrette_model::merge_patch::without_nulls(serde_json::to_value(document).unwrap())
}

#[test]
fn every_version_can_be_rebuilt() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let versions: Vec<Checkpoint> = (0..20).map(|n| update(&documents, n)).collect();
    let (entries, unreadable) = history::read(&sandbox.path(HISTORY)).unwrap();
    assert_eq!((entries.len(), unreadable), (20, 0));
    for (n, version) in versions.iter().enumerate() {
        assert_eq!(history::rebuild(&entries, n + 1).unwrap(), without_odd_nulls(version), "version {n}");
    }
    assert!(entries[0].whole.is_some() && entries[1..].iter().all(|entry| entry.patch.is_some()));
    assert_eq!(history::rebuild(&entries, 21), None);
}

#[test]
fn a_lost_line_an_edit_and_a_torn_line_are_healed() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    (0..3).for_each(|n| drop(update(&documents, n)));

    let text = sandbox.read(HISTORY);
    let without_last = &text[..=text.trim_end().rfind('\n').unwrap()];
    sandbox.write(HISTORY, without_last);
    let after = update(&documents, 3);
    assert_eq!(without_odd_nulls(&rebuilt(&sandbox)), without_odd_nulls(&after), "a lost line");

    sandbox.write(DOCUMENT, sandbox.read(DOCUMENT).replace("file-3.md", "edited.md"));
    let after = update(&documents, 4);
    assert_eq!(without_odd_nulls(&rebuilt(&sandbox)), without_odd_nulls(&after), "an edit by hand");

    let text = sandbox.read(HISTORY);
    sandbox.write(HISTORY, &text[..text.len() - 30]);
    let after = update(&documents, 5);
    assert_eq!(without_odd_nulls(&rebuilt(&sandbox)), without_odd_nulls(&after), "a torn line");
    assert_eq!(history::read(&sandbox.path(HISTORY)).unwrap().1, 1);

    fs_err::remove_file(sandbox.path(HISTORY)).unwrap();
    let after = update(&documents, 6);
    assert_eq!(without_odd_nulls(&rebuilt(&sandbox)), without_odd_nulls(&after), "no history at all");
}

#[test]
fn a_long_history_is_put_aside_and_two_are_kept() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    update(&documents, 0);
    for n in 1..=4 {
        let mut text = sandbox.read(HISTORY);
        text.extend(["{\"filler\": \"", &"x".repeat(4 << 20), "\"}\n"]);
        sandbox.write(HISTORY, text);
        let after = update(&documents, n);
        assert_eq!(without_odd_nulls(&rebuilt(&sandbox)), without_odd_nulls(&after));
    }
    assert_eq!(history::files(&sandbox.path(HISTORY)).len(), 3);
    assert!(sandbox.path(HISTORY).metadata().unwrap().len() < 1 << 20);
}

#[test]
fn a_history_that_cannot_be_written_stops_nobody() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    fs_err::create_dir_all(sandbox.path(HISTORY)).unwrap();
    let changed = documents.update_phase(&name("add-login"), "research", &json!({}), now()).unwrap();
    assert!(changed.history_error.is_some());
    assert!(sandbox.path(DOCUMENT).exists());
}
