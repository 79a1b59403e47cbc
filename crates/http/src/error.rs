//! Errors of requests, without the address and headers of the request: these may hold secrets.

use crate::client::Timeouts;
use std::error::Error as _;
use std::time::Duration;

/// Maximum number of characters of a library's message that is repeated.
const MESSAGE_CHARS: usize = 300;

/// Reason a request has no complete response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The client could not be built; nothing was sent.
    #[error("{0}")]
    Setup(String),
    /// No connection: name not resolved, connection refused, TLS refused, connect timeout. Nothing was sent.
    #[error("{0}")]
    Connect(String),
    /// The total timeout has passed. The service may have received the request.
    #[error("no complete response within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// The connection broke. The service may have received the request.
    #[error("{0}")]
    Broken(String),
    #[error("the body exceeds {limit} bytes")]
    BodyTooLarge { limit: usize },
}

impl HttpError {
    pub(crate) fn setup(error: reqwest::Error) -> HttpError {
        HttpError::Setup(root_cause(error))
    }

    /// `timeouts` are those of the request, for messages.
    pub(crate) fn from_reqwest(error: reqwest::Error, timeouts: Timeouts) -> HttpError {
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => {
                HttpError::Connect(format!("no connection within {} s", timeouts.connect.as_secs_f64()))
            }
            (true, false) => HttpError::Connect(root_cause(error)),
            (false, true) => HttpError::Timeout(timeouts.total.unwrap_or(timeouts.connect)),
            (false, false) if error.is_builder() => HttpError::setup(error),
            (false, false) => HttpError::Broken(root_cause(error)),
        }
    }
}

/// The message of the innermost error: the outer ones repeat the address or say nothing.
fn root_cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        message = inner.to_string();
        source = inner.source();
    }
    one_line(&message)
}

/// One line without control characters. A message may quote a certificate or another text from outside.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.chars().take(MESSAGE_CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_short_line() {
        assert_eq!(one_line("a\n b\u{1b}[31m"), "a b\u{fffd}[31m");
        assert_eq!(one_line(&"x".repeat(1000)).len(), MESSAGE_CHARS);
    }

    #[test]
    fn timeouts_name_the_limit() {
        let message = |limit| HttpError::Timeout(limit).to_string();
        assert_eq!(message(Duration::from_secs(20)), "no complete response within 20 s");
        assert_eq!(message(Duration::from_millis(200)), "no complete response within 0.2 s");
    }
}
