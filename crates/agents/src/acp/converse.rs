//! The round itself: hello, a session, choices, the prompt.

use super::offer::{self, Choice};
use super::permission::decide;
use super::transcript::Transcript;
use super::wire::{Closed, Wire};
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::stream::complaint;
use crate::stream::event::Object;
use crate::stream::record::failure;
use charrette_model::checkpoint::Usage;
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncWrite};

/// The version of the protocol that is spoken here.
const VERSION: u64 = 1;

/// The code of an error that asks for a login.
const AUTH_REQUIRED: i64 = -32000;

/// What is asked of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpOrder {
    /// What to do.
    pub prompt: String,
    /// Where to work; absolute.
    pub folder: PathBuf,
    /// Whether it may change anything.
    pub writing: bool,
    /// The model to choose, if the user wants one.
    pub model: Option<String>,
    /// The session to go on with.
    pub session: Option<String>,
    /// How many bytes of one line, and of the answer, may be held.
    pub most: usize,
}

/// Asks an agent behind these pipes, and says what it came to. What is written to `stdin` must reach the agent
/// without being flushed.
///
/// The agent is not given our file system or our terminal, writing or not: what it does, it does in its own
/// process, where its supervisor can see and end it.
pub async fn converse<R, W>(stdout: R, stdin: W, order: &AcpOrder) -> Outcome
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let mut round = Round {
        wire: Wire::new(stdout, stdin, order.most),
        transcript: Transcript::new(order.most),
        writing: order.writing,
        calls: 0,
    };
    let (answer, usage) = match round.run(order).await {
        Ok((answer, usage)) => (Ok(answer), usage),
        Err(failed) => (Err(failed.failure), failed.usage),
    };
    round.transcript.record.outcome(answer, usage, None)
}

/// Why a round failed, and what it used nevertheless.
struct Failed {
    failure: Failure,
    usage: Option<Usage>,
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Failed {
        Failed { failure, usage: None }
    }
}

struct Round<R, W> {
    wire: Wire<R, W>,
    transcript: Transcript,
    writing: bool,
    calls: u64,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Round<R, W> {
    async fn run(&mut self, order: &AcpOrder) -> Result<(String, Option<Usage>), Failed> {
        let hello = self.call("initialize", initialize()).await?;
        let hello = Object::parse(&hello).ok_or_else(|| no_answer("its hello could not be read"))?;
        check_version(&hello)?;
        let opened = self.open(order, &hello).await?;
        let opened = Object::parse(&opened).ok_or_else(|| no_answer("its session could not be read"))?;
        let session = order.session.clone().or_else(|| opened.text("sessionId"));
        let session = session.ok_or_else(|| no_answer("it opened a session without an id"))?;
        self.transcript.record.session(Some(session.clone()));
        self.choose(order, &opened, &session).await?;
        self.transcript.listen(order.session.is_none());
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": order.prompt}]});
        let response = self.call("session/prompt", prompt).await?;
        let response = Object::parse(&response).ok_or_else(|| no_answer("its response could not be read"))?;
        let usage = self.transcript.usage(&response);
        match self.judge(&response) {
            Ok(answer) => Ok((answer, usage)),
            Err(failure) => Err(Failed { failure, usage }),
        }
    }

    /// A new session, or the one to go on with, in the way that replays least.
    async fn open(&mut self, order: &AcpOrder, hello: &Object<'_>) -> Result<String, Failure> {
        let mut params = json!({"cwd": order.folder, "mcpServers": []});
        let Some(session) = &order.session else { return self.call("session/new", params).await };
        params["sessionId"] = json!(session);
        let can = hello.object("agentCapabilities");
        let can_resume = can
            .as_ref()
            .and_then(|can| can.object("sessionCapabilities"))
            .is_some_and(|can| can.object("resume").is_some());
        if can_resume {
            return self.call("session/resume", params).await;
        }
        if can.is_some_and(|can| can.flag("loadSession") == Some(true)) {
            return self.call("session/load", params).await;
        }
        Err(failure(FailureKind::Start, "it cannot go on with a session"))
    }

    /// Mode and model, where they are offered. What cannot be chosen is noted: the agent may do without.
    async fn choose(&mut self, order: &AcpOrder, opened: &Object<'_>, session: &str) -> Result<(), Failure> {
        self.transcript.record.model(offer::current_model(opened));
        if !order.writing
            && let Some(mode) = offer::read_only_mode(opened)
        {
            self.set(&mode, session).await?;
        }
        let Some(wanted) = &order.model else { return Ok(()) };
        match offer::model(opened, wanted) {
            Some(model) if self.set(&model, session).await? => self.transcript.record.model(Some(model.id)),
            Some(_) => {}
            None => self.transcript.record.note(&format!("it does not offer the model {wanted}")),
        }
        Ok(())
    }

    async fn set(&mut self, choice: &Choice, session: &str) -> Result<bool, Failure> {
        let mut params = choice.params.clone();
        params["sessionId"] = json!(session);
        let Err(refused) = self.exchange(choice.method, params).await? else { return Ok(true) };
        self.transcript.record.note(&format!("it did not switch to {}: {}", choice.id, refused.message));
        Ok(false)
    }

    fn judge(&mut self, response: &Object<'_>) -> Result<String, Failure> {
        let answer = self.transcript.answer();
        match response.text("stopReason").as_deref() {
            Some("end_turn") if answer.trim().is_empty() && self.transcript.was_refused() => {
                Err(no_answer("it gave up when it was refused something"))
            }
            Some("end_turn") if answer.trim().is_empty() => {
                Err(no_answer("its turn ended without an answer"))
            }
            Some("end_turn") => Ok(answer),
            Some(reason @ ("max_tokens" | "max_turn_requests")) => {
                Err(failure(FailureKind::Limit, &format!("stopped at a limit: {reason}")))
            }
            Some(reason) => Err(no_answer(&format!("stopped before it answered: {reason}"))),
            None => Err(no_answer("its turn ended without a reason")),
        }
    }

    /// Calls a method whose error ends the round.
    async fn call(&mut self, method: &str, params: Value) -> Result<String, Failure> {
        self.exchange(method, params).await?
    }

    /// Calls a method: its result as it stands, or its error. Whatever comes meanwhile is dealt with.
    async fn exchange(&mut self, method: &str, params: Value) -> Result<Result<String, Failure>, Failure> {
        self.calls += 1;
        let id = self.calls;
        self.wire.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let line = self.wire.next().await.map_err(|closed| ended(&closed, method))?;
            let Some(message) = self.transcript.record.event(&line) else { continue };
            if let Some(theirs) = message.text("method") {
                self.hear(&theirs, &message);
            } else if message.count("id") == Some(id) {
                return Ok(match (message.raw("result"), message.object("error")) {
                    (_, Some(error)) => Err(refusal(&error, method)),
                    // Some methods have nothing to say.
                    (Some("null"), None) => Ok("{}".to_owned()),
                    (Some(result), None) => Ok(result.to_owned()),
                    (None, None) => Err(no_answer(&format!("{method} came back without a result"))),
                });
            }
            if self.transcript.record.is_flooded() {
                return Err(failure(FailureKind::Flood, "it says more than is read"));
            }
        }
    }

    /// A notification or a request of the agent's.
    fn hear(&mut self, method: &str, message: &Object<'_>) {
        let params = message.object("params");
        let answer = match (method, &params) {
            ("session/update", Some(params)) => {
                if let Some(update) = params.object("update") {
                    self.transcript.update(&update);
                }
                None
            }
            ("session/request_permission", Some(params)) => Some(self.permit(params)),
            _ => None,
        };
        // Only what has an id waits for an answer, and only what looks like an id is sent back.
        let Some(id) = message.raw("id").filter(|id| id.len() <= 256 && !id.starts_with(['{', '['])) else {
            return;
        };
        self.wire.send(&match answer {
            Some(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            None => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            ),
        });
    }

    fn permit(&mut self, request: &Object<'_>) -> Value {
        let tool = request.object("toolCall").and_then(|tool| tool.text("toolCallId"));
        let known = tool.as_deref().and_then(|tool| self.transcript.kind_of(tool));
        let decision = decide(request, known, self.writing);
        self.transcript.turn();
        if let Some(denied) = &decision.denied {
            self.transcript.refused(tool, denied);
        }
        decision.answer
    }
}

fn initialize() -> Value {
    json!({
        "protocolVersion": VERSION,
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        "clientInfo": {"name": "charrette", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn check_version(hello: &Object<'_>) -> Result<(), Failure> {
    match hello.count("protocolVersion") {
        Some(VERSION) => Ok(()),
        Some(other) => {
            Err(failure(FailureKind::Start, &format!("it speaks version {other} of the protocol")))
        }
        None => Err(failure(FailureKind::Start, "it does not say which version of the protocol it speaks")),
    }
}

/// An error response.
fn refusal(error: &Object<'_>, method: &str) -> Failure {
    let message = error.text("message").unwrap_or_default();
    let said = complaint::innermost(&message);
    let said = if said.trim().is_empty() { format!("{method} was refused without a reason") } else { said };
    let details = error.object("data").and_then(|data| data.text("details").or_else(|| data.text("message")));
    let said =
        details.or_else(|| error.text("data")).map_or(said.clone(), |details| format!("{said}: {details}"));
    let code = error.number("code");
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    if code == Some(AUTH_REQUIRED as f64) {
        return failure(FailureKind::Credentials, &said);
    }
    // Some put the status of the service there.
    let status = error.status("code").filter(|status| *status >= 400);
    let details = format!("{message} {}", error.raw("data").unwrap_or_default());
    let kind = complaint::kind(status, &details).unwrap_or(FailureKind::Service { status });
    failure(kind, &said)
}

fn ended(closed: &Closed, method: &str) -> Failure {
    match closed {
        Closed::Ended => no_answer(&format!("it ended before it answered {method}")),
        Closed::Flooded => failure(FailureKind::Flood, "it says more than is read"),
        Closed::Failed(error) => no_answer(&format!("it could not be heard: {error}")),
    }
}

fn no_answer(message: &str) -> Failure {
    failure(FailureKind::NoAnswer, message)
}
