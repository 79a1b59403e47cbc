//! Requests to an endpoint: a server on loopback with all kinds of responses.

use charrette_agents::openai::{Endpoint, complete};
use charrette_agents::outcome::{FailureKind, Outcome};
use charrette_model::checkpoint::Usage;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

#[test]
fn streamed_answers_record_activity() {
    let events = [
        delta("Hello "),
        delta("wörld"),
        r#"{"model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}]}"#.to_owned(),
        r#"{"model":"m-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":20}}}"#.to_owned(),
        "[DONE]".to_owned(),
    ];
    let pieces: Vec<Vec<u8>> = events.iter().map(|event| format!("data: {event}\n\n").into_bytes()).collect();
    let exchange = Server::new(Reply::stream(pieces).slowly()).exchange(|endpoint| Endpoint {
        model: Some("big".into()),
        effort: Some("high".into()),
        key: Some(KEY.into()),
        ..endpoint
    });
    assert_eq!(exchange.outcome.answer.as_deref(), Ok("Hello wörld"));
    assert_eq!(exchange.outcome.usage, Some(Usage { input: 100, output: 7, cached: 20, usd: None }));
    assert_eq!(exchange.outcome.model.as_deref(), Some("m-1"));
    // The response itself, and every piece of it.
    assert_eq!(exchange.activities, 1 + events.len());
    assert_eq!(exchange.request.line, "POST /v1/chat/completions HTTP/1.1");
    assert!(exchange.request.headers.contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!(
        exchange.request.body,
        json!({"messages": [{"role": "user", "content": "what is here?"}], "stream": true,
            "stream_options": {"include_usage": true}, "model": "big", "reasoning_effort": "high"})
    );
}

#[test]
fn nothing_is_sent_that_the_user_did_not_set() {
    let exchange =
        Server::new(Reply::document("200 OK", &document("hi", "stop"))).exchange(|endpoint| endpoint);
    assert!(exchange.request.headers.iter().all(|header| !header.starts_with("authorization:")));
    assert!(exchange.request.body.get("model").is_none());
    assert!(exchange.request.body.get("reasoning_effort").is_none());
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let stream = format!(
        ": wait\r\n\r\ndata: {}\r\n\r\ndata: {}\r\n\r\ndata: [DONE]\r\n\r\n",
        delta("dé"),
        delta("jà 日本")
    );
    for size in [1, 2, 3, 7, 64] {
        let pieces = stream.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let outcome = Server::new(Reply::stream(pieces)).outcome();
        assert_eq!(outcome.answer.as_deref(), Ok("déjà 日本"), "in pieces of {size}");
    }
}

#[test]
fn a_server_that_does_not_stream_answers_too() {
    let outcome = Server::new(Reply::document("200 OK", &document("whole", "stop"))).outcome();
    assert_eq!(outcome.answer.as_deref(), Ok("whole"));
    assert_eq!(outcome.usage, Some(Usage { input: 3, output: 1, cached: 0, usd: None }));
}

#[test]
fn responses_without_an_answer_are_classified() {
    let error = |message: &str| json!({"error": {"message": message, "type": "x", "code": null}}).to_string();
    let service = |status| FailureKind::Service { status: Some(status) };
    let limit = |seconds| FailureKind::RateLimit { retry_after: Option::map(seconds, Duration::from_secs) };
    let event = |text: &str| format!("data: {text}\n\n").into_bytes();
    let cut = r#"{"choices":[{"delta":{"content":"half"},"finish_reason":"length"}]}"#;
    let cases = [
        (Reply::document("401 Unauthorized", &error("bad key")), FailureKind::Credentials, "401: bad key"),
        (Reply::document("403 Forbidden", &error("no")), FailureKind::Credentials, "403: no"),
        (
            Reply::document("429 Too Many Requests", &error("slow")).with("Retry-After: 17"),
            limit(Some(17)),
            "429: slow",
        ),
        (
            Reply::document("429 Too Many Requests", &error("try again in 3s")),
            limit(Some(3)),
            "429: try again in 3s",
        ),
        (Reply::document("429 Too Many Requests", "<html>"), limit(None), "429: <html>"),
        (
            Reply::document("400 Bad Request", &error("maximum context length is 8")),
            FailureKind::Limit,
            "400: maximum context length is 8",
        ),
        (Reply::document("400 Bad Request", r#"{"detail":"what?"}"#), service(400), "400: what?"),
        (Reply::document("404 Not Found", &error("no such model")), service(404), "404: no such model"),
        (Reply::document("500 Internal Server Error", ""), service(500), "500: Internal Server Error"),
        (Reply::document("503 Service Unavailable", r#"{"error":"loading"}"#), service(503), "503: loading"),
        (
            Reply::document("307 Temporary Redirect", "").with("Location: http://127.0.0.1:1/"),
            service(307),
            "307: Temporary Redirect",
        ),
        (Reply::document("200 OK", &document("", "stop")), FailureKind::NoAnswer, "its answer is empty"),
        (
            Reply::document("200 OK", &document("half", "length")),
            FailureKind::Limit,
            "answer truncated at the model's output limit (finish_reason: length)",
        ),
        (Reply::document("200 OK", "<html>hello</html>"), FailureKind::NoAnswer, "its answer is empty"),
        (Reply::document("200 OK", &error("boom")), FailureKind::Service { status: None }, "boom"),
        (
            Reply::stream(vec![event(cut)]),
            FailureKind::Limit,
            "answer truncated at the model's output limit (finish_reason: length)",
        ),
        (Reply::stream(vec![event("[DONE]")]), FailureKind::NoAnswer, "its answer is empty"),
        (
            Reply::stream(vec![event(&delta("half"))]),
            FailureKind::NoAnswer,
            "its answer broke off: the connection was closed",
        ),
        (
            Reply::stream(vec![event(&delta("half")), event(&error("boom"))]),
            FailureKind::Service { status: None },
            "boom",
        ),
    ];
    for (reply, kind, message) in cases {
        let failure = Server::new(reply).outcome().answer.unwrap_err();
        assert_eq!((failure.kind, failure.message.as_str()), (kind, message));
    }
}

#[test]
fn a_connection_that_breaks_is_no_answer() {
    let half = format!("data: {}\n\ndata: {{\"choi", delta("half")).into_bytes();
    let broken = Server::new(Reply::stream(vec![half]).breaking_off()).outcome().answer.unwrap_err();
    assert_eq!(broken.kind, FailureKind::NoAnswer);
    assert!(broken.message.starts_with("its answer broke off: "), "{}", broken.message);
    let whole = document("half", "stop");
    let broken = Server::new(Reply::document("200 OK", &whole[..20]).breaking_off()).outcome();
    assert_eq!(broken.answer.unwrap_err().kind, FailureKind::NoAnswer);
    let silent = Server::new(Reply { head: String::new(), pieces: Vec::new(), ..Reply::stream(Vec::new()) });
    assert_eq!(silent.outcome().answer.unwrap_err().kind, FailureKind::NoAnswer);
}

#[test]
fn unreachable_endpoints_are_start_failures() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let there = [format!("http://{free}/v1"), format!("https://{free}/v1")];
    let nowhere = ["no address", "ftp://127.0.0.1/", ""].map(str::to_owned);
    for url in there.into_iter().chain(nowhere) {
        let outcome = run(&Endpoint { url: url.clone(), ..endpoint() }, &|| ());
        assert_eq!(outcome.answer.unwrap_err().kind, FailureKind::Start, "{url}");
    }
}

#[test]
fn the_output_limit_applies_to_responses() {
    let long = "x".repeat(10_000);
    let replies = [
        Reply::document("200 OK", &document(&long, "stop")),
        Reply::stream(vec![format!("data: {}\n\n", delta(&long)).into_bytes()]),
        Reply::stream(vec![b"data: ".to_vec(), long.clone().into_bytes()]),
        Reply::stream((0..100).map(|_| format!("data: {}\n\n", delta(&long[..100])).into_bytes()).collect()),
    ];
    for reply in replies {
        let exchange = Server::new(reply).exchange(|endpoint| Endpoint { max_bytes: 4096, ..endpoint });
        assert_eq!(exchange.outcome.answer.unwrap_err().kind, FailureKind::OutputLimit);
    }
    // A long error response is still classified.
    let exchange = Server::new(Reply::document("401 Unauthorized", &"x".repeat(200_000)));
    let failure = exchange.outcome().answer.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Credentials);
    assert!(failure.message.len() < 1000);
}

#[test]
fn the_key_is_never_repeated() {
    let echo = |pad: usize| format!("{}{KEY}", "x".repeat(pad));
    for pad in [0, 270, 285, 295, 300] {
        let error = json!({"error": {"message": echo(pad)}}).to_string();
        for reply in [
            Reply::document("401 Unauthorized", &error),
            Reply::document("500 Internal Server Error", &echo(pad)),
            Reply::document("200 OK", &error),
            Reply::stream(vec![format!("data: {error}\n\n").into_bytes()]),
            Reply::stream(vec![format!("data: {}\n\ndata: [DONE]\n\n", delta(KEY)).into_bytes()]),
        ] {
            let exchange =
                Server::new(reply).exchange(|endpoint| Endpoint { key: Some(KEY.into()), ..endpoint });
            let shown = format!("{:?}", exchange.outcome);
            assert!(!shown.contains(&KEY[..12]), "{shown}");
        }
    }
    let endpoint = Endpoint { key: Some(KEY.into()), ..endpoint() };
    assert!(!format!("{endpoint:?}").contains(KEY));
    let unsendable = Endpoint { key: Some("a\nb".into()), ..endpoint };
    assert_eq!(run(&unsendable, &|| ()).answer.unwrap_err().kind, FailureKind::Credentials);
}

#[test]
fn a_question_can_be_sent_to_another_thread() {
    fn assert_send(_: impl Send) {}
    assert_send(complete(&endpoint(), "", &|| ()));
}

const KEY: &str = "sk-test-0123456789abcdef";

fn delta(text: &str) -> String {
    json!({"choices": [{"delta": {"content": text}, "finish_reason": null}]}).to_string()
}

fn document(text: &str, reason: &str) -> String {
    json!({"model": "m", "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
    .to_string()
}

fn endpoint() -> Endpoint {
    Endpoint {
        url: "http://127.0.0.1:1/v1/".into(),
        key: None,
        model: None,
        effort: None,
        max_bytes: 1 << 20,
    }
}

fn run(endpoint: &Endpoint, on_activity: &(dyn Fn() + Sync)) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(complete(endpoint, "what is here?", on_activity))
}

/// Response of a server.
struct Reply {
    head: String,
    pieces: Vec<Vec<u8>>,
    is_chunked: bool,
    is_slow: bool,
    breaks_off: bool,
}

impl Reply {
    fn stream(pieces: Vec<Vec<u8>>) -> Reply {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n";
        Reply { head: head.into(), pieces, is_chunked: true, is_slow: false, breaks_off: false }
    }

    fn document(status: &str, body: &str) -> Reply {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: ");
        Reply {
            head,
            pieces: vec![body.as_bytes().to_vec()],
            is_chunked: false,
            is_slow: false,
            breaks_off: false,
        }
    }

    fn with(mut self, header: &str) -> Reply {
        self.head = self.head.replacen("Content-Type", &format!("{header}\r\nContent-Type"), 1);
        self
    }

    /// Each piece is sent when the one before it was received.
    fn slowly(mut self) -> Reply {
        self.is_slow = true;
        self
    }

    /// The connection is closed before the end that was promised.
    fn breaking_off(mut self) -> Reply {
        self.breaks_off = true;
        self
    }

    fn send(&self, connection: &mut TcpStream, received: &Receiver<()>) -> std::io::Result<()> {
        if self.head.is_empty() {
            return Ok(());
        }
        connection.write_all(self.head.as_bytes())?;
        if !self.is_chunked {
            let length: usize = self.pieces.iter().map(Vec::len).sum();
            let promised = if self.breaks_off { length + 100 } else { length };
            write!(connection, "{promised}\r\n")?;
        }
        connection.write_all(b"\r\n")?;
        for piece in &self.pieces {
            if self.is_slow {
                // A client that did not receive the last piece gets no more.
                received.recv().map_err(std::io::Error::other)?;
            }
            let length = format!("{:x}\r\n", piece.len());
            let framed = [length.as_bytes(), piece, b"\r\n"].concat();
            connection.write_all(if self.is_chunked { &framed } else { piece })?;
        }
        if self.is_chunked && !self.breaks_off {
            connection.write_all(b"0\r\n\r\n")?;
        }
        connection.flush()
    }
}

/// A server for one request.
struct Server {
    listener: TcpListener,
    reply: Reply,
}

struct Exchange {
    outcome: Outcome,
    request: Request,
    activities: usize,
}

struct Request {
    line: String,
    headers: Vec<String>,
    body: Value,
}

impl Server {
    fn new(reply: Reply) -> Server {
        Server { listener: TcpListener::bind("127.0.0.1:0").unwrap(), reply }
    }

    fn outcome(self) -> Outcome {
        self.exchange(|endpoint| endpoint).outcome
    }

    fn exchange(self, adjust: impl FnOnce(Endpoint) -> Endpoint) -> Exchange {
        let url = format!("http://{}/v1/", self.listener.local_addr().unwrap());
        let (tell, received) = channel();
        let serving = thread::spawn(move || {
            let (mut connection, _) = self.listener.accept().unwrap();
            connection.set_nodelay(true).unwrap();
            let request = Request::read(&connection);
            // The client may have closed the connection.
            let _ = self.reply.send(&mut connection, &received);
            request
        });
        let activities = AtomicUsize::new(0);
        let tell = Mutex::new(tell);
        let endpoint = adjust(Endpoint { url, ..endpoint() });
        let outcome = run(&endpoint, &|| {
            activities.fetch_add(1, Ordering::Relaxed);
            let _ = tell.lock().unwrap().send(());
        });
        drop(tell);
        let request = serving.join().unwrap();
        Exchange { outcome, request, activities: activities.into_inner() }
    }
}

impl Request {
    fn read(connection: &TcpStream) -> Request {
        let mut reader = BufReader::new(connection);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let line = lines.remove(0);
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        Request { line, headers: lines, body: serde_json::from_slice(&body).unwrap() }
    }
}
