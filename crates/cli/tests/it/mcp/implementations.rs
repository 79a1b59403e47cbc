//! Implementations through the tools: started by a model, decided by a person.

use super::{answer_to, gate, plain};
use crate::BINARY;
use crate::workshop::FAKE_AGENT;
use charrette_testkit::linear::LinearServer;
use charrette_testkit::mcp_client::McpClient;
use charrette_testkit::till::{FEATURE, Till};
use serde_json::{Value, json};

fn connect(till: &Till) -> McpClient {
    McpClient::start(till.command(BINARY, ["mcp"]), plain())
}

fn start(client: &mut McpClient, options: &Value) -> Value {
    client.call("start", json!({"command": "implement", "feature": FEATURE, "options": options}))
}

#[test]
fn a_model_starts_an_implementation_and_reads_its_report() {
    let till = Till::new(&*FAKE_AGENT);
    let mut client = connect(&till);
    let started = start(&mut client, &json!({"task": "T001"}));
    assert_eq!(started["structuredContent"]["did"], "Started.", "{started}");
    let done = client.settle(FEATURE);
    assert_eq!(done["state"], "complete", "{done}");
    let report = client.value("read", json!({"feature": FEATURE, "file": "implementation-report.md"}));
    assert!(report.to_string().contains("Read prices"), "{report}");
    let tasks = till.sandbox.read(&format!("specs/{FEATURE}/tasks.md"));
    assert_eq!(tasks.matches("[x]").count(), 1, "{tasks}");
    let subjects = till.sandbox.git(["log", "--format=%(trailers:key=Charrette-Task,valueonly)"]);
    assert!(subjects.contains("T001"), "{subjects}");
}

#[test]
fn an_unapproved_specification_is_not_started() {
    let till = Till::new(&*FAKE_AGENT);
    till.edit_spec("tasks.md", "refuses everything else", "takes everything else");
    let mut client = connect(&till);
    let order = json!({"command": "implement", "feature": FEATURE});
    let said = client.refusal("start", order);
    assert!(said.contains("was changed since"), "{said}");
    for option in ["force", "no-review"] {
        let order = json!({"command": "implement", "feature": FEATURE, "options": {option: true}});
        assert!(client.refusal("start", order).contains(&format!("no option {option}")), "{option}");
    }
    assert_eq!(till.calls(), [""; 0]);
}

/// Work that fails its test.
const SPOILT: &str = "sed -i 's/ \\* 100//' till/price.py";

#[test]
fn a_model_cannot_have_a_task_taken() {
    let till = Till::new(&*FAKE_AGENT);
    // Not even where models may approve.
    till.write_settings("[policy]\napprove_via_mcp = \"allow\"\n");
    till.set_part("implementer", &till.working_part(SPOILT));
    let mut client = connect(&till);
    start(&mut client, &json!({"task": "T001"}));
    let look = client.settle(FEATURE);
    assert_eq!(gate(&look)["gate"], "task/T001-1", "{look}");
    for answer in ["take", "Take it", "hand", "done", "it is done"] {
        let said = client.refusal("answer", answer_to(&look, &json!({"decision": answer})));
        assert!(said.contains("only a person answers decision so"), "{answer}: {said}");
        assert!(said.contains(&format!("charrette resume {FEATURE}")), "{said}");
    }
    till.set_part("implementer", &till.working_part(""));
    let answered = client.call("answer", answer_to(&look, &json!({"decision": "retry: multiply by 100"})));
    assert_ne!(answered["isError"], true, "{answered}");
    let done = client.settle(FEATURE);
    assert_eq!(done["state"], "complete", "{done}");
    let tasks = till.sandbox.read(&format!("specs/{FEATURE}/tasks.md"));
    assert_eq!(tasks.matches("[x]").count(), 1, "{tasks}");
}

#[test]
fn a_model_cannot_have_issues_created() {
    let (till, server) = (Till::new(&*FAKE_AGENT), LinearServer::start());
    till.make_instant();
    till.set_answer(
        "task-reviewer",
        "Verdict: PASS_WITH_NOTES\n\n1. [OUT_OF_SCOPE] [correctness] [minor] Baskets accept anything\n   `till/basket.py:5` takes every value as a price.\n   Suggested revision: check it in a change of its own.\n",
    );
    let integrations = r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#;
    till.sandbox.write(".claude/config/integrations.json", integrations);
    till.write_settings(&format!(
        "[linear]\nendpoint = \"{}\"\n[policy]\napprove_via_mcp = \"allow\"\n",
        server.url()
    ));
    let mut client = connect(&till);
    start(&mut client, &json!({"task": "T001", "issues": true}));
    let look = client.settle(FEATURE);
    assert_eq!(gate(&look)["gate"], "follow-ups", "{look}");
    let said = client.refusal("answer", answer_to(&look, &json!({"issues": "create"})));
    assert!(said.contains("only a person answers issues so"), "{said}");
    let answered = client.call("answer", answer_to(&look, &json!({"issues": "keep"})));
    assert_ne!(answered["isError"], true, "{answered}");
    assert_eq!(client.settle(FEATURE)["state"], "complete");
    assert_eq!(server.requests(), [""; 0]);
}
