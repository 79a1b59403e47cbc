//! A server below an agent of ours looks and reads; it starts, answers, resumes and stops nothing.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::FEATURE;
use charrette_testkit::{Output, Sandbox};
use serde_json::{Value, json};

/// Messages of a session with one call of each tool.
fn conversation() -> String {
    let call = |id: u64, tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "seat", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "start", json!({"command": "research", "request": "how to take over"})),
        call(2, "resume", json!({"feature": FEATURE})),
        call(3, "stop", json!({"feature": FEATURE})),
        call(
            4,
            "answer",
            json!({"feature": FEATURE, "gate": "pre-design", "shown": "1-x", "answers": {"scope": "x"}}),
        ),
        call(5, "wait", json!({"feature": FEATURE, "seconds": 0})),
        call(6, "read", json!({"feature": FEATURE})),
    ];
    messages.map(|message| format!("{message}\n")).concat()
}

/// Lets an agent of a seat run a server in that environment, and returns the server's replies by id.
fn replies_in_a_seat(environment: &str) -> Vec<Value> {
    let workshop = Workshop::brief();
    let folder = workshop.sandbox.outside("conversation");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("in"), conversation()).unwrap();
    let (input, output) = (folder.join("in"), folder.join("out"));
    let root = workshop.sandbox.work();
    // The input stays open until everything is answered.
    let script = format!(
        "cd {} && (cat {}; sleep 5) | {environment} {BINARY} mcp > {} 2>/dev/null",
        root.display(),
        input.display(),
        output.display()
    );
    workshop.set_part("aggregator", &json!({"says": "aggregator.txt", "shell": script}));
    workshop.start(&["--phase", "research"]);
    let text = fs_err::read_to_string(&output).expect("the server ran in the seat");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check_replies(replies: &[Value]) {
    let by_id = |id: u64| {
        let found = replies.iter().find(|reply| reply["id"] == id);
        found.unwrap_or_else(|| panic!("no reply {id}: {replies:?}"))["result"].clone()
    };
    for id in 1..=4 {
        let said = by_id(id);
        assert_eq!(said["isError"], true, "{said}");
        assert!(said["content"][0]["text"].as_str().unwrap().contains("an agent cannot"), "{said}");
    }
    assert_eq!(by_id(5)["structuredContent"]["run"]["state"], "working");
    assert!(!by_id(6)["structuredContent"]["files"].as_array().unwrap().is_empty());
}

#[test]
fn a_server_in_a_seat_only_reads() {
    check_replies(&replies_in_a_seat(""));
}

#[test]
fn an_emptied_environment_hides_no_seat() {
    check_replies(&replies_in_a_seat("env -i"));
    check_replies(&replies_in_a_seat("setsid env -i"));
}

/// The driver is outside the sandbox of its agents, where its program cannot be looked up. Here the test is the driver.
#[test]
#[cfg(target_os = "linux")]
fn a_sandbox_around_the_server_hides_no_seat() {
    use charrette_sandbox::Protection;
    if !Protection::of_this_system(None).is_full() {
        return;
    }
    let sandbox = Sandbox::repository();
    let mut command = sandbox.command(format!("{BINARY}-hook"));
    command.args(["box", "--write"]).arg(sandbox.work()).args(["--", "env", "-i", BINARY, "mcp"]);
    let said = Output::capture(command, conversation().as_bytes());
    let replies = said.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let start = replies.into_iter().find(|reply| reply["id"] == 1).unwrap_or_else(|| panic!("{said:?}"));
    assert_eq!(start["result"]["isError"], true, "{start}");
    let text = start["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("it may work for an agent"), "{text}");
    assert!(!sandbox.path(".claude/state").exists());
}
