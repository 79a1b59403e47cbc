//! What the tools enforce, held against a known pipeline server with 47 tools: its guards, and the ways around them that
//! were found by running it. Each row says what that server does, what ours does, and checks it.
//!
//! | there | here | test |
//! |---|---|---|
//! | guard: a phase completes only with its artifact | no tool completes a phase; a removed artifact is made again | `artifacts_are_made_again_not_believed` |
//! | guard: a review passes only with its file | no tool sets a status; verdicts come from files that the engine parsed | `no_tool_sets_a_phase_a_status_or_a_verdict` |
//! | guard: phases start in order, with tasks | no tool takes a phase | `no_tool_sets_a_phase_a_status_or_a_verdict` |
//! | guard: a checkpoint completes only while it waits | an answer to a gate that is not open is refused | `a_gate_is_answered_only_while_it_asks` |
//! | guard: a pending revision blocks the checkpoint | a revision opens a new round; answers to the old one are refused | `a_revision_needs_a_new_answer_and_ends` |
//! | guard: tasks are set only after their checkpoint | no tool sets tasks; the engine writes them, and a person approves them | `no_tool_sets_a_phase_a_status_or_a_verdict` |
//! | guard: a result is reported only with a valid artifact | no tool reports a result; the engine parses what agents say | `no_tool_sets_a_phase_a_status_or_a_verdict` |
//! | guards of its hooks: reading phases, commits in lanes, the main branch, stopping | the same, without the known ways around | `crates/hook/tests/it/contract.rs` |
//! | guard: a run starts only with a validated input | an empty or placeholder request starts nothing | `a_start_needs_a_request` |
//! | defect 1: REVISE in another form approves | only the exact words are accepted | `only_exact_words_are_a_verdict` |
//! | defect 2: FAIL in another form passes | the same | `only_exact_words_are_a_verdict` |
//! | defect 3: endless rounds | after three revisions the answer is yes or no | `a_revision_needs_a_new_answer_and_ends` |
//! | defect 4: a dependency cycle skips the work | `check` reports it | `a_cycle_is_reported` |
//! | defect 5: an abandoned run goes on | it is gone for every tool | `an_abandoned_run_does_not_come_back` |
//! | defect 6: abandoning a gate completes it | words that steer a dialog answer nothing | `only_exact_words_are_a_verdict` |
//! | defect 7: checkpoints that no answer leaves | what a look offers is accepted | `walks::a_model_answers_questions_is_refused_the_approval_and_the_person_approves` |
//! | defect 8: `--auto` asks too much, or skips the list of tasks | `auto` skips question rounds, never a gate | `auto_skips_no_gate` |
//! | defect 9: phases in any order | no tool takes a phase | `no_tool_sets_a_phase_a_status_or_a_verdict` |
//! | defect 10: empty files complete a phase | no file completes a phase; an emptied one is an edit, and the gates ask again | `artifacts_are_made_again_not_believed` |
//! | defect 11: updates of several servers are lost | every answer survives | `answers_of_several_servers_survive` |
//! | defect 12: one workspace per server | one server serves all runs | `one_server_serves_several_runs` |

use super::{
    answer_to, answer_until_approval, connect, connect_panel, gate, plain, reach_gate, recommended,
    start_design,
};
use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Sandbox;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use charrette_testkit::panel::FEATURE;
use serde_json::{Value, json};

/// Answers the form of the open gate as the person.
fn fill_form(client: &mut McpClient, look: &Value, content: Value) -> Value {
    let gate = gate(look);
    client.reply_with(move |_| json!({"action": "accept", "content": content.clone()}));
    client.call("answer", json!({"feature": look["feature"], "gate": gate["gate"], "shown": gate["shown"]}))
}

#[test]
fn no_tool_sets_a_phase_a_status_or_a_verdict() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        let takes: Vec<&String> = tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
        for forbidden in ["phase", "status", "state", "verdict", "approve", "workspace"] {
            assert!(!takes.iter().any(|name| name.contains(forbidden)), "{tool}");
        }
    }
    for tool in [
        "phase_start",
        "phase_complete",
        "task_init",
        "task_update",
        "pipeline_report_result",
        "skip_phase",
        "checkpoint",
        "abandon",
    ] {
        let unknown = client.request("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{tool}");
    }
    for option in ["phase", "fresh", "no-checkpoint", "answers", "session-env"] {
        let order = json!({"command": "design", "request": "add a thing", "options": {option: true}});
        assert!(client.refusal("start", order).contains(&format!("no option {option}")), "{option}");
    }
}

#[test]
fn a_start_needs_a_request() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    for request in ["", "  \n", "<feature>", "TODO", "your feature here"] {
        let said = client.refusal("start", json!({"command": "design", "request": request}));
        assert!(said.contains("what"), "{request}: {said}");
    }
    assert!(!sandbox.path(".claude").exists());
}

#[test]
fn a_gate_is_answered_only_while_it_asks() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    let look = reach_gate(&mut client, &workshop);
    let mut early = answer_to(&look, &json!({"approval": "yes"}));
    early["gate"] = "post-design".into();
    assert!(client.refusal("answer", early).contains("has not reached a gate called 'post-design'"));
    // Answered once, it asks nothing any more.
    let arguments = answer_to(&look, &recommended(&gate(&look)));
    client.value("answer", arguments.clone());
    let after = client.settle(FEATURE);
    let name = gate(&look)["gate"].as_str().unwrap().to_owned();
    let before = workshop.document()["gates"][&name].clone();
    assert!(client.refusal("answer", arguments).contains("asks nothing now: it is answered"), "{after}");
    assert_eq!(workshop.document()["gates"][&name], before);
}

#[test]
fn only_exact_words_are_a_verdict() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_forms(Revision::Session));
    start_design(&mut client);
    let look = answer_until_approval(&mut client, FEATURE);
    assert_eq!(gate(&look)["gate"], "post-design", "{look}");
    for words in [
        "REVISE.",
        "**revise**",
        "Verdict: REVISE",
        "## Verdict\nREVISE",
        "FAIL",
        "PASS",
        "yes, but",
        "approve",
        "DISAPPROVED, see notes",
        "stop",
        "cancel",
        "abandon",
        "back",
        "yes to all",
        "review: design.md",
        "",
        "?",
    ] {
        let said = fill_form(&mut client, &look, json!({"approval": words}));
        assert_eq!(said["isError"], true, "{words}: {said}");
        assert_eq!(workshop.gate("post-design"), "pending", "{words}");
    }
    for content in [
        json!({"approval": true}),
        json!({"approval": ["yes"]}),
        json!({"approval": {"yes": true}}),
        json!({}),
    ] {
        assert_eq!(fill_form(&mut client, &look, content.clone())["isError"], true, "{content}");
        assert_eq!(workshop.gate("post-design"), "pending", "{content}");
    }
}

#[test]
fn a_revision_needs_a_new_answer_and_ends() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_forms(Revision::Session));
    start_design(&mut client);
    for round in 1..=3 {
        let look = answer_until_approval(&mut client, FEATURE);
        assert_eq!(gate(&look)["round"], round, "{look}");
        assert_eq!(
            fill_form(&mut client, &look, json!({"approval": "revise"}))["isError"],
            true,
            "no feedback"
        );
        let content = json!({"approval": "revise", "feedback": format!("less of it, {round}")});
        let done = fill_form(&mut client, &look, content);
        assert_ne!(done["isError"], true, "{done}");
        client.settle(FEATURE);
        // What was shown before the revision approves nothing.
        let late = fill_form(&mut client, &look, json!({"approval": "yes"}));
        assert_eq!(late["isError"], true, "{late}");
        assert_eq!(workshop.gate("post-design"), "pending");
    }
    let look = answer_until_approval(&mut client, FEATURE);
    let questions = gate(&look)["questions"].clone();
    let approval =
        questions.as_array().unwrap().iter().find(|question| question["approval"] == true).unwrap();
    assert_eq!(approval["choices"], json!(["yes", "no"]), "three revisions are enough");
    let again = fill_form(&mut client, &look, json!({"approval": "revise", "feedback": "more"}));
    assert_eq!(again["isError"], true, "{again}");
}

#[test]
fn artifacts_are_made_again_not_believed() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    reach_gate(&mut client, &workshop);
    let path = workshop.artifact("context-summary.md");
    let before = fs_err::read_to_string(&path).unwrap();
    fs_err::remove_file(&path).unwrap();
    client.value("resume", json!({"feature": FEATURE}));
    let look = client.settle(FEATURE);
    assert_eq!(look["state"], "waiting", "{look}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), before, "made again");
    // An emptied file is an edit: what was made from it is made again, and no gate is passed.
    fs_err::write(&path, "").unwrap();
    client.value("resume", json!({"feature": FEATURE}));
    let look = client.settle(FEATURE);
    assert_eq!(look["state"], "waiting", "{look}");
    assert_eq!(workshop.document()["state"]["completed_phases"], json!([]));
}

#[test]
fn a_cycle_is_reported() {
    let sandbox = Sandbox::repository();
    sandbox.write("specs/shop/feature.md", "# Shop\n");
    sandbox.write(
        "specs/shop/specs.json",
        r#"{"specs": [{"name": "a", "depends_on": ["b"]}, {"name": "b", "depends_on": ["a"]}]}"#,
    );
    let mut client = connect(&sandbox, plain());
    let checked = client.call("check", json!({"feature": "shop"}));
    let result = &checked["structuredContent"];
    assert_eq!(result["passed"], false, "{checked}");
    let issues = result["issues"].as_array().unwrap();
    let is_cycle = |issue: &&Value| issue["message"].as_str().is_some_and(|text| text.contains("cycle"));
    assert!(issues.iter().any(|issue| is_cycle(&issue)), "{checked}");
}

#[test]
fn an_abandoned_run_does_not_come_back() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_tasks());
    let id = start_design(&mut client)["taskId"].as_str().unwrap().to_owned();
    let look = client.settle(FEATURE);
    let abandoned = workshop.run(BINARY, ["abandon", FEATURE, "--command", "design"]);
    assert_eq!(abandoned.code, Some(0), "{abandoned:?}");
    for (tool, arguments) in [
        ("wait", json!({"feature": FEATURE})),
        ("resume", json!({"feature": FEATURE})),
        ("stop", json!({"feature": FEATURE})),
        ("read", json!({"feature": FEATURE})),
        ("answer", answer_to(&look, &json!({"scope": "x"}))),
    ] {
        assert!(client.refusal(tool, arguments).contains("No checkpoint found"), "{tool}");
    }
    assert_eq!(client.request("tasks/get", json!({"taskId": id}))["error"]["code"], -32602);
    assert!(!workshop.sandbox.path(&format!(".claude/state/design-{FEATURE}.json")).exists());
}

#[test]
fn auto_skips_no_gate() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    let order = json!({
        "command": "design", "request": charrette_testkit::panel::REQUEST, "feature": FEATURE, "options": {"auto": true},
    });
    client.value("start", order);
    let look = answer_until_approval(&mut client, FEATURE);
    assert_eq!(gate(&look)["gate"], "post-design", "{look}");
    let gates = workshop.document()["gates"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert!(gates.contains(&"pre-design".to_owned()), "{gates:?}");
}

#[test]
fn answers_of_several_servers_survive() {
    let workshop = Workshop::brief();
    let mut clients: Vec<McpClient> = (0..3).map(|_| connect_panel(&workshop, plain())).collect();
    let mut look = reach_gate(&mut clients[0], &workshop);
    while gate(&look)["questions"].as_array().unwrap().len() < 6 {
        clients[0].value("answer", answer_to(&look, &recommended(&gate(&look))));
        look = clients[0].settle(FEATURE);
    }
    let name = gate(&look)["gate"].as_str().unwrap().to_owned();
    let answers = recommended(&gate(&look));
    let mut sent = Vec::new();
    // All but the last question, so that no driver takes over.
    let answers: Vec<(String, Value)> = answers.as_object().unwrap().clone().into_iter().take(5).collect();
    for (n, (key, answer)) in answers.iter().enumerate() {
        let arguments = answer_to(&look, &json!({key.clone(): answer.clone()}));
        let id = clients[n % 3].send_request("tools/call", json!({"name": "answer", "arguments": arguments}));
        sent.push((n % 3, id));
    }
    for (n, id) in sent {
        let response = clients[n].response(id);
        assert_ne!(response["result"]["isError"], true, "{response}");
    }
    let record = workshop.document()["gates"][&name].clone();
    for (key, answer) in answers {
        assert_eq!(record["answers"][&key], answer, "{record}");
        assert_eq!(record["via"][&key]["through"], "mcp", "{record}");
    }
}

#[test]
fn one_server_serves_several_runs() {
    let sandbox = charrette_testkit::panel::parcels();
    let mut client = connect(&sandbox, plain());
    for feature in ["one", "two"] {
        let request = format!("how parcels are announced, part {feature}");
        client.value("start", json!({"command": "research", "request": request, "feature": feature}));
    }
    for feature in ["one", "two"] {
        assert_eq!(client.settle(feature)["state"], "complete");
    }
    let all = client.value("wait", json!({}));
    assert_eq!(all["runs"].as_array().unwrap().len(), 2, "{all}");
}
