//! Many processes at once: everything that was acknowledged is there.

use crate::{BINARY, DOCUMENT, DOCUMENT_ARGS, checkpoint};
use charrette_testkit::{Output, Sandbox};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

#[test]
fn sixteen_processes_fifty_updates_each_none_lost() {
    let sandbox = Sandbox::repository();
    let (writers, updates) = (16, 50);
    let (acknowledged, polls, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    assert_eq!(checkpoint(&sandbox, &["update-phase", "phase-1"], "{}").stdout, "true\n");
    let write = |writer: usize| {
        for n in 0..updates {
            let mut command = sandbox.command(BINARY);
            command
                .args(["checkpoint", "update-phase", "phase-1"])
                .args(DOCUMENT_ARGS)
                .env_remove("CHARRETTE_NOW");
            let data = format!("{{\"tasks\": {{\"T{writer}-{n}\": {{\"status\": \"complete\"}}}}}}");
            let output = Output::capture(command, data.as_bytes());
            assert_eq!(output.stdout, "true\n", "{}", output.stderr);
            acknowledged.fetch_add(1, Ordering::SeqCst);
        }
    };
    let write = &write;
    thread::scope(|scope| {
        let writers: Vec<_> = (0..writers).map(|n| scope.spawn(move || write(n))).collect();
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                let text = sandbox.read(DOCUMENT);
                let document: serde_json::Value =
                    serde_json::from_str(&text).expect("a whole document at any moment");
                assert_eq!(document["version"], 1);
                polls.fetch_add(1, Ordering::SeqCst);
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    let document = checkpoint(&sandbox, &["load"], "").json();
    let present = document["phases"]["phase-1"]["tasks"].as_object().unwrap().len();
    assert_eq!((acknowledged.load(Ordering::SeqCst), present), (800, 800));
    assert!(polls.load(Ordering::SeqCst) > 100, "the reader was there all the time");
    let history = checkpoint(&sandbox, &["history"], "").json();
    assert_eq!(history.as_array().unwrap().len(), 801);
}

#[test]
fn a_driven_run_is_listed_and_cannot_be_abandoned() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], "{}");
    let lease = sandbox.path(".claude/state/locks/design-add-login.lease");
    std::fs::write(
        &lease,
        "{\"pid\": 4242, \"since\": \"2026-11-15T11:00:00Z\", \"command\": \"charrette design\"}",
    )
    .unwrap();
    assert_eq!(
        crate::charrette(&sandbox, &["status", "--json"]).json()["runs"][0]["driver"],
        serde_json::Value::Null
    );

    let driver = std::fs::File::open(&lease).unwrap();
    driver.lock().unwrap();
    assert_eq!(crate::charrette(&sandbox, &["status", "--json"]).json()["runs"][0]["driver"]["pid"], 4242);
    let refused = crate::charrette(&sandbox, &["abandon", "add-login"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("is being driven by process 4242 (charrette design), since 2026-11-15T11:00:00Z"),
        "{}",
        refused.stderr
    );
    assert!(sandbox.path(DOCUMENT).exists());

    drop(driver);
    assert_eq!(crate::charrette(&sandbox, &["abandon", "add-login"]).code, Some(0));
}
