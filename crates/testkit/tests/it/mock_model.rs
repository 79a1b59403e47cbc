//! Every API, whole and as events; errors, hangs and broken connections; and the log.

use charrette_testkit::mock_model::{MockModel, Script};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// A mock model whose log is in a temporary folder.
struct MockSetup {
    model: MockModel,
    _folder: tempfile::TempDir,
}

impl MockSetup {
    fn new(script: &Value) -> MockSetup {
        let folder = tempfile::tempdir().unwrap();
        let model =
            MockModel::start(Script::from_json(script).unwrap(), &folder.path().join("log.jsonl")).unwrap();
        MockSetup { model, _folder: folder }
    }

    fn connect(&self) -> BufReader<TcpStream> {
        let address = self.model.url();
        let stream = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
        BufReader::new(stream)
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::to(&mut self.connect(), path, body)
    }
}

struct Answer {
    status: u16,
    headers: Vec<String>,
    body: String,
}

impl Answer {
    fn to(connection: &mut BufReader<TcpStream>, path: &str, body: &Value) -> Answer {
        send(connection, path, body);
        Answer::read(connection)
    }

    fn read(connection: &mut BufReader<TcpStream>) -> Answer {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            connection.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.trim().to_owned());
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = Vec::new();
        if let Some(length) = length {
            body.resize(length.parse().unwrap(), 0);
            connection.read_exact(&mut body).unwrap();
        } else {
            // Until the last chunk, or until the connection breaks.
            loop {
                let mut size = String::new();
                if connection.read_line(&mut size).unwrap_or(0) == 0 {
                    body.extend(b"BROKEN");
                    break;
                }
                let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).unwrap() + 2];
                connection.read_exact(&mut chunk).unwrap();
                if chunk.len() == 2 {
                    break;
                }
                body.extend(&chunk[..chunk.len() - 2]);
            }
        }
        Answer { status, headers: lines, body: String::from_utf8(body).unwrap() }
    }

    /// The answer after `100 Continue`.
    fn read_after_continue(connection: &mut BufReader<TcpStream>) -> Answer {
        let mut line = String::new();
        connection.read_line(&mut line).unwrap();
        assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
        connection.read_line(&mut line).unwrap();
        Answer::read(connection)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Data of all events that are JSON.
    fn events(&self) -> Vec<Value> {
        self.body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
    }
}

fn send(connection: &mut BufReader<TcpStream>, path: &str, body: &Value) {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: mock\r\nX-Api-Key: secret\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.get_mut().write_all(request.as_bytes()).unwrap();
}

/// All texts below `pointer` in the events, concatenated.
fn joined_text(events: &[Value], pointer: &str) -> String {
    events.iter().filter_map(|event| event.pointer(pointer)?.as_str()).collect()
}

const LONG: &str = "A sentence that is longer than one piece, with an umlaut: ü.";

fn scripted() -> Value {
    json!({
        "order": "history",
        "turns": [
            {"text": LONG, "calls": [{"tool": "Write", "arguments": {"path": "a"}}],
             "usage": {"input": 100, "output": 7, "cached": 20}},
        ],
    })
}

#[test]
fn anthropic_speaks_in_events_and_whole() {
    let stage = MockSetup::new(&scripted());
    let asked = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let events = stage.post("/v1/messages?beta=true", &asked).events();
    assert_eq!(events.first().unwrap()["message"]["usage"]["input_tokens"], 100);
    assert_eq!(joined_text(&events, "/delta/text"), LONG);
    assert_eq!(joined_text(&events, "/delta/partial_json"), "{\"path\":\"a\"}");
    let end = &events[events.len() - 2];
    assert_eq!(
        (&end["delta"]["stop_reason"], &end["usage"]["output_tokens"]),
        (&json!("tool_use"), &json!(7))
    );
    assert_eq!(events.last().unwrap()["type"], "message_stop");

    let whole = stage.post("/v1/messages", &json!({"model": "m", "messages": []})).json();
    assert_eq!(whole["content"][0]["text"], LONG);
    assert_eq!(whole["content"][1]["input"], json!({"path": "a"}));
    assert_eq!(whole["usage"]["cache_read_input_tokens"], 20);
}

#[test]
fn responses_speak_in_events_and_whole() {
    let stage = MockSetup::new(&scripted());
    let answer = stage.post("/v1/responses", &json!({"model": "m", "stream": true, "input": "hi"}));
    let events = answer.events();
    assert_eq!(joined_text(&events, "/delta"), LONG);
    let end = &events.last().unwrap()["response"];
    assert_eq!(end["output"][1]["arguments"], "{\"path\":\"a\"}");
    assert_eq!(end["usage"]["input_tokens_details"]["cached_tokens"], 20);
    let whole = stage.post("/v1/responses", &json!({"input": "hi"})).json();
    assert_eq!(whole["output"][0]["content"][0]["text"], LONG);
    assert_eq!(whole["output"][1]["name"], "Write");
}

#[test]
fn chat_speaks_in_events_and_whole() {
    let stage = MockSetup::new(&scripted());
    let asked = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    let answer = stage.post("/v1/chat/completions", &asked);
    assert!(answer.body.ends_with("data: [DONE]\n\n"), "{}", answer.body);
    let events = answer.events();
    assert_eq!(joined_text(&events, "/choices/0/delta/content"), LONG);
    assert_eq!(joined_text(&events, "/choices/0/finish_reason"), "tool_calls");
    assert_eq!(events.last().unwrap()["usage"]["prompt_tokens"], 100);

    let whole = stage.post("/chat/completions", &json!({"model": "m", "messages": []})).json();
    assert_eq!(whole["choices"][0]["message"]["content"], LONG);
    assert_eq!(whole["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "Write");
    assert_eq!(whole["usage"]["completion_tokens"], 7);
}

#[test]
fn gemini_speaks_in_events_and_whole() {
    let stage = MockSetup::new(&scripted());
    let asked = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]});
    let events = stage.post("/v1beta/models/g-1:streamGenerateContent?alt=sse", &asked).events();
    assert_eq!(joined_text(&events, "/candidates/0/content/parts/0/text"), LONG);
    assert_eq!(joined_text(&events, "/candidates/0/finishReason"), "STOP");
    assert_eq!(events.last().unwrap()["usageMetadata"]["cachedContentTokenCount"], 20);

    let whole = stage.post("/v1beta/models/g-1:generateContent", &asked).json();
    assert_eq!(whole["modelVersion"], "g-1");
    let parts = whole["candidates"][0]["content"]["parts"].as_array().unwrap();
    assert_eq!(parts.last().unwrap()["functionCall"]["args"], json!({"path": "a"}));
    let counted = stage.post("/v1beta/models/g-1:countTokens", &json!({})).json();
    assert_eq!(counted, json!({"totalTokens": 1}));
}

#[test]
fn history_counts_the_turns_of_every_interface() {
    let call = json!({"type": "function_call", "name": "x"});
    let result = json!({"type": "function_call_output", "output": "fine"});
    let cases = [
        ("/v1/messages", json!({"messages": [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]}), 1),
        ("/v1/responses", json!({"input": [{"role": "user"}, call, call, result, call, result]}), 2),
        ("/v1/chat/completions", json!({"messages": [{"role": "assistant"}, {"role": "tool"}]}), 1),
        ("/v1beta/models/g:generateContent", json!({"contents": [{"role": "user"}, {"role": "model"}]}), 1),
    ];
    let turns = json!([{"text": "t0"}, {"text": "t1"}, {"text": "t2"}]);
    let stage = MockSetup::new(&json!({"order": "history", "turns": turns}));
    for (path, body, history) in cases {
        let answer = stage.post(path, &body);
        assert!(answer.body.contains(&format!("\"t{history}\"")), "{path}: {}", answer.body);
    }
}

#[test]
fn errors_are_worded_as_the_vendor_words_them() {
    let refused = json!({"status": 429, "message": "slow down", "headers": {"retry-after": "7"}});
    let own = json!({"status": 500, "body": {"strange": true}});
    let stage = MockSetup::new(&json!({"turns": [refused, refused, refused, own]}));
    let answer = stage.post("/v1/messages", &json!({}));
    assert_eq!(answer.status, 429);
    assert!(answer.headers.contains(&"retry-after: 7".to_owned()), "{:?}", answer.headers);
    assert_eq!(answer.json()["error"], json!({"type": "rate_limit_error", "message": "slow down"}));
    assert_eq!(stage.post("/v1/responses", &json!({})).json()["error"]["code"], "rate_limit_exceeded");
    let gemini = stage.post("/v1beta/models/g:generateContent", &json!({})).json();
    assert_eq!(gemini["error"]["status"], "RESOURCE_EXHAUSTED");
    let answer = stage.post("/v1/messages", &json!({}));
    assert_eq!((answer.status, answer.json()), (500, json!({"strange": true})));
}

#[test]
fn a_cut_stream_breaks_and_a_kept_connection_goes_on() {
    let stage = MockSetup::new(&json!({"turns": [{"text": "one"}, {"text": LONG, "cut_after": 2}]}));
    let mut connection = stage.connect();
    let asked = json!({"stream": true, "messages": []});
    let first = Answer::to(&mut connection, "/v1/messages", &asked);
    assert_eq!(joined_text(&first.events(), "/delta/text"), "one");
    let second = Answer::to(&mut connection, "/v1/messages", &asked);
    assert_eq!(second.events().len(), 2);
    assert!(second.body.ends_with("BROKEN"), "{}", second.body);
}

#[test]
fn a_hanging_model_says_nothing_and_ends_when_it_is_dropped() {
    let stage = MockSetup::new(&json!({"turns": [{"hang": true}]}));
    let mut connection = stage.connect();
    send(&mut connection, "/v1/messages", &json!({}));
    connection.get_ref().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(connection.fill_buf().is_err(), "it said something");
    assert_eq!(stage.model.requests().len(), 1);
    drop(stage);
    connection.get_ref().set_read_timeout(None).unwrap();
    assert!(connection.fill_buf().is_ok_and(<[u8]>::is_empty), "the connection is still open");
}

#[test]
fn bodies_in_chunks_are_read() {
    let stage = MockSetup::new(&json!({"turns": [{"text": "fine"}]}));
    let mut connection = stage.connect();
    let request = "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n\
                   b\r\n{\"model\":\"m\r\n7;x=y\r\n-long\"}\r\n0\r\n\r\n";
    connection.get_mut().write_all(request.as_bytes()).unwrap();
    assert_eq!(Answer::read_after_continue(&mut connection).json()["model"], "m-long");
}

#[test]
fn the_log_says_what_was_asked_and_keeps_every_body_but_no_secret() {
    let stage = MockSetup::new(&json!({"turns": [{"text": "fine"}], "side": {"text": "title"}}));
    let tool = json!({"name": "Read", "input_schema": {}});
    let asked = json!({"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], "tools": [tool]});
    stage.post("/v1/messages", &asked);
    stage.post("/v1/messages", &json!({"model": "small"}));
    stage.post("/nowhere", &json!({}));
    let log = stage.model.requests();
    assert_eq!(
        log[0],
        json!({
            "n": 1, "method": "POST", "path": "/v1/messages", "credential": "x-api-key", "api": "anthropic",
            "model": "m", "stream": false, "tools": ["Read"], "history": 0, "last": "hi", "lane": 0, "turn": 0,
            "body": "0001.json",
        })
    );
    assert_eq!(stage.model.body(&log[0]), asked);
    assert_eq!((&log[1]["turn"], &log[2]["api"]), (&json!("side"), &json!("unknown")));
    assert!(!format!("{log:?}").contains("secret"));
}

#[test]
fn a_seat_of_the_panel_is_known_by_its_prompt_in_every_interface() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("vote.voter-codex.txt"), "{given:FINDING_2}FINDING_2: YES\n{task}\n")
        .unwrap();
    let stage = MockSetup::new(&json!({"panel": {"folder": folder.path()}, "turns": [{"text": "OK"}]}));
    let prompt = "# Voter\n\n- Task: `voter-codex` (phase: write)\n\n### FINDING_2: x\n";
    let parts = json!([{"type": "text", "text": "a client's own words"}, {"type": "text", "text": prompt}]);
    let message = json!([{"role": "user", "content": parts}]);
    for (path, body, answer) in [
        ("/v1/messages", json!({"messages": message}), "/content/0/text"),
        ("/v1/responses", json!({"input": message}), "/output/0/content/0/text"),
        ("/v1/chat/completions", json!({"messages": message}), "/choices/0/message/content"),
        (
            "/v1beta/models/g-1:generateContent",
            json!({"contents": [{"role": "user", "parts": parts}]}),
            "/candidates/0/content/parts",
        ),
    ] {
        let said = stage.post(path, &body).json();
        let text: String = match said.pointer(answer).unwrap() {
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            text => text.as_str().unwrap().to_owned(),
        };
        assert_eq!(text, "FINDING_2: YES\nvoter-codex\n", "{path}");
    }
    let steps: Vec<Value> = stage.model.requests().iter().map(|line| line["step"].clone()).collect();
    assert_eq!(steps, ["vote/voter-codex"; 4]);
}
