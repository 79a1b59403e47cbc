//! Gates as forms outside of tasks: a request of the server in a session, a second round in the modern revision.

use super::{answer_until_approval, connect_panel, gate, reach_gate};
use crate::workshop::Workshop;
use charrette_testkit::mcp_client::{McpHost, Revision};
use charrette_testkit::panel::FEATURE;
use serde_json::{Value, json};

fn form_call(look: &Value) -> Value {
    let gate = gate(look);
    json!({"feature": look["feature"], "gate": gate["gate"], "shown": gate["shown"]})
}

#[test]
fn in_a_session_the_host_shows_the_form_during_the_call() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_forms(Revision::Session));
    let look = answer_until_approval_with_forms(&mut client, &workshop);
    for dismissed in ["decline", "cancel"] {
        client.reply_with(move |_| json!({"action": dismissed}));
        let said = client.refusal("answer", form_call(&look));
        assert!(said.contains("closed without an answer"), "{said}");
        assert_eq!(workshop.gate("post-design"), "pending");
    }
    client.reply_with(|_| json!({"action": "accept", "content": {"approval": "perhaps"}}));
    let said = client.refusal("answer", form_call(&look));
    assert!(said.contains("approval takes one of: yes, no, revise"), "{said}");
    assert_eq!(workshop.gate("post-design"), "pending");
    client.reply_with(|request| {
        assert_eq!(request["method"], "elicitation/create");
        assert!(request["params"]["message"].as_str().unwrap().contains("post-design asks"));
        json!({"action": "accept", "content": {"approval": "yes"}})
    });
    let done = client.value("answer", form_call(&look));
    assert!(done["did"].as_str().unwrap().contains("post-design is approved"), "{done}");
    assert_eq!(client.settle(FEATURE)["state"], "complete");
    let record = &workshop.document()["gates"]["post-design"];
    assert_eq!(record["via"]["approval"]["client"], "test-host");
    assert_ne!(record["by"], "agent");
}

/// The model hands in the answers to the questions; only the approval is left.
fn answer_until_approval_with_forms(
    client: &mut charrette_testkit::mcp_client::McpClient,
    workshop: &Workshop,
) -> Value {
    reach_gate(client, workshop);
    answer_until_approval(client, FEATURE)
}

#[test]
fn in_the_modern_revision_the_call_is_repeated_with_the_reply() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_forms(Revision::Modern));
    let look = answer_until_approval_with_forms(&mut client, &workshop);
    let first = client.call("answer", form_call(&look));
    assert_eq!(first["resultType"], "input_required", "{first}");
    let key = first["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut repeated = |response: Value| {
        let params = json!({"name": "answer", "arguments": form_call(&look), "inputResponses": {key.clone(): response}});
        client.request("tools/call", params)["result"].clone()
    };
    assert_eq!(repeated(json!({"action": "cancel"}))["isError"], true);
    assert_eq!(workshop.gate("post-design"), "pending");
    let done = repeated(json!({"action": "accept", "content": {"approval": "yes", "feedback": ""}}));
    assert!(done["structuredContent"]["did"].as_str().unwrap().contains("approved"), "{done}");
    // The same reply once more comes late.
    let late = repeated(json!({"action": "accept", "content": {"approval": "no"}}));
    assert_eq!(late["isError"], true, "{late}");
    assert_eq!(workshop.gate("post-design"), "approved");
}

#[test]
fn a_host_without_forms_is_told_the_command() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, super::plain());
    let look = reach_gate(&mut client, &workshop);
    let said = client.refusal("answer", form_call(&look));
    assert!(
        said.contains("cannot show a form") && said.contains(&format!("charrette resume {FEATURE}")),
        "{said}"
    );
}

#[test]
fn a_user_may_let_the_model_approve() {
    let workshop = Workshop::brief();
    workshop.write_settings("[policy]\napprove_via_mcp = \"allow\"\n");
    let mut client = connect_panel(&workshop, super::plain());
    let look = answer_until_approval_with_forms(&mut client, &workshop);
    client.value("answer", super::answer_to(&look, &json!({"approval": "yes"})));
    assert_eq!(client.settle(FEATURE)["state"], "complete");
    let record = &workshop.document()["gates"]["post-design"];
    assert_eq!((record["state"].as_str(), record["by"].as_str()), (Some("approved"), Some("agent")));
}
