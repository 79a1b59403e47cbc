//! Sessions of the Agent Client Protocol: recorded ones of real agents, and scripted ones that violate it.

use charrette_agents::acp::{AcpRequest, run_session};
use charrette_agents::outcome::{FailureKind, Outcome};
use serde_json::{Value, json};
use std::path::Path;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};

#[test]
fn recorded_sessions_have_the_expected_outcome() {
    let read_only = order();
    let writing = AcpRequest { writing: true, ..order() };
    let cases = [
        ("acp-gemini.log", &writing, Ok("All done"), 200, 14, 0),
        ("acp-gemini-plan.log", &read_only, Ok("done"), 8719, 4, 0),
        ("acp-gemini-err401.log", &writing, Err((FailureKind::Credentials, "bad key")), 0, 0, 0),
        (
            "acp-gemini-login.log",
            &read_only,
            Err((FailureKind::Credentials, "Gemini API key is missing or not configured.")),
            0,
            0,
            0,
        ),
        ("acp-opencode.log", &writing, Ok("Looking."), 100, 7, 20),
        (
            "acp-opencode-err401.log",
            &writing,
            Err((FailureKind::Service { status: None }, "Internal error: bad key")),
            0,
            0,
            0,
        ),
    ];
    for (file, order, answer, input, output, cached) in cases {
        let outcome = round(order, |agent| replay(agent, file));
        let said = outcome.answer.as_ref().map(String::as_str);
        assert_eq!(said.map_err(|failure| (failure.kind, failure.message.as_str())), answer, "{file}");
        let usage = outcome.usage.unwrap_or_default();
        assert_eq!(
            (usage.input, usage.output, usage.cached, usage.usd),
            (input, output, cached, None),
            "{file}"
        );
        assert!(outcome.notes.is_empty(), "{file}: {:?}", outcome.notes);
    }
}

#[test]
fn a_read_only_seat_switches_the_mode_and_refuses_what_writes() {
    let mut script = Script::new();
    script.on("initialize", &[HELLO]);
    script.on("session/new", &[r#"{"id":$ID,"result":{"sessionId":"s1","modes":{"availableModes":[{"id":"code","name":"Code"},{"id":"ask","name":"Ask"}]}}}"#]);
    script.on("session/set_mode", &[&said("mode is ask now"), r#"{"id":$ID,"result":{}}"#]);
    let permission = |id: &str, tool: &str, kind: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": {"sessionId": "s1",
            "toolCall": {"toolCallId": tool, "title": tool, "kind": kind},
            "options": [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]}})
        .to_string()
    };
    script.on("session/prompt", &[&said("I try. "), &permission("p1", "w.txt", "edit")]);
    script.on("answer", &[&permission("p2", "README.md", "read")]);
    script.on(
        "answer",
        &[&said("The answer."), r#"{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}"#],
    );
    let (outcome, heard) = script.run(&order());
    assert_eq!(outcome.answer.as_deref(), Ok("The answer."));
    assert_eq!(outcome.denied, ["edit: w.txt"]);
    assert_eq!(outcome.session.as_deref(), Some("s1"));
    assert_eq!(heard[0]["params"]["clientCapabilities"]["fs"]["writeTextFile"], json!(false));
    assert_eq!(heard[0]["params"]["clientCapabilities"]["terminal"], json!(false));
    assert_eq!(heard[1]["params"], json!({"cwd": "/repo", "mcpServers": []}));
    assert_eq!(heard[2]["params"], json!({"sessionId": "s1", "modeId": "ask"}));
    assert_eq!(heard[3]["params"]["prompt"], json!([{"type": "text", "text": "what is here?"}]));
    assert_eq!(
        heard[4],
        json!({"jsonrpc": "2.0", "id": "p1", "result": {"outcome": {"outcome": "selected", "optionId": "no"}}})
    );
    assert_eq!(heard[5]["result"]["outcome"]["optionId"], json!("yes"));
}

#[test]
fn a_writing_seat_allows_once_and_keeps_the_mode() {
    let mut script = Script::new();
    script.on("initialize", &[HELLO]);
    script.on("session/new", &[SESSION]);
    script.on("session/prompt", &[r#"{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"toolCall":{"kind":"execute"},"options":[{"optionId":"a","kind":"allow_always"},{"optionId":"o","kind":"allow_once"}]}}"#]);
    script.on("answer", &[&said("done"), r#"{"id":3,"result":{"stopReason":"end_turn"}}"#]);
    let (outcome, heard) = script.run(&AcpRequest { writing: true, ..order() });
    assert_eq!(outcome.answer.as_deref(), Ok("done"));
    assert!(outcome.denied.is_empty());
    assert_eq!(heard[3]["result"]["outcome"]["optionId"], json!("o"));
}

#[test]
fn the_model_is_chosen_where_it_is_offered() {
    let offer = r#"{"id":$ID,"result":{"sessionId":"s1","configOptions":[{"id":"llm","category":"model","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}}"#;
    let cases: &[(&str, &str, Option<&str>, &[&str])] = &[
        ("B", r#"{"id":$ID,"result":{}}"#, Some("b"), &[]),
        (
            "B",
            r#"{"id":$ID,"error":{"code":-32602,"message":"not today"}}"#,
            Some("a"),
            &["it did not switch to b: not today"],
        ),
        ("C", "", Some("a"), &["it does not offer the model C"]),
    ];
    for (wanted, reply, model, notes) in cases {
        let mut script = Script::new();
        script.on("initialize", &[HELLO]);
        script.on("session/new", &[offer]);
        script.on("session/set_config_option", &[reply]);
        script.on("session/prompt", &[&said("ok"), END_TURN]);
        let (outcome, _) =
            script.run(&AcpRequest { model: Some((*wanted).to_owned()), writing: true, ..order() });
        assert_eq!(outcome.answer.as_deref(), Ok("ok"));
        assert_eq!(outcome.model.as_deref(), *model, "{wanted}");
        assert_eq!(outcome.notes, *notes, "{wanted}");
    }
}

#[test]
fn sessions_are_resumed_by_the_capability_of_the_agent() {
    let can = |capabilities: &str| {
        format!(r#"{{"id":$ID,"result":{{"protocolVersion":1,"agentCapabilities":{capabilities}}}}}"#)
    };
    let order = AcpRequest { session: Some("s9".into()), ..order() };
    for (capabilities, method) in [
        (r#"{"loadSession":true,"sessionCapabilities":{"resume":{}}}"#, "session/resume"),
        (r#"{"loadSession":true}"#, "session/load"),
    ] {
        let mut script = Script::new();
        script.on("initialize", &[&can(capabilities)]);
        // Replayed history is no answer.
        script.on(method, &[&said("what I said before"), r#"{"id":$ID,"result":null}"#]);
        script.on("session/prompt", &[&said("ok"), END_TURN]);
        let (outcome, heard) = script.run(&order);
        assert_eq!(outcome.answer.as_deref(), Ok("ok"));
        assert_eq!(outcome.session.as_deref(), Some("s9"));
        assert_eq!(heard[1]["params"], json!({"cwd": "/repo", "mcpServers": [], "sessionId": "s9"}));
    }
    let mut script = Script::new();
    script.on("initialize", &[&can("{}")]);
    assert_eq!(script.run(&order).0.answer.unwrap_err().kind, FailureKind::Start);
}

#[test]
fn only_a_turn_that_ended_with_an_answer_is_one() {
    let (text, long) = (said("half"), said(&"x".repeat(5000)));
    let limit = FailureKind::RateLimit { retry_after: Some(std::time::Duration::from_secs(7)) };
    let cases: &[(&[&str], FailureKind)] = &[
        (&[&text, r#"{"id":$ID,"result":{"stopReason":"max_tokens"}}"#], FailureKind::Limit),
        (&[&text, r#"{"id":$ID,"result":{"stopReason":"max_turn_requests"}}"#], FailureKind::Limit),
        (&[&text, r#"{"id":$ID,"result":{"stopReason":"refusal"}}"#], FailureKind::NoAnswer),
        (&[&text, r#"{"id":$ID,"result":{"stopReason":"cancelled"}}"#], FailureKind::NoAnswer),
        (&[&text, r#"{"id":$ID,"result":{"stopReason":"something_new"}}"#], FailureKind::NoAnswer),
        (&[&text, r#"{"id":$ID,"result":{}}"#], FailureKind::NoAnswer),
        (&[&text, r#"{"id":$ID}"#], FailureKind::NoAnswer),
        (&[&text, r#"{"id":$ID,"result":[1]}"#], FailureKind::NoAnswer),
        (&[END_TURN], FailureKind::NoAnswer),
        (&[&text, "HANG UP"], FailureKind::NoAnswer),
        (&["HANG UP"], FailureKind::NoAnswer),
        (&[&long], FailureKind::OutputLimit),
        (&[r#"{"id":$ID,"error":{"code":429,"message":"retry in 7s"}}"#], limit),
        (
            &[r#"{"id":$ID,"error":{"code":-32000,"message":"Authentication required"}}"#],
            FailureKind::Credentials,
        ),
        (
            &[
                r#"{"id":$ID,"error":{"code":-32603,"message":"Internal error","data":{"details":"status 503"}}}"#,
            ],
            FailureKind::Service { status: Some(503) },
        ),
    ];
    for (lines, kind) in cases {
        let mut script = Script::new();
        script.on("initialize", &[HELLO]);
        script.on("session/new", &[SESSION]);
        script.on("session/prompt", lines);
        let (outcome, _) = script.run(&AcpRequest { max_bytes: 4096, ..order() });
        assert_eq!(outcome.answer.unwrap_err().kind, *kind, "{lines:?}");
    }
}

#[test]
fn unknown_messages_do_not_end_the_session() {
    let noise = [
        "Warning: deprecated",
        "",
        "\u{1b}[33mwarn\u{1b}[0m",
        "[]",
        "{",
        "3",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"id":99,"result":{"stopReason":"end_turn"}}"#,
        r#"{"id":"3","result":{"stopReason":"end_turn"}}"#,
        r#"{"method":"session/update"}"#,
        r#"{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk"}}}"#,
        r#"{"method":"session/update","params":{"update":{"sessionUpdate":"something_new","content":{"text":"no"}}}}"#,
        r#"{"method":"session/request_permission","params":{}}"#,
        r#"{"id":{"a":1},"method":"fs/read_text_file","params":{}}"#,
    ];
    let mut lines: Vec<String> = noise.iter().map(|line| (*line).to_owned()).collect();
    lines.push(r#"{"id":"r","method":"fs/read_text_file","params":{"path":"/etc/passwd"}}"#.to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut script = Script::new();
    script.on("initialize", &[HELLO]);
    script.on("session/new", &[SESSION]);
    script.on("session/prompt", &lines);
    script.on("answer", &[&said("ok"), r#"{"id":3,"result":{"stopReason":"end_turn"}}"#]);
    let (outcome, heard) = script.run(&order());
    assert_eq!(outcome.answer.as_deref(), Ok("ok"));
    assert_eq!(
        heard[3],
        json!({"jsonrpc": "2.0", "id": "r", "error": {"code": -32601, "message": "Method not found"}})
    );
    assert_eq!(outcome.notes, ["5 lines of its output could not be read, the first: Warning: deprecated"]);
}

#[test]
fn programs_without_the_protocol_are_recognised() {
    let cases: &[(&[&str], FailureKind)] = &[
        (&["HANG UP"], FailureKind::NoAnswer),
        (&["not JSON at all", "HANG UP"], FailureKind::NoAnswer),
        (&[r#"{"id":$ID,"result":{"protocolVersion":2}}"#], FailureKind::Start),
        (&[r#"{"id":$ID,"result":{}}"#], FailureKind::Start),
        (
            &[r#"{"id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#],
            FailureKind::Service { status: None },
        ),
    ];
    for (lines, kind) in cases {
        let mut script = Script::new();
        script.on("initialize", lines);
        assert_eq!(script.run(&order()).0.answer.unwrap_err().kind, *kind, "{lines:?}");
    }
}

#[test]
fn a_session_is_send_and_can_be_dropped() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    let (theirs, mine) = duplex(64);
    let (from, to) = split(mine);
    let order = order();
    let round = assert_send(run_session(from, to, &order));
    drop(round);
    drop(theirs);
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#;
const SESSION: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"sessionId":"s1"}}"#;
const END_TURN: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"stopReason":"end_turn"}}"#;

fn said(text: &str) -> String {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1",
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}}})
    .to_string()
}

fn order() -> AcpRequest {
    AcpRequest {
        prompt: "what is here?".into(),
        folder: "/repo".into(),
        writing: false,
        web: false,
        model: None,
        session: None,
        max_bytes: 1 << 20,
    }
}

/// Runs a session on one thread, as flows do, with an agent at the other end.
fn round<F: Future<Output = ()>>(order: &AcpRequest, agent: impl FnOnce(DuplexStream) -> F) -> Outcome {
    let (theirs, mine) = duplex(256);
    let (from, to) = split(mine);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let round = run_session(from, to, order);
        let agent = agent(theirs);
        tokio::pin!(round, agent);
        tokio::select! {
            outcome = &mut round => outcome,
            () = &mut agent => round.await,
        }
    })
}

/// Replays the messages of a recorded agent, one batch for each request.
async fn replay(pipe: DuplexStream, file: &str) {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
    let record = fs_err::read_to_string(record).unwrap();
    let (from, mut to) = split(pipe);
    let mut heard = BufReader::new(from).lines();
    for line in record.lines() {
        match line.split_once(' ').unwrap() {
            ("<", line) => to.write_all(format!("{line}\n").as_bytes()).await.unwrap(),
            (_, expected) => {
                let heard: Value = serde_json::from_str(&heard.next_line().await.unwrap().unwrap()).unwrap();
                let expected: Value = serde_json::from_str(expected).unwrap();
                assert_eq!(
                    (&heard["method"], &heard["id"]),
                    (&expected["method"], &expected["id"]),
                    "{file}"
                );
            }
        }
    }
    // It stays until it is ended.
    std::future::pending::<()>().await;
}

/// An agent that answers each method with scripted lines, in order; `answer` stands for responses.
struct Script(Vec<(String, Vec<String>)>);

impl Script {
    fn new() -> Script {
        Script(Vec::new())
    }

    fn on(&mut self, method: &str, lines: &[&str]) {
        self.0.push((method.to_owned(), lines.iter().map(|line| (*line).to_owned()).collect()));
    }

    /// The outcome, and all messages the agent received.
    fn run(self, order: &AcpRequest) -> (Outcome, Vec<Value>) {
        let mut all = Vec::new();
        let outcome = round(order, |pipe| self.play(pipe, &mut all));
        (outcome, all)
    }

    async fn play(mut self, pipe: DuplexStream, all: &mut Vec<Value>) {
        let (from, mut to) = split(pipe);
        let mut heard = BufReader::new(from).lines();
        while let Ok(Some(line)) = heard.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let method = message["method"].as_str().unwrap_or("answer").to_owned();
            let id = message["id"].to_string();
            all.push(message);
            let Some(at) = self.0.iter().position(|(on, _)| *on == method) else { continue };
            for line in self.0.remove(at).1 {
                if line == "HANG UP" {
                    return;
                }
                if to.write_all(format!("{}\n", line.replace("$ID", &id)).as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }
}
