//! kill -9 at random moments: the document is whole, and what was acknowledged is there.
//!
//! This is a sample; `cargo xtask crash` kills at every single system call.

use crate::{BINARY, DOCUMENT, DOCUMENT_ARGS, checkpoint};
use charrette_testkit::Sandbox;
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn random_kills_tear_nothing_and_lose_nothing() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "phase-1"], "{}");
    let mut acknowledged = Vec::new();
    for n in 0..60_u64 {
        let task = format!("T{n}");
        let mut child = sandbox
            .command(BINARY)
            .args(["checkpoint", "update-phase", "phase-1"])
            .args(DOCUMENT_ARGS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let data = format!("{{\"tasks\": {{\"{task}\": {{\"status\": \"complete\"}}}}}}");
        child.stdin.take().unwrap().write_all(data.as_bytes()).unwrap();
        // Spread over the few milliseconds such a call takes.
        std::thread::sleep(Duration::from_micros(n * 7919 % 12_000));
        child.kill().unwrap();
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        if said == "true\n" {
            acknowledged.push(task);
        }
        let document: serde_json::Value =
            serde_json::from_str(&sandbox.read(DOCUMENT)).expect("a whole document");
        for task in &acknowledged {
            assert!(document["phases"]["phase-1"]["tasks"].get(task).is_some(), "{task} was acknowledged");
        }
    }
    assert_eq!(checkpoint(&sandbox, &["update-phase", "phase-1"], "{}").stdout, "true\n");
    assert!(!sandbox.path(".claude/state/.design-add-login.json.tmp").exists());
}
