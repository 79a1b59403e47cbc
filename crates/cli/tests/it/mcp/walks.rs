//! Whole designs through the tools: with `start` and `wait`, and as tasks with forms.

use super::{answer_to, answer_until_approval, connect_panel, gate, plain, start_design};
use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::mcp_client::{McpClient, McpHost, Revision};
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::{Value, json};

const FILES: [&str; 6] = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

#[test]
fn a_model_answers_questions_is_refused_the_approval_and_the_person_approves() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    let started = start_design(&mut client);
    assert_eq!(started["structuredContent"]["did"], "Started.", "{started}");
    let look = answer_until_approval(&mut client, FEATURE);
    assert_eq!(look["state"], "waiting", "{look}");
    assert_eq!(gate(&look)["gate"], "post-design");
    for verdict in [
        json!({"approval": "yes"}),
        json!({"approval": "no"}),
        json!({"approval": "revise", "feedback": "x"}),
    ] {
        let said = client.refusal("answer", answer_to(&look, &verdict));
        assert!(said.contains("only a person answers it"), "{said}");
        assert!(said.contains(&format!("charrette resume {FEATURE}")), "the command is told: {said}");
    }
    let waiting = client.value("wait", json!({"feature": FEATURE, "seconds": 0}));
    assert_eq!(waiting["next"]["command"], format!("charrette resume {FEATURE}"), "{}", waiting["next"]);
    assert_eq!(workshop.gate("post-design"), "pending");

    let answered = workshop.answer("post-design:\n  approval: yes\n");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let resumed = client.value("resume", json!({"feature": FEATURE}));
    assert_eq!(resumed["did"], "Resumed.", "{resumed}");
    let done = client.settle(FEATURE);
    assert_eq!(done["state"], "complete", "{done}");
    for file in FILES {
        assert!(workshop.spec(file).is_file(), "{file}");
        assert!(
            done["files"].as_array().unwrap().contains(&json!(format!("specs/{FEATURE}/{file}"))),
            "{done}"
        );
    }
    let gates = &workshop.document()["gates"];
    assert_eq!(gates["post-design"]["via"]["approval"]["through"], "file");
    assert_eq!(gates["pre-design"]["by"], "agent");
    let via = gates["pre-design"]["via"].as_object().unwrap();
    for source in via.values() {
        assert_eq!(*source, json!({"through": "mcp", "client": "test-host", "version": "1.2.3"}));
    }
    // Nothing is started again, and nothing changes.
    let before = workshop.document();
    assert!(
        client.value("resume", json!({"feature": FEATURE}))["did"].as_str().unwrap().contains("complete")
    );
    let again = start_design(&mut client);
    assert!(again["structuredContent"]["did"].as_str().unwrap().contains("nothing was started"), "{again}");
    assert_eq!(workshop.document(), before);
}

/// What the person fills in for a form of a task.
fn fill(form: &Value, approval: &str) -> Value {
    let properties = form["params"]["requestedSchema"]["properties"].as_object().unwrap();
    let required = form["params"]["requestedSchema"]["required"].as_array().unwrap();
    let mut content = serde_json::Map::new();
    for (key, field) in properties {
        if key == "approval" {
            content.insert(key.clone(), approval.into());
        } else if required.contains(&json!(key)) {
            let choice = field["enum"][0].as_str().unwrap_or("as you like");
            content.insert(key.clone(), choice.into());
        }
    }
    json!({"action": "accept", "content": content})
}

fn task(client: &mut McpClient, id: &str) -> Value {
    let response = client.request("tasks/get", json!({"taskId": id}));
    assert!(response.get("error").is_none(), "{response}");
    response["result"].clone()
}

/// Follows a task to its end; the person fills in every form.
fn follow(client: &mut McpClient, id: &str, approval: &str) -> (Value, Vec<String>) {
    let mut forms = Vec::new();
    loop {
        let now = task(client, id);
        match now["status"].as_str().unwrap() {
            "working" => {
                // The look ends when the run does; a poll in a loop would only cost time.
                client.value("wait", json!({"feature": FEATURE, "seconds": 20}));
            }
            "input_required" => {
                let requests = now["inputRequests"].as_object().unwrap();
                let (key, form) = requests.iter().next().unwrap();
                assert_eq!(form["method"], "elicitation/create");
                forms.push(key.split('@').next().unwrap().to_owned());
                let reply = json!({"taskId": id, "inputResponses": {key: fill(form, approval)}});
                let updated = client.request("tasks/update", reply);
                assert!(updated.get("error").is_none(), "{updated}");
            }
            _ => return (now, forms),
        }
    }
}

#[test]
fn a_run_is_a_task_and_the_person_approves_in_a_form() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_tasks());
    let started = start_design(&mut client);
    assert_eq!(started["resultType"], "task", "{started}");
    let id = started["taskId"].as_str().unwrap().to_owned();
    assert_eq!(workshop.document()["run"]["id"], id.as_str());
    let (done, forms) = follow(&mut client, &id, "yes");
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert!(
        forms.contains(&"pre-design".to_owned()) && forms.contains(&"post-design".to_owned()),
        "{forms:?}"
    );
    for file in FILES {
        assert!(workshop.spec(file).is_file(), "{file}");
    }
    let approved = &workshop.document()["gates"]["post-design"];
    assert_eq!(approved["state"], "approved");
    assert_eq!(
        approved["via"]["approval"],
        json!({"through": "mcp", "client": "test-host", "version": "1.2.3"})
    );
    assert_ne!(approved["by"], "agent", "a form is the person's");
}

#[test]
fn a_task_of_a_host_without_forms_ends_at_a_gate() {
    let workshop = Workshop::brief();
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let host = McpHost { capabilities, ..McpHost::plain(Revision::Modern) };
    let mut client = connect_panel(&workshop, host);
    let started = start_design(&mut client);
    let id = started["taskId"].as_str().unwrap().to_owned();
    let (now, forms) = follow(&mut client, &id, "yes");
    assert!(forms.is_empty(), "a form was sent to a host that cannot show it: {forms:?}");
    assert_eq!(now["status"], "completed", "{now}");
    assert_eq!(now["result"]["isError"], false, "{now}");
    let result = &now["result"]["structuredContent"];
    assert_eq!(result["run"]["state"], "waiting", "{now}");
    assert_eq!(result["next"]["tool"], "answer", "{now}");
    // Asked for again, the waiting run is a look at once.
    let again = start_design(&mut client);
    assert_eq!(again["structuredContent"]["run"]["state"], "waiting", "{again}");
    // A form that was never sent is not filled in as the person's either.
    let open = gate(&result["run"]);
    let (name, shown) = (open["gate"].as_str().unwrap(), open["shown"].as_str().unwrap());
    let question = open["questions"][0]["key"].as_str().unwrap();
    let key = format!("{name}@{shown}");
    let form = json!({"action": "accept", "content": {question: "yes"}});
    let refused = client.request("tasks/update", json!({"taskId": id, "inputResponses": {key: form}}));
    assert!(
        refused["error"]["message"].as_str().is_some_and(|said| said.contains("nothing was recorded")),
        "{refused}"
    );
    assert_eq!(workshop.gate(name), "pending");
}

#[test]
fn another_server_answers_for_the_same_task() {
    let workshop = Workshop::brief();
    let mut first = connect_panel(&workshop, McpHost::with_tasks());
    let id = start_design(&mut first)["taskId"].as_str().unwrap().to_owned();
    first.kill();
    let mut second = connect_panel(&workshop, McpHost::with_tasks());
    let (done, _) = follow(&mut second, &id, "no");
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["isError"], true, "{done}");
    assert_eq!(workshop.gate("post-design"), "rejected");
    // Tasks are for hosts that have them, and only for runs that exist.
    let unknown = second.request("tasks/get", json!({"taskId": "nothing"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let mut other = connect_panel(&workshop, McpHost::plain(Revision::Modern));
    let refused = other.request("tasks/get", json!({"taskId": id}));
    assert!(refused.get("error").is_some(), "{refused}");
    // The person changes their mind at the command line; the same run goes on.
    assert_eq!(workshop.answer("post-design:\n  approval: yes\n").code, Some(0));
    let resumed = second.call("resume", json!({"feature": FEATURE}));
    assert_eq!(
        resumed["taskId"].as_str().or(resumed["structuredContent"]["run"]["run"].as_str()),
        Some(id.as_str())
    );
    let (done, _) = follow(&mut second, &id, "yes");
    assert_eq!(done["result"]["isError"], false, "{done}");
}

#[test]
fn a_form_that_is_closed_answers_nothing_and_ends_the_task() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_tasks());
    let id = start_design(&mut client)["taskId"].as_str().unwrap().to_owned();
    client.settle(FEATURE);
    let before = workshop.document();
    for action in ["decline", "cancel"] {
        let now = task(&mut client, &id);
        assert_eq!(now["status"], "input_required", "{now}");
        let key = now["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        let reply = json!({"taskId": id, "inputResponses": {key.clone(): {"action": action}}});
        assert!(client.request("tasks/update", reply).get("error").is_none());
        let closed = task(&mut client, &id);
        assert_eq!(closed["status"], "completed", "{closed}");
        assert!(closed["result"].to_string().contains("do not answer for them"), "{closed}");
        // Asked again, the run shows its form again.
        assert_eq!(client.call("resume", json!({"feature": FEATURE}))["resultType"], "task");
        client.settle(FEATURE);
    }
    let after = workshop.document();
    assert_eq!(before["gates"], after["gates"], "nothing was recorded");
}

#[test]
fn nonsense_in_a_form_is_refused_and_the_form_stays() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, McpHost::with_tasks());
    let id = start_design(&mut client)["taskId"].as_str().unwrap().to_owned();
    client.settle(FEATURE);
    let now = task(&mut client, &id);
    let key = now["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let before = workshop.document()["gates"].clone();
    for reply in [
        json!({key.clone(): {"action": "accept", "content": {"no-such-question": "x"}}}),
        json!({key.clone(): {"action": "accept", "content": [1]}}),
        json!({key.clone(): {"action": "yes"}}),
        json!({key.clone(): 3}),
        json!({key.replace('@', "@9"): {"action": "accept", "content": {}}}),
        json!({"other": {"action": "accept", "content": {}}}),
    ] {
        let refused = client.request("tasks/update", json!({"taskId": id, "inputResponses": reply}));
        assert_eq!(refused["error"]["code"], -32602, "{reply}: {refused}");
    }
    assert_eq!(workshop.document()["gates"], before);
    assert_eq!(task(&mut client, &id)["inputRequests"], now["inputRequests"]);
}

#[test]
fn a_cancelled_task_stops_the_driver_and_the_run_can_be_resumed() {
    let workshop = Workshop::brief();
    workshop.set_part("aggregator", &json!({"says": "aggregator.txt", "shell": "sleep 60"}));
    let mut client = connect_panel(&workshop, McpHost::with_tasks());
    let id = start_design(&mut client)["taskId"].as_str().unwrap().to_owned();
    assert!(client.request("tasks/cancel", json!({"taskId": id})).get("error").is_none());
    assert_eq!(task(&mut client, &id)["status"], "cancelled");
    let look = client.value("wait", json!({"feature": FEATURE, "seconds": 0}))["run"].clone();
    assert_eq!(look["state"], "ready", "{look}");
    workshop.set_part("aggregator", &json!({"says": "aggregator.txt"}));
    assert_eq!(client.call("resume", json!({"feature": FEATURE}))["resultType"], "task");
}

#[test]
fn starting_again_is_safe_and_another_request_is_refused() {
    let workshop = Workshop::brief();
    let mut client = connect_panel(&workshop, plain());
    let look = super::reach_gate(&mut client, &workshop);
    let before = workshop.document();
    let same = start_design(&mut client);
    assert_eq!(same["structuredContent"]["run"]["run"], look["run"]);
    let other = json!({"command": "design", "request": "something else entirely", "feature": FEATURE});
    let said = client.refusal("start", other);
    assert!(said.contains("exists, for another request"), "{said}");
    assert!(said.contains(&format!("charrette abandon {FEATURE}")), "{said}");
    assert_eq!(workshop.document(), before, "nothing is archived or changed");
    // The command line finds the run as well.
    let status: Value = serde_json::from_str(&workshop.run(BINARY, ["status", "--json"]).stdout).unwrap();
    assert_eq!(status["runs"].as_array().unwrap().len(), 1, "{status}");
    assert!(!REQUEST.is_empty());
}
