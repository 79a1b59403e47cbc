//! Greeting, lists, prompts, resources and errors of the protocol.

use super::{connect, plain};
use charrette_testkit::Sandbox;
use charrette_testkit::mcp_client::{McpHost, Revision};
use charrette_testkit::panel::parcels;
use serde_json::{Value, json};

const TOOLS: [&str; 8] = ["start", "resume", "stop", "wait", "answer", "read", "check", "survey"];

#[test]
fn both_revisions_list_the_same_tools() {
    let sandbox = Sandbox::repository();
    for revision in [Revision::Session, Revision::Modern] {
        let mut client = connect(&sandbox, McpHost::plain(revision));
        if revision == Revision::Modern {
            let found = client.request("server/discover", json!({}))["result"].clone();
            let versions = found["supportedVersions"].as_array().unwrap();
            for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
                assert!(versions.contains(&Value::from(version)), "{found}");
            }
            assert!(found["instructions"].as_str().unwrap().contains("Never answer or approve"));
        }
        let result = client.request("tools/list", json!({}))["result"].clone();
        let tools = result["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, TOOLS);
        for tool in tools {
            assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
            assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        }
        let text = result.to_string();
        assert!(text.len() < 20_000, "{} bytes", text.len());
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn structured_results_match_their_schemas() {
    let sandbox = parcels();
    let mut client = connect(&sandbox, plain());
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let request = "how parcels are announced";
    for (tool, arguments) in [
        ("wait", json!({})),
        ("start", json!({"command": "research", "request": request, "feature": "p"})),
        ("wait", json!({"feature": "p"})),
        ("stop", json!({"feature": "p"})),
        ("resume", json!({"feature": "p"})),
        ("wait", json!({"feature": "p", "seconds": 50})),
        ("wait", json!({})),
        ("read", json!({"feature": "p"})),
        ("read", json!({"feature": "p", "file": "request.md"})),
        ("survey", json!({"request": request})),
    ] {
        let value = client.value(tool, arguments);
        let listed = tools.as_array().unwrap().iter().find(|listed| listed["name"] == tool).unwrap();
        let schema = jsonschema::validator_for(&listed["outputSchema"]).unwrap();
        assert!(schema.is_valid(&value), "{tool}: {value}\n{}", listed["outputSchema"]);
        assert!(!listed.to_string().contains("\"format\""), "{listed}");
    }
}

#[test]
fn unknown_things_are_named() {
    let sandbox = Sandbox::repository();
    let mut client = connect(&sandbox, plain());
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
    let unknown = client.request("tools/call", json!({"name": "approve", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("known: start, resume"), "{unknown}");
    for (tool, arguments, reason) in [
        ("start", json!({"command": "design", "requst": "x"}), "unknown field `requst`"),
        ("start", json!({"request": "x"}), "missing field `command`"),
        ("start", json!({"command": "deploy", "request": "x"}), "unknown command deploy; known: "),
        (
            "start",
            json!({"command": "design", "request": "add x", "options": {"no-checkpoint": true}}),
            "design has no option no-checkpoint here",
        ),
        (
            "start",
            json!({"command": "research", "request": "add x", "options": {"out": "/etc/x"}}),
            "research has no option out here",
        ),
        (
            "start",
            json!({"command": "design", "request": "add x", "options": {"quick": "yes"}}),
            "option quick takes true or false",
        ),
        ("start", json!({"command": "design", "request": " "}), "say what you want to design"),
        ("start", json!({"command": "design", "request": "add a thing", "feature": "../../x"}), ""),
        ("wait", json!({"seconds": -1}), "wrong arguments"),
        ("wait", json!({"feature": "nothing"}), "No checkpoint found for \"nothing\""),
        ("resume", json!({"feature": "nothing"}), "No checkpoint found for \"nothing\""),
        ("stop", json!({"feature": "nothing"}), "No checkpoint found for \"nothing\""),
        ("read", json!({"feature": "nothing"}), "No checkpoint found for \"nothing\""),
        ("check", json!({"feature": "../../etc"}), "feature is a name, not a path"),
        ("check", json!({"feature": "nothing"}), "nothing"),
        ("survey", json!({"request": ""}), "the feature description is empty"),
        ("answer", json!({"feature": "x", "gate": "y"}), "missing field `shown`"),
    ] {
        let said = client.refusal(tool, arguments.clone());
        assert!(said.contains(reason), "{tool} {arguments}: {said}");
    }
    assert!(!sandbox.path(".claude/state").exists(), "nothing was created");
    assert!(!sandbox.path(".specs").exists());
    assert_eq!(client.value("wait", json!({}))["did"], "There is no run in this repository.");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn prompts_and_resources_follow_the_runs() {
    let sandbox = parcels();
    let mut client = connect(&sandbox, plain());
    let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
    assert!(prompts.as_array().unwrap().iter().any(|prompt| prompt["name"] == "design"), "{prompts}");
    let arguments = json!({"name": "design", "arguments": {"request": "add \"x\""}});
    let prompt = client.request("prompts/get", arguments)["result"].to_string();
    assert!(prompt.contains("Approvals are theirs alone"), "{prompt}");
    assert_eq!(client.request("prompts/get", json!({"name": "x"}))["error"]["code"], -32602);

    client.value("start", json!({"command": "research", "request": "how parcels are announced"}));
    let look = client.settle("how-parcels-are-announced");
    assert_eq!(look["state"], "complete", "{look}");
    let listed = client.request("resources/list", json!({}))["result"]["resources"].clone();
    let uri = "charrette://how-parcels-are-announced/research-notes.md";
    assert!(listed.as_array().unwrap().iter().any(|resource| resource["uri"] == uri), "{listed}");
    let read = client.request("resources/read", json!({"uri": uri}))["result"]["contents"][0]["text"].clone();
    let page = client.value("read", json!({"feature": look["feature"], "file": "research-notes.md"}));
    assert_eq!(read, page["page"]["text"]);
    for uri in [
        "charrette://how-parcels-are-announced/../x",
        "charrette://x/y",
        "file:///etc/passwd",
        "charrette://",
    ] {
        let refused = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(refused["error"]["code"], -32002, "{refused}");
        assert_eq!(refused["error"]["data"]["uri"], uri, "{refused}");
    }
    // What is not announced is not there.
    let completion = json!({"ref": {"type": "ref/prompt", "name": "design"}, "argument": {"name": "request", "value": "a"}});
    assert_eq!(client.request("completion/complete", completion)["error"]["code"], -32601);
}

#[test]
fn files_are_read_in_pages_that_belong_together() {
    let sandbox = parcels();
    let mut client = connect(&sandbox, plain());
    client.value(
        "start",
        json!({"command": "research", "request": "how parcels are announced", "feature": "parcels"}),
    );
    let look = client.settle("parcels");
    let workspace = look["workspace"].as_str().unwrap().to_owned();
    let long = "é".repeat(40_000);
    sandbox.write(&format!("{workspace}/long.md"), &long);
    let first = client.value("read", json!({"feature": "parcels", "file": "long.md"}))["page"].clone();
    assert_eq!(first["next_offset"], 48 << 10);
    let next = json!({"feature": "parcels", "file": "long.md", "offset": first["next_offset"], "digest": first["digest"]});
    let second = client.value("read", next.clone())["page"].clone();
    assert_eq!(format!("{}{}", first["text"].as_str().unwrap(), second["text"].as_str().unwrap()), long);
    assert_eq!(second.get("next_offset"), None);
    sandbox.write(&format!("{workspace}/long.md"), "another text");
    assert!(client.refusal("read", next).contains("long.md has changed since its first page"));
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path(&format!("{workspace}/link.md"))).unwrap();
    for file in ["../../README.md", "/etc/passwd", "link.md", "specs/../../x", "a\u{7}b", "nothing.md", ""] {
        let said = client.refusal("read", json!({"feature": "parcels", "file": file}));
        assert!(!said.contains("root:"), "{file}: {said}");
    }
    for n in 0..250 {
        sandbox.write(&format!("{workspace}/more-{n}.txt"), "x");
    }
    let list = client.value("read", json!({"feature": "parcels"}));
    assert_eq!(list["files"].as_array().unwrap().len(), 200);
    assert!(list["omitted"].as_u64().unwrap() > 50, "{}", list["omitted"]);
}

#[test]
fn check_and_survey_give_what_the_commands_print() {
    let sandbox = parcels();
    let mut client = connect(&sandbox, plain());
    let survey = client.value("survey", json!({"request": "how parcels are announced", "top": 3}));
    let mut command = sandbox.command(crate::BINARY);
    command
        .args(["survey", "how parcels are announced", "--top", "3", "--json"])
        .env("PATH", "/usr/bin:/bin");
    let printed = charrette_testkit::Output::capture(command, b"");
    assert_eq!(serde_json::from_str::<Value>(&printed.stdout).unwrap(), survey);
    sandbox.write("specs/x/requirements.md", "# Nothing\n");
    let check = client.value("check", json!({"feature": "x"}));
    assert_eq!(check["passed"], false);
    let printed = crate::charrette(&sandbox, &["check", "x", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&printed.stdout).unwrap(), check);
}
