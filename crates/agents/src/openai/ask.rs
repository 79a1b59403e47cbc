//! The question itself: one request, and what its response makes.

use super::answer::{Answer, complaint_in};
use super::sse::Events;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::stream::event::Object;
use crate::stream::{clean, complaint};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use std::error::Error as _;
use std::sync::Once;

/// How much of an error's body is read.
const MOST_OF_ERROR: usize = 64 << 10;

/// An endpoint that speaks chat completions.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its address up to the version, such as `http://127.0.0.1:8080/v1`.
    pub url: String,
    /// The key to show, if it wants one.
    pub key: Option<SecretString>,
    /// The model to ask for, if the user wants one.
    pub model: Option<String>,
    /// The effort to ask for, if the user wants one.
    pub effort: Option<String>,
    /// How many bytes of an answer may be held.
    pub most: usize,
}

/// Asks the endpoint, and says what it came to. `pulse` is called whenever something was received.
pub async fn ask(endpoint: &Endpoint, prompt: &str, pulse: &(dyn Fn() + Sync)) -> Outcome {
    let client = match client(endpoint) {
        Ok(client) => client,
        Err(error) => return Outcome::failed(FailureKind::Start, in_words(error)),
    };
    let Some(headers) = headers(endpoint) else {
        return Outcome::failed(FailureKind::Credentials, "the key holds characters that cannot be sent");
    };
    let url = format!("{}/chat/completions", endpoint.url.trim_end_matches('/'));
    let response = match client.post(url).headers(headers).body(body(endpoint, prompt)).send().await {
        Ok(response) => response,
        Err(error) => {
            let is_reached = !(error.is_connect() || error.is_builder());
            let kind = if is_reached { FailureKind::NoAnswer } else { FailureKind::Start };
            return Outcome::failed(kind, in_words(error));
        }
    };
    pulse();
    if !response.status().is_success() {
        return refused(response, endpoint, pulse).await;
    }
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().to_ascii_lowercase().starts_with(b"text/event-stream"));
    if is_stream { streamed(response, endpoint, pulse).await } else { whole(response, endpoint, pulse).await }
}

/// A client that knows nothing of the environment: no proxies, and no roots where there is no TLS.
fn client(endpoint: &Endpoint) -> reqwest::Result<Client> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Somebody may have chosen another one before: that one will do as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .user_agent(concat!("charrette/", env!("CARGO_PKG_VERSION")));
    let is_plain = endpoint.url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
    if is_plain { builder.tls_certs_only([]).build() } else { builder.build() }
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

async fn streamed(mut response: Response, endpoint: &Endpoint, pulse: &(dyn Fn() + Sync)) -> Outcome {
    let mut answer = Answer::new(endpoint.most);
    let mut events = Events::default();
    let end = loop {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break "the connection was closed".to_owned(),
            Err(error) => break in_words(error),
        };
        pulse();
        let goes_on =
            events.receive(&chunk).into_iter().all(|event| answer.event(&without_key(event, endpoint)));
        if events.waiting() > endpoint.most {
            return flooded(endpoint);
        }
        if !goes_on {
            return redacted(answer.outcome(""), endpoint);
        }
    };
    if let Some(last) = events.finish() {
        answer.event(&without_key(last, endpoint));
    }
    redacted(answer.outcome(&end), endpoint)
}

async fn whole(response: Response, endpoint: &Endpoint, pulse: &(dyn Fn() + Sync)) -> Outcome {
    let mut answer = Answer::new(endpoint.most);
    let (body, end) = match collect(response, endpoint.most, pulse).await {
        Ok(collected) => collected,
        Err(Flooded) => return flooded(endpoint),
    };
    match end {
        None => answer.document(&without_key(String::from_utf8_lossy(&body).into_owned(), endpoint)),
        Some(error) => return redacted(answer.outcome(&error), endpoint),
    }
    if answer.is_flooded() { flooded(endpoint) } else { redacted(answer.outcome(""), endpoint) }
}

/// A response that is no answer.
async fn refused(response: Response, endpoint: &Endpoint, pulse: &(dyn Fn() + Sync)) -> Outcome {
    let status = response.status();
    let wait = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
    let wait = wait.and_then(|wait| complaint::duration(wait.trim()));
    // What a server says beyond that is not needed to know what it means.
    let body = collect(response, MOST_OF_ERROR, pulse).await.map(|(body, _)| body).unwrap_or_default();
    let body = without_key(String::from_utf8_lossy(&body).into_owned(), endpoint);
    let said = match Object::parse(body.trim()) {
        Some(document) => complaint_in(&document).1,
        None if body.trim().is_empty() => status.canonical_reason().unwrap_or("it gave no reason").to_owned(),
        None => body,
    };
    let code = status.as_u16();
    let kind = match complaint::kind(Some(code), &said) {
        Some(FailureKind::RateLimit { retry_after }) => {
            FailureKind::RateLimit { retry_after: wait.or(retry_after) }
        }
        kind => kind.unwrap_or(FailureKind::Service { status: Some(code) }),
    };
    Outcome::failed(kind, clean::one_line(&format!("{code}: {said}")))
}

/// More was sent than is read.
struct Flooded;

/// A body within bounds, and what ended it before its end.
async fn collect(
    mut response: Response,
    most: usize,
    pulse: &(dyn Fn() + Sync),
) -> Result<(Vec<u8>, Option<String>), Flooded> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => return Err(Flooded),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok((body, None)),
            Err(error) => return Ok((body, Some(in_words(error)))),
        }
        pulse();
    }
}

fn flooded(endpoint: &Endpoint) -> Outcome {
    Outcome::failed(FailureKind::Flood, format!("sent more than the {} bytes that are read", endpoint.most))
}

/// The outcome without the key, should it have come in pieces.
fn redacted(mut outcome: Outcome, endpoint: &Endpoint) -> Outcome {
    outcome.answer = match outcome.answer {
        Ok(text) => Ok(without_key(text, endpoint)),
        Err(failure) => Err(Failure { message: without_key(failure.message, endpoint), ..failure }),
    };
    outcome
}

/// What a server says, without the key that it may repeat. Before anything is cut, or half of it would be left.
fn without_key(text: String, endpoint: &Endpoint) -> String {
    let key = endpoint.key.as_ref().map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty());
    match key {
        Some(key) if text.contains(key) => text.replace(key, "[key]"),
        _ => text,
    }
}

/// What went wrong at the bottom of it, without the address, which may hold a password.
fn in_words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut deepest = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        deepest = deeper.to_string();
        source = deeper.source();
    }
    clean::one_line(&deepest)
}
