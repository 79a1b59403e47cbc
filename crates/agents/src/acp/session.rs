//! One session: initialise, open or resume, select mode and model, prompt.

use super::connection::{ConnectionError, RpcConnection};
use super::permission::{Access, decide};
use super::session_options::{self, Choice};
use super::transcript::Transcript;
use crate::outcome::{Failure, FailureKind, Outcome, output_exceeded};
use crate::stream::event::Object;
use crate::stream::failure_text;
use crate::stream::output_record::failure;
use charrette_model::checkpoint::Usage;
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncWrite};

/// Supported version of the protocol.
const VERSION: u64 = 1;

/// Code of the error for a missing login.
const AUTH_REQUIRED: i64 = -32000;

/// A prompt for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpRequest {
    pub prompt: String,
    /// Working directory, absolute.
    pub folder: PathBuf,
    /// True if the agent may change files.
    pub writing: bool,
    /// True if the agent may fetch from the web.
    pub web: bool,
    /// Model, if the user has set one.
    pub model: Option<String>,
    /// Id of the session to resume.
    pub session: Option<String>,
    /// Output limit: maximum size of a line, and of the answer, in bytes.
    pub max_bytes: usize,
}

/// Runs one prompt over these pipes. Writes to `stdin` must reach the agent without being flushed.
///
/// The agent gets no access to our file system or terminal: it works in its own process, where its supervisor
/// can watch and end it.
pub async fn run_session<R, W>(stdout: R, stdin: W, request: &AcpRequest) -> Outcome
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let mut session = Session {
        connection: RpcConnection::new(stdout, stdin, request.max_bytes),
        transcript: Transcript::new(request.max_bytes),
        max_bytes: request.max_bytes,
        writing: request.writing,
        web: request.web,
        calls: 0,
    };
    let (answer, usage) = match session.run(request).await {
        Ok((answer, usage)) => (Ok(answer), usage),
        Err(failed) => (Err(failed.failure), failed.usage),
    };
    session.transcript.record.outcome(answer, usage, None)
}

/// A failed session, with its usage.
struct SessionError {
    failure: Failure,
    usage: Option<Usage>,
}

impl From<Failure> for SessionError {
    fn from(failure: Failure) -> SessionError {
        SessionError { failure, usage: None }
    }
}

struct Session<R, W> {
    connection: RpcConnection<R, W>,
    transcript: Transcript,
    max_bytes: usize,
    writing: bool,
    web: bool,
    calls: u64,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Session<R, W> {
    async fn run(&mut self, request: &AcpRequest) -> Result<(String, Option<Usage>), SessionError> {
        let initialized = self.call("initialize", initialize()).await?;
        let initialized = Object::parse(&initialized)
            .ok_or_else(|| no_answer("its response to initialize could not be read"))?;
        check_version(&initialized)?;
        let opened = self.open(request, &initialized).await?;
        let opened = Object::parse(&opened).ok_or_else(|| no_answer("its session could not be read"))?;
        let session = request.session.clone().or_else(|| opened.text("sessionId"));
        let session = session.ok_or_else(|| no_answer("it opened a session without an id"))?;
        self.transcript.record.session(Some(session.clone()));
        self.select_options(request, &opened, &session).await?;
        self.transcript.start_answer(request.session.is_none());
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": request.prompt}]});
        let response = self.call("session/prompt", prompt).await?;
        let response = Object::parse(&response).ok_or_else(|| no_answer("its response could not be read"))?;
        let usage = self.transcript.usage(&response);
        match self.parse_answer(&response) {
            Ok(answer) => Ok((answer, usage)),
            Err(failure) => Err(SessionError { failure, usage }),
        }
    }

    /// Opens a new session, or resumes one in the way that replays least.
    async fn open(&mut self, request: &AcpRequest, initialized: &Object<'_>) -> Result<String, Failure> {
        let mut params = json!({"cwd": request.folder, "mcpServers": []});
        let Some(session) = &request.session else { return self.call("session/new", params).await };
        params["sessionId"] = json!(session);
        let capabilities = initialized.object("agentCapabilities");
        let can_resume = capabilities
            .as_ref()
            .and_then(|capabilities| capabilities.object("sessionCapabilities"))
            .is_some_and(|session| session.object("resume").is_some());
        if can_resume {
            return self.call("session/resume", params).await;
        }
        if capabilities.is_some_and(|capabilities| capabilities.flag("loadSession") == Some(true)) {
            return self.call("session/load", params).await;
        }
        Err(failure(FailureKind::Start, "it cannot resume sessions"))
    }

    /// Selects mode and model, where they are offered. A failed selection is only noted.
    async fn select_options(
        &mut self,
        request: &AcpRequest,
        opened: &Object<'_>,
        session: &str,
    ) -> Result<(), Failure> {
        self.transcript.record.model(session_options::current_model(opened));
        if !request.writing
            && let Some(mode) = session_options::read_only_mode(opened)
        {
            self.select(&mode, session).await?;
        }
        let Some(wanted) = &request.model else { return Ok(()) };
        match session_options::model(opened, wanted) {
            Some(model) if self.select(&model, session).await? => {
                self.transcript.record.model(Some(model.id));
            }
            Some(_) => {}
            None => self.transcript.record.note(&format!("it does not offer the model {wanted}")),
        }
        Ok(())
    }

    async fn select(&mut self, choice: &Choice, session: &str) -> Result<bool, Failure> {
        let mut params = choice.params.clone();
        params["sessionId"] = json!(session);
        let Err(refused) = self.exchange(choice.method, params).await? else { return Ok(true) };
        self.transcript.record.note(&format!("it did not switch to {}: {}", choice.id, refused.message));
        Ok(false)
    }

    fn parse_answer(&mut self, response: &Object<'_>) -> Result<String, Failure> {
        let answer = self.transcript.take_answer();
        match response.text("stopReason").as_deref() {
            Some("end_turn") if answer.trim().is_empty() && self.transcript.has_refusal() => {
                Err(no_answer("it gave up after a tool was refused"))
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

    /// Calls a method whose error ends the session.
    async fn call(&mut self, method: &str, params: Value) -> Result<String, Failure> {
        self.exchange(method, params).await?
    }

    /// Calls a method: the JSON of its result, or its error. Other messages are handled meanwhile.
    async fn exchange(&mut self, method: &str, params: Value) -> Result<Result<String, Failure>, Failure> {
        self.calls += 1;
        let id = self.calls;
        self.connection
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let line =
                self.connection.next().await.map_err(|error| self.connection_failure(&error, method))?;
            let Some(message) = self.transcript.record.event(&line) else { continue };
            if let Some(method) = message.text("method") {
                self.receive(&method, &message);
            } else if message.count("id") == Some(id) {
                return Ok(match (message.raw("result"), message.object("error")) {
                    (_, Some(error)) => Err(error_response(&error, method)),
                    // Some methods have no result.
                    (Some("null"), None) => Ok("{}".to_owned()),
                    (Some(result), None) => Ok(result.to_owned()),
                    (None, None) => Err(no_answer(&format!("{method} came back without a result"))),
                });
            }
            if self.transcript.record.exceeds_limit() {
                return Err(self.output_limit());
            }
        }
    }

    /// Handles a notification or a request of the agent.
    fn receive(&mut self, method: &str, message: &Object<'_>) {
        let params = message.object("params");
        let answer = match (method, &params) {
            ("session/update", Some(params)) => {
                if let Some(update) = params.object("update") {
                    self.transcript.update(&update);
                }
                None
            }
            ("session/request_permission", Some(params)) => Some(self.answer_permission(params)),
            _ => None,
        };
        // Only requests have an id, and only a valid id is sent back.
        let Some(id) = message.raw("id").filter(|id| id.len() <= 256 && !id.starts_with(['{', '['])) else {
            return;
        };
        self.connection.send(&match answer {
            Some(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            None => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            ),
        });
    }

    fn answer_permission(&mut self, request: &Object<'_>) -> Value {
        let tool = request.object("toolCall").and_then(|tool| tool.text("toolCallId"));
        let known = tool.as_deref().and_then(|tool| self.transcript.tool_kind(tool));
        let decision = decide(request, known, Access { writing: self.writing, web: self.web });
        self.transcript.end_message();
        if let Some(denied) = &decision.denied {
            self.transcript.record_refusal(tool, denied);
        }
        decision.answer
    }

    fn connection_failure(&self, error: &ConnectionError, method: &str) -> Failure {
        match error {
            ConnectionError::Closed => no_answer(&format!("it ended before it answered {method}")),
            ConnectionError::LimitExceeded => self.output_limit(),
            ConnectionError::Failed(error) => no_answer(&format!("its output could not be read: {error}")),
        }
    }

    fn output_limit(&self) -> Failure {
        failure(FailureKind::OutputLimit, &output_exceeded(self.max_bytes as u64, "limits.output_mb"))
    }
}

fn initialize() -> Value {
    json!({
        "protocolVersion": VERSION,
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        "clientInfo": {"name": "charrette", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn check_version(initialized: &Object<'_>) -> Result<(), Failure> {
    match initialized.count("protocolVersion") {
        Some(VERSION) => Ok(()),
        Some(other) => {
            Err(failure(FailureKind::Start, &format!("it speaks version {other} of the protocol")))
        }
        None => Err(failure(FailureKind::Start, "it does not say which version of the protocol it speaks")),
    }
}

/// The failure of an error response.
fn error_response(error: &Object<'_>, method: &str) -> Failure {
    let message = error.text("message").unwrap_or_default();
    let text = failure_text::innermost_message(&message);
    let text = if text.trim().is_empty() { format!("{method} was refused without a reason") } else { text };
    let details = error.object("data").and_then(|data| data.text("details").or_else(|| data.text("message")));
    let text =
        details.or_else(|| error.text("data")).map_or(text.clone(), |details| format!("{text}: {details}"));
    let code = error.number("code");
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    if code == Some(AUTH_REQUIRED as f64) {
        return failure(FailureKind::Credentials, &text);
    }
    // Some agents put the HTTP status there.
    let status = error.status("code").filter(|status| *status >= 400);
    let details = format!("{message} {}", error.raw("data").unwrap_or_default());
    let kind = failure_text::classify(status, &details).unwrap_or(FailureKind::Service { status });
    failure(kind, &text)
}

fn no_answer(message: &str) -> Failure {
    failure(FailureKind::NoAnswer, message)
}
