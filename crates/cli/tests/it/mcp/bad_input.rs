//! Input that no host should send, and hosts, runs and repositories that go away.

use super::{answer_to, connect, connect_panel, gate, plain, reach_gate, recommended, start_design};
use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Sandbox;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use charrette_testkit::panel::FEATURE;
use serde_json::{Value, json};

#[test]
fn lines_that_are_no_messages_are_passed_over() {
    let sandbox = Sandbox::repository();
    for revision in [Revision::Session, Revision::Modern] {
        let mut client = connect(&sandbox, McpHost::plain(revision));
        client.send_bytes(b"this is not JSON\n\n{\"jsonrpc\": \n");
        client.send_bytes(b"\xff\xfe\x00broken\n{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}\n");
        let mut long =
            br#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"wait","x":""#.to_vec();
        long.resize(20 << 20, b'x');
        long.extend_from_slice(b"\"}}\n");
        client.send_bytes(&long);
        let listed = client.request("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 8, "{revision:?}");
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn messages_of_a_wrong_shape_are_refused_and_cost_nothing_else() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {"name": 3}}));
    client.send(&json!({"jsonrpc": "2.0", "id": 901, "method": "tools/call"}));
    client.send(&json!([1, 2, 3]));
    client.send(&json!({"jsonrpc": "2.0", "id": 55, "result": {"x": 1}}));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn cancelling_a_call_that_is_over_changes_nothing() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    let id = client.send_request("tools/call", json!({"name": "wait", "arguments": {}}));
    client.response(id);
    for request in [json!(id), json!(4711), json!("x")] {
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}}),
        );
    }
    assert_eq!(client.value("wait", json!({}))["did"], "There is no run in this repository.");
}

#[test]
fn other_calls_are_served_while_an_answer_waits_for_a_lock() {
    let workshop = Workshop::regular();
    let mut client = connect_panel(&workshop, plain());
    let look = reach_gate(&mut client, &workshop);
    let path = workshop.sandbox.path(&format!(".claude/state/locks/design-{FEATURE}.lock"));
    let lock = std::fs::File::options().read(true).write(true).open(path).unwrap();
    lock.lock().unwrap();
    let arguments = answer_to(&look, &recommended(&gate(&look)));
    let answer = client.send_request("tools/call", json!({"name": "answer", "arguments": arguments}));
    let asked = std::time::Instant::now();
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    // The lock of a document is waited for half a minute.
    assert!(asked.elapsed() < std::time::Duration::from_secs(10), "{:?}", asked.elapsed());
    lock.unlock().unwrap();
    let answered = client.response(answer);
    assert_ne!(answered["result"]["isError"], true, "{answered}");
}

#[test]
fn a_repository_that_disappears_is_an_error_of_the_call() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    client.value("wait", json!({}));
    fs_err::remove_dir_all(sandbox.work()).unwrap();
    for (tool, arguments) in [
        ("wait", json!({})),
        ("start", json!({"command": "research", "request": "how it works"})),
        ("survey", json!({"request": "how it works"})),
    ] {
        let said = client.refusal(tool, arguments);
        assert!(said.contains("cannot resolve the current folder"), "{tool}: {said}");
    }
    assert_eq!(client.close(), Some(0));
}

#[test]
fn outside_a_repository_nothing_is_started() {
    let sandbox = Sandbox::new();
    let mut client = connect(&sandbox, plain());
    let said = client.refusal("start", json!({"command": "research", "request": "how it works"}));
    assert!(said.contains("is not in a git repository"), "{said}");
}

#[test]
fn two_servers_share_the_runs_of_a_repository() {
    let workshop = Workshop::brief();
    let mut one = connect_panel(&workshop, plain());
    let mut two = connect_panel(&workshop, McpHost::plain(Revision::Modern));
    let request =
        json!({"command": "design", "request": charrette_testkit::panel::REQUEST, "feature": FEATURE});
    let ids = [
        one.send_request("tools/call", json!({"name": "start", "arguments": request})),
        two.send_request("tools/call", json!({"name": "start", "arguments": request})),
    ];
    let (first, second) = (one.response(ids[0]), two.response(ids[1]));
    let runs =
        [&first, &second].map(|response| response["result"]["structuredContent"]["run"]["run"].clone());
    assert!(runs[0].is_string() && runs[0] == runs[1], "one run: {first} {second}");
    let look = two.settle(FEATURE);
    let look_of_one = one.settle(FEATURE);
    assert_eq!(look["gates"], look_of_one["gates"]);
    // The same answer from both: the second one comes late.
    let answers = answer_to(&look, &recommended(&gate(&look)));
    one.value("answer", answers.clone());
    let late = two.call("answer", answers);
    assert_eq!(late["isError"], true, "{late}");
    assert!(!workshop.sandbox.path(".claude/state/archive").exists(), "nothing is archived");
}

#[test]
fn a_run_outlives_its_host_and_another_session_finds_it() {
    let workshop = Workshop::brief();
    let mut first = connect_panel(&workshop, plain());
    start_design(&mut first);
    first.kill();
    let mut second = connect_panel(&workshop, plain());
    let look = second.settle(FEATURE);
    assert_eq!(look["state"], "waiting", "{look}");
}

#[test]
fn a_driver_that_is_killed_ends_the_wait() {
    let workshop = Workshop::brief();
    workshop.set_part("clarifier", &json!({"says": "clarifier.txt", "shell": "sleep 30"}));
    let mut client = connect_panel(&workshop, plain());
    start_design(&mut client);
    let driver = loop {
        let status = workshop.run(BINARY, ["status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        if let Some(pid) = status["runs"][0]["driver"]["pid"].as_u64() {
            break pid;
        }
    };
    let id = client.send_request(
        "tools/call",
        json!({"name": "wait", "arguments": {"feature": FEATURE, "seconds": 50}}),
    );
    let killed = std::process::Command::new("kill").args(["-9", &driver.to_string()]).status().unwrap();
    assert!(killed.success());
    let mut look = client.response(id)["result"]["structuredContent"]["run"].clone();
    // News before the kill ends a wait as well.
    while look["state"] == "working" {
        look = client.value("wait", json!({"feature": FEATURE, "since": look["mark"]}))["run"].clone();
    }
    assert_eq!(look["state"], "ready", "{look}");
    assert_eq!(look["at_work"], json!([]), "a step of a dead driver is not at work: {look}");
}

#[test]
fn answers_for_an_older_round_or_another_page_are_refused_with_the_new_one() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    let look = reach_gate(&mut client, &workshop);
    let before = workshop.document();
    let shown = gate(&look)["shown"].as_str().unwrap().to_owned();
    for outdated in
        ["0-0000000000000000".to_owned(), shown.replacen("1-", "2-", 1), String::new(), "x".repeat(9_000)]
    {
        let mut arguments = answer_to(&look, &recommended(&gate(&look)));
        arguments["shown"] = outdated.into();
        let said = client.refusal("answer", arguments);
        assert!(said.contains("has changed since it was shown"), "{said}");
        assert!(said.contains(&shown), "the new page is told: {said}");
    }
    let mut arguments = answer_to(&look, &json!({"nothing": "x"}));
    assert!(client.refusal("answer", arguments.clone()).contains("nothing is not an open question"));
    arguments["gate"] = "no-gate".into();
    assert!(client.refusal("answer", arguments).contains("has not reached a gate called 'no-gate'"));
    assert_eq!(workshop.document(), before, "nothing was recorded");
}

#[test]
fn client_names_are_cleaned_and_cut_on_record() {
    let workshop = Workshop::brief();
    let host = McpHost {
        name: format!("evil\u{1b}[31m\n{}", "x".repeat(500)),
        version: "1\r\n\u{7}".to_owned(),
        ..plain()
    };
    let mut client: McpClient = connect_panel(&workshop, host);
    let look = reach_gate(&mut client, &workshop);
    client.value("answer", answer_to(&look, &recommended(&gate(&look))));
    let name = gate(&look)["gate"].as_str().unwrap().to_owned();
    let record = workshop.document()["gates"][&name].clone();
    let via = record["via"].as_object().unwrap().values().next().unwrap().clone();
    assert_eq!(via["through"], "mcp");
    assert_eq!(via["version"], "1");
    let client = via["client"].as_str().unwrap();
    assert!(client.starts_with("evil[31mxxx") && client.chars().count() == 64, "{client}");
    assert_eq!(record["by"], "agent");
}
