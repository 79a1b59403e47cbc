//! What hosts use besides the server: news of runs, and the plug-in.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::FEATURE;
use charrette_testkit::{Output, Sandbox};
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// `charrette watch` in the background, with its lines as they come.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    fn start(workshop: &Workshop, words: &[&str]) -> Watcher {
        let mut command = workshop.command(BINARY, words);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        // Its first look must come before the run.
        std::thread::sleep(Duration::from_secs(1));
        Watcher { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_mins(1)).expect("a line")
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_waiting_gate_and_the_end_of_a_run_are_one_line_each() {
    let workshop = Workshop::brief();
    let watcher = Watcher::start(&workshop, &["watch", "--lines"]);
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.start(&[]).code, Some(3));
    assert_eq!(
        watcher.next(),
        format!("design {FEATURE} waits for a person at post-design: charrette answer {FEATURE}")
    );
    workshop.write_gate_answers(&answers);
    assert_eq!(workshop.resume(&[]).code, Some(0));
    assert_eq!(watcher.next(), format!("design {FEATURE} is complete, approved: charrette log {FEATURE}"));
    assert!(watcher.lines.recv_timeout(Duration::from_secs(2)).is_err(), "nothing else is news");
}

#[test]
fn a_run_without_its_driver_is_news() {
    let workshop = Workshop::brief();
    workshop.set_part("planner", &serde_json::json!({"hang": true, "sleep_ms": 600_000}));
    let watcher = Watcher::start(&workshop, &["watch", "--json"]);
    let answers = workshop.answers();
    let mut run = workshop
        .command(
            BINARY,
            ["design", charrette_testkit::panel::REQUEST, "--answers", answers.to_str().unwrap()],
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !workshop.calls().iter().any(|call| call.starts_with("planner")) {
        std::thread::sleep(Duration::from_millis(50));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let mut news = Value::Null;
    while news["kind"] != "stopped" {
        // Gates that were answered at once may have been seen.
        news = serde_json::from_str(&watcher.next()).unwrap();
    }
    assert_eq!((news["kind"].as_str(), news["feature"].as_str()), (Some("stopped"), Some(FEATURE)));
    assert_eq!(
        news["text"].as_str().unwrap(),
        format!("design {FEATURE} is not driven any more; resume it: charrette resume {FEATURE}")
    );
    // The agents of the killed run are ended by the next start.
    assert_eq!(workshop.run(BINARY, ["doctor"]).code, Some(0));
    assert_eq!(workshop.run(BINARY, ["abandon", FEATURE]).code, Some(0));
}

#[test]
fn the_plugin_is_written_once_and_passes_its_own_check() {
    let sandbox = Sandbox::repository();
    let run = |words: &[&str]| sandbox.run(BINARY, words, b"");
    let first = run(&["plugin", "dir"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let folder = std::path::PathBuf::from(first.stdout.trim());
    assert!(folder.is_absolute() && folder.join("skills/design/SKILL.md").is_file());
    let checked = run(&["plugin", "validate"]);
    assert_eq!((checked.code, checked.stdout.contains("no problems")), (Some(0), true), "{checked:?}");
    // A file that was changed is put right again; a foreign folder is checked as it is.
    std::fs::write(folder.join(".mcp.json"), "{}").unwrap();
    let broken = run(&["plugin", "validate", folder.to_str().unwrap()]);
    assert_eq!(broken.code, Some(1));
    assert!(broken.stdout.contains(".mcp.json: the command of the server"), "{broken:?}");
    assert_eq!(run(&["plugin", "validate"]).code, Some(0));
}

#[test]
fn hooks_of_the_plugin_block_nothing_where_the_program_is_missing() {
    let sandbox = Sandbox::repository();
    let folder = sandbox.run(BINARY, ["plugin", "dir"], b"").stdout.trim().to_owned();
    let hooks: Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{folder}/hooks/hooks.json")).unwrap())
            .unwrap();
    let mut said = String::new();
    for (_, groups) in hooks["hooks"].as_object().unwrap() {
        for handler in groups.as_array().unwrap().iter().flat_map(|group| group["hooks"].as_array().unwrap())
        {
            let mut command = sandbox.command("/bin/sh");
            command.args(["-c", handler["command"].as_str().unwrap()]).env("PATH", "/usr/bin:/bin");
            let output = Output::capture(command, b"{}");
            assert_eq!(output.code, Some(0), "{handler}: {output:?}");
            said.push_str(&output.stdout);
        }
    }
    let context: Value = serde_json::from_str(&said).unwrap();
    let text = context["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("not on PATH") && text.contains("cargo install"), "{text}");
}

#[test]
fn an_older_program_tells_the_session() {
    let sandbox = Sandbox::repository();
    let newer = sandbox.run(BINARY, ["plugin", "session", "--plugin", "99.0.0"], b"");
    assert!(newer.stdout.contains("update the program"), "{newer:?}");
    let same = sandbox.run(BINARY, ["plugin", "session", "--plugin", env!("CARGO_PKG_VERSION")], b"");
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), ""));
}
