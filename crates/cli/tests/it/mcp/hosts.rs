//! What hosts bring along: their roots, their progress tokens, and the folder that they start the server in.

use super::plain;
use crate::BINARY;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use charrette_testkit::panel::parcels;
use serde_json::json;

#[test]
fn the_repository_is_the_first_root_that_is_one() {
    let sandbox = parcels();
    let mut server = sandbox.command(BINARY);
    server.arg("mcp").current_dir(sandbox.home());
    let host = McpHost { capabilities: json!({"roots": {"listChanged": true}}), ..plain() };
    let mut client = McpClient::start(server, host);
    let roots =
        [format!("file://{}", sandbox.home().display()), format!("file://{}", sandbox.work().display())];
    client.reply_with(move |request| {
        assert_eq!(request["method"], "roots/list");
        json!({"roots": roots.iter().map(|uri| json!({"uri": uri})).collect::<Vec<_>>()})
    });
    let started = client.value(
        "start",
        json!({"command": "research", "request": "how parcels are announced", "feature": "p"}),
    );
    assert_eq!(started["run"]["feature"], "p", "{started}");
    assert!(sandbox.path(".claude/state/research-p.json").is_file());
}

#[test]
fn a_given_folder_wins_over_roots() {
    let (sandbox, other) = (parcels(), parcels());
    let mut server = sandbox.command(BINARY);
    server.arg("-C").arg(sandbox.work()).arg("mcp").current_dir(sandbox.home());
    let host = McpHost { capabilities: json!({"roots": {}}), ..plain() };
    let mut client = McpClient::start(server, host);
    let uri = format!("file://{}", other.work().display());
    client.reply_with(move |_| json!({"roots": [{"uri": uri.clone()}]}));
    client.value(
        "start",
        json!({"command": "research", "request": "how parcels are announced", "feature": "p"}),
    );
    assert!(sandbox.path(".claude/state/research-p.json").is_file());
    assert!(!other.path(".claude/state").exists());
}

#[test]
fn a_wait_tells_the_host_that_it_is_alive() {
    let workshop = crate::workshop::Workshop::brief();
    workshop.set_part("aggregator", &json!({"says": "aggregator.txt", "shell": "sleep 9"}));
    let mut client = super::connect_panel(&workshop, McpHost::plain(Revision::Session));
    super::start_design(&mut client);
    let arguments = json!({"feature": charrette_testkit::panel::FEATURE, "seconds": 50});
    let params = json!({"name": "wait", "arguments": arguments, "_meta": {"progressToken": "news"}});
    client.request("tools/call", params);
    let told = client.notifications.iter().filter(|told| told["method"] == "notifications/progress");
    let told: Vec<_> = told.collect();
    assert!(!told.is_empty(), "no progress in nine seconds");
    for progress in told {
        assert_eq!(progress["params"]["progressToken"], "news");
        assert!(progress["params"]["message"].as_str().unwrap().contains("working"), "{progress}");
    }
}
