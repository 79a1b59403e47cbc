//! Two processes that both believe to be alone with a run: a driver that loses its lease, and a driver that starts while somebody
//! changes the document.

use crate::BINARY;
use crate::workshop::{FAKE_AGENT, Workshop, tree};
use charrette_testkit::Output;
use charrette_testkit::panel::{Panel, SeatFault, parcels};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TOPIC: &str = "how parcels are announced";
const NAME: &str = "how-parcels-are-announced";
const DOCUMENT: &str = ".claude/state/research-how-parcels-are-announced.json";
const NOTES: &str = "## Findings\n\nIt is announced in `parcels/routes.py:1`.\n\n## Code references\n\n- `parcels/routes.py:1`: the routes\n\n## Recommendations\n\nNone\n\n## Open questions\n\nNone\n";

/// Agents that research the topic.
fn researchers() -> Workshop {
    let workshop = Workshop::with_panel(Panel::with_sandbox(parcels(), &*FAKE_AGENT));
    let research = workshop.answer_text("research/requirements");
    for side in ["structure", "behaviour", "history"] {
        workshop.set_answer(&format!("research/{side}"), &research);
    }
    workshop.set_answer("topic-synthesist", NOTES);
    workshop
}

fn document(workshop: &Workshop) -> Value {
    serde_json::from_str(&workshop.sandbox.read(DOCUMENT)).unwrap()
}

/// Document and files of the run, but for logs and ledgers, to which every process appends what it did and paid.
fn files(workshop: &Workshop) -> BTreeMap<String, Vec<u8>> {
    let workspace = document(workshop)["run"]["workspace"].as_str().unwrap().to_owned();
    let mut files = tree(&workshop.sandbox.path(&workspace));
    files.retain(|name, _| [".jsonl", ".log", ".tsv"].iter().all(|end| !name.ends_with(end)));
    files.insert("document".to_owned(), workshop.sandbox.read(DOCUMENT).into_bytes());
    files
}

fn drive(workshop: &Workshop, args: &[&str]) -> JoinHandle<Output> {
    let command = workshop.command(BINARY, args);
    std::thread::spawn(move || Output::capture(command, b""))
}

fn wait_for(path: &Path) {
    wait_until(|| path.exists(), &path.display().to_string());
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < until, "{what} does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_driver_that_lost_its_lease_changes_nothing_any_more() {
    let workshop = researchers();
    let outside = |name: &str| -> PathBuf { workshop.sandbox.outside(name) };
    let (first, second) = (outside("first"), outside("second"));
    let [begun, goes_on] = ["begun", "goes-on"].map(|what| move |driver: &Path| driver.with_extension(what));
    let wait = |driver: &Path| {
        let (begun, goes_on) = (begun(driver), goes_on(driver));
        format!("touch {}; until [ -e {} ]; do sleep 0.1; done", begun.display(), goes_on.display())
    };
    let script = format!("if mkdir {}; then {}; else {}; fi", first.display(), wait(&first), wait(&second));
    workshop.set_part("topic-synthesist", &json!({"says": "topic-synthesist.txt", "shell": script}));

    let loser = drive(&workshop, &["research", TOPIC]);
    wait_for(&begun(&first));
    std::fs::remove_dir_all(workshop.sandbox.path(".claude/state/locks")).unwrap();
    let winner = drive(&workshop, &["resume", NAME]);
    wait_for(&begun(&second));
    let before = files(&workshop);

    std::fs::write(goes_on(&first), "").unwrap();
    let lost = loser.join().unwrap();
    assert_eq!(lost.code, Some(1), "{lost:?}");
    assert!(lost.stderr.contains("so this process stops and records nothing more"), "{lost:?}");
    let after = files(&workshop);
    let changed: Vec<&String> =
        before.keys().chain(after.keys()).filter(|name| before.get(*name) != after.get(*name)).collect();
    assert_eq!(changed, [""; 0], "{lost:?}");

    std::fs::write(goes_on(&second), "").unwrap();
    let won = winner.join().unwrap();
    assert_eq!(won.code, Some(0), "{won:?}");
    assert!(!won.stdout.contains("by another process"), "{won:?}");
}

#[test]
fn a_change_that_was_under_way_when_a_driver_started_is_kept() {
    let workshop = researchers();
    workshop.set_fault("topic-synthesist", SeatFault::Fails);
    assert_eq!(workshop.run(BINARY, ["research", TOPIC]).code, Some(3));
    workshop.set_answer("topic-synthesist", NOTES);

    // As a process has it that found the run free and is about to write.
    let lock = workshop.sandbox.path(&format!(".claude/state/locks/research-{NAME}.lock"));
    let lock = std::fs::File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let mut document_before = document(&workshop);
    let driver = drive(&workshop, &["resume", NAME]);
    let lease = workshop.sandbox.path(&format!(".claude/state/locks/research-{NAME}.lease"));
    let lease = std::fs::File::open(lease).unwrap();
    wait_until(|| lease.try_lock_shared().is_err() || lease.unlock().is_err(), "the driver");
    // A driver that reads now reads too early.
    std::thread::sleep(Duration::from_millis(300));
    document_before["phases"]["discovery"]["remark"] = json!("as the script found it");
    std::fs::write(workshop.sandbox.path(DOCUMENT), document_before.to_string()).unwrap();
    lock.unlock().unwrap();

    let output = driver.join().unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stdout.contains("by another process"), "{output:?}");
    assert_eq!(document(&workshop)["phases"]["discovery"]["remark"], "as the script found it");
}
