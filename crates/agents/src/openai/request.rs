//! One chat completion request, and the outcome of its response.

use super::completion::{Completion, error_message};
use super::sse::SseParser;
use crate::outcome::{self, Failure, FailureKind, Outcome};
use crate::stream::event::Object;
use crate::stream::{clean, failure_text};
use charrette_http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use charrette_http::{Address, AddressError, HttpClient, HttpError, HttpResponse, PlainHttp, Timeouts};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use std::fmt;

/// Maximum size of an error response that is read.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// An endpoint that speaks chat completions.
#[derive(Clone)]
pub struct Endpoint {
    /// URL up to the version, such as `http://127.0.0.1:8080/v1`.
    pub url: String,
    /// API key, if the endpoint wants one.
    pub key: Option<SecretString>,
    /// Model, if the user has set one.
    pub model: Option<String>,
    /// Reasoning effort, if the user has set one.
    pub effort: Option<String>,
    /// Output limit: maximum size of a response in bytes.
    pub max_bytes: usize,
}

/// The origin only: the URL may hold a password.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// URL of its chat completions. It is the user's choice: model servers in a local network have no certificate.
    pub fn address(&self) -> Result<Address, AddressError> {
        let url = format!("{}/chat/completions", self.url.trim_end_matches('/'));
        Address::parse(&url, PlainHttp::AnyHost)
    }
}

/// Sends a prompt and waits for the answer. `on_activity` is called whenever something was received.
///
/// The request is sent once, without a time limit for the response: callers watch its activity.
pub async fn complete(endpoint: &Endpoint, prompt: &str, on_activity: &(dyn Fn() + Sync)) -> Outcome {
    let client = match client(endpoint) {
        Ok(client) => client,
        Err(problem) => return Outcome::failed(FailureKind::Start, problem),
    };
    let Some(headers) = headers(endpoint) else {
        return Outcome::failed(FailureKind::Credentials, "the key holds characters that cannot be sent");
    };
    let response = match client.post(headers, body(endpoint, prompt)).await {
        Ok(response) => response,
        Err(error @ (HttpError::Setup(_) | HttpError::Connect(_))) => {
            return Outcome::failed(FailureKind::Start, message(&error));
        }
        Err(error) => return Outcome::failed(FailureKind::NoAnswer, message(&error)),
    };
    on_activity();
    if !response.status().is_success() {
        return refusal(response, endpoint, on_activity).await;
    }
    let is_stream = response
        .header(CONTENT_TYPE)
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/event-stream"));
    if is_stream {
        read_stream(response, endpoint, on_activity).await
    } else {
        read_document(response, endpoint, on_activity).await
    }
}

fn client(endpoint: &Endpoint) -> Result<HttpClient, String> {
    let address = endpoint.address().map_err(|error| error.to_string())?;
    HttpClient::new(address, Timeouts::streaming()).map_err(|error| message(&error))
}

fn headers(endpoint: &Endpoint) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    if let Some(key) = &endpoint.key {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret().trim())).ok()?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Some(headers)
}

fn body(endpoint: &Endpoint, prompt: &str) -> String {
    let mut body = json!({
        "messages": [{"role": "user", "content": prompt}],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if let Some(model) = &endpoint.model {
        body["model"] = json!(model);
    }
    if let Some(effort) = &endpoint.effort {
        body["reasoning_effort"] = json!(effort);
    }
    body.to_string()
}

async fn read_stream(
    mut response: HttpResponse,
    endpoint: &Endpoint,
    on_activity: &(dyn Fn() + Sync),
) -> Outcome {
    let mut completion = Completion::new(endpoint.max_bytes);
    let mut events = SseParser::default();
    let end = loop {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break "the connection was closed".to_owned(),
            Err(error) => break message(&error),
        };
        on_activity();
        let is_open =
            events.receive(&chunk).into_iter().all(|event| completion.read_event(&redact(event, endpoint)));
        if events.buffered_bytes() > endpoint.max_bytes {
            return output_limit(endpoint);
        }
        if !is_open {
            return redact_outcome(completion.outcome(""), endpoint);
        }
    };
    if let Some(last) = events.finish() {
        completion.read_event(&redact(last, endpoint));
    }
    redact_outcome(completion.outcome(&end), endpoint)
}

async fn read_document(
    mut response: HttpResponse,
    endpoint: &Endpoint,
    on_activity: &(dyn Fn() + Sync),
) -> Outcome {
    let mut completion = Completion::new(endpoint.max_bytes);
    let mut body = Vec::new();
    match response.read_body(&mut body, endpoint.max_bytes, on_activity).await {
        Ok(()) => completion.read_document(&redact(String::from_utf8_lossy(&body).into_owned(), endpoint)),
        Err(HttpError::BodyTooLarge { .. }) => return output_limit(endpoint),
        Err(error) => return redact_outcome(completion.outcome(&message(&error)), endpoint),
    }
    if completion.exceeds_limit() {
        output_limit(endpoint)
    } else {
        redact_outcome(completion.outcome(""), endpoint)
    }
}

/// The outcome of a response whose status is no success.
async fn refusal(
    mut response: HttpResponse,
    endpoint: &Endpoint,
    on_activity: &(dyn Fn() + Sync),
) -> Outcome {
    let status = response.status();
    let retry_after = response.header(RETRY_AFTER).and_then(|wait| failure_text::parse_duration(wait.trim()));
    let mut body = Vec::new();
    if let Err(HttpError::BodyTooLarge { .. }) =
        response.read_body(&mut body, MAX_ERROR_BYTES, on_activity).await
    {
        // The status alone says enough.
        body.clear();
    }
    let body = redact(String::from_utf8_lossy(&body).into_owned(), endpoint);
    let text = match Object::parse(body.trim()) {
        Some(document) => error_message(&document).1,
        None if body.trim().is_empty() => status.canonical_reason().unwrap_or("it gave no reason").to_owned(),
        None => body,
    };
    let code = status.as_u16();
    let kind = match failure_text::classify(Some(code), &text) {
        Some(FailureKind::RateLimit { retry_after: in_text }) => {
            FailureKind::RateLimit { retry_after: retry_after.or(in_text) }
        }
        kind => kind.unwrap_or(FailureKind::Service { status: Some(code) }),
    };
    Outcome::failed(kind, clean::one_line(&format!("{code}: {text}")))
}

fn output_limit(endpoint: &Endpoint) -> Outcome {
    let message = outcome::output_exceeded(endpoint.max_bytes as u64, "limits.output_mb");
    Outcome::failed(FailureKind::OutputLimit, message)
}

/// The outcome without the key, which the server may have repeated in pieces.
fn redact_outcome(mut outcome: Outcome, endpoint: &Endpoint) -> Outcome {
    outcome.answer = match outcome.answer {
        Ok(text) => Ok(redact(text, endpoint)),
        Err(failure) => Err(Failure { message: redact(failure.message, endpoint), ..failure }),
    };
    outcome
}

/// A text of the server without the key, which it may repeat. To be called before the text is cut.
fn redact(text: String, endpoint: &Endpoint) -> String {
    let key = endpoint.key.as_ref().map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty());
    match key {
        Some(key) if text.contains(key) => text.replace(key, "[key]"),
        _ => text,
    }
}

fn message(error: &HttpError) -> String {
    clean::one_line(&error.to_string())
}
