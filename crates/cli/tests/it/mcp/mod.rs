//! `charrette mcp` over standard input and output, with a small client of our own in both revisions.

mod bad_input;
mod forms;
mod guards;
mod hosts;
mod implementations;
mod protocol;
mod seats;
mod walks;

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Sandbox;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::{Value, json};

/// A client with a server in a sandbox without any agent.
fn connect(sandbox: &Sandbox, host: McpHost) -> McpClient {
    let mut server = sandbox.command(BINARY);
    server.arg("mcp").env("PATH", "/usr/bin:/bin");
    McpClient::start(server, host)
}

/// A client with a server beside a scripted panel.
fn connect_panel(workshop: &Workshop, host: McpHost) -> McpClient {
    McpClient::start(workshop.command(BINARY, ["mcp"]), host)
}

/// A host without forms and tasks, in a session.
fn plain() -> McpHost {
    McpHost::plain(Revision::Session)
}

/// Starts the standard design through the server.
fn start_design(client: &mut McpClient) -> Value {
    client.call("start", json!({"command": "design", "request": REQUEST, "feature": FEATURE}))
}

/// Starts a design and waits until it asks something.
fn reach_gate(client: &mut McpClient, workshop: &Workshop) -> Value {
    start_design(client);
    let look = client.settle(FEATURE);
    assert_eq!(look["state"], "waiting", "{look} {}", workshop.document());
    look
}

/// The first open gate of a look.
fn gate(look: &Value) -> Value {
    look["gates"][0].clone()
}

/// Arguments of `answer` for the first gate of a look.
fn answer_to(look: &Value, answers: &Value) -> Value {
    let gate = gate(look);
    json!({"feature": look["feature"], "gate": gate["gate"], "shown": gate["shown"], "answers": answers})
}

/// Recommended answers to the questions of a gate that are no approvals.
fn recommended(gate: &Value) -> Value {
    let questions = gate["questions"].as_array().unwrap();
    let others = questions.iter().filter(|question| question["approval"] != true);
    let answer = |question: &Value| {
        let recommended = question["recommended"].as_str().unwrap_or("as you think best");
        (question["key"].as_str().unwrap().to_owned(), Value::from(recommended))
    };
    Value::Object(others.map(answer).collect())
}

/// Answers every gate as recommended, as a model would, until only an approval is open or the run does not wait any more.
fn answer_until_approval(client: &mut McpClient, feature: &str) -> Value {
    loop {
        let look = client.settle(feature);
        if look["state"] != "waiting" {
            return look;
        }
        let answers = recommended(&gate(&look));
        if answers.as_object().unwrap().is_empty() {
            return look;
        }
        client.value("answer", answer_to(&look, &answers));
    }
}
