//! Classifies error messages of vendors: a status, a sentence, or a sentence with a status in it.
//!
//! Only texts that are known to be errors are passed in; an answer that mentions rate limits never is.

use super::event::Object;
use crate::outcome::FailureKind;
use std::time::Duration;

/// Maximum size of a message that is examined.
const MAX_BYTES: usize = 64 * 1024;

/// Upper limit for a wait that a message asks for.
const MAX_WAIT: Duration = Duration::from_hours(31 * 24);

/// The kind of failure that a message reports, if it can be recognised.
pub(crate) fn classify(status: Option<u16>, message: &str) -> Option<FailureKind> {
    let words = super::clean::start(message, MAX_BYTES).to_lowercase();
    let status = status.or_else(|| find_status(&words));
    let contains = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    match status {
        Some(429) => return Some(FailureKind::RateLimit { retry_after: find_wait(&words) }),
        Some(401 | 403) => return Some(FailureKind::Credentials),
        Some(413) => return Some(FailureKind::Limit),
        // With a server error, the text of the message is not reliable.
        Some(500..) => return Some(FailureKind::Service { status }),
        _ => {}
    }
    if contains(LIMIT_PHRASES) {
        Some(FailureKind::Limit)
    } else if contains(RATE_LIMIT_PHRASES) {
        Some(FailureKind::RateLimit { retry_after: find_wait(&words) })
    } else if contains(CREDENTIAL_PHRASES) {
        Some(FailureKind::Credentials)
    } else {
        status.map(|_| FailureKind::Service { status })
    }
}

/// The message, or the one inside it if it is a JSON document with an error.
pub(crate) fn innermost_message(message: &str) -> String {
    Object::parse(message.trim())
        .and_then(|outer| outer.object("error").unwrap_or(outer).text("message"))
        .unwrap_or_else(|| message.to_owned())
}

const LIMIT_PHRASES: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "prompt_too_long",
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "too many tokens",
    "input is too long",
    "token limit",
    "maximum number of turns",
    "max turns",
    "max session turns",
    "maximum budget",
];

const RATE_LIMIT_PHRASES: &[&str] = &[
    "rate limit",
    "rate_limit",
    "rate-limit",
    "ratelimit",
    "too many requests",
    "usage limit",
    "hit your limit",
    "quota",
    "resource_exhausted",
    "resource exhausted",
];

const CREDENTIAL_PHRASES: &[&str] = &[
    "api key",
    "api_key",
    "api-key",
    "apikey",
    "unauthorized",
    "unauthenticated",
    "authentication",
    "authenticate",
    "authorization",
    "permission_denied",
    "not logged in",
    "log in",
    "login",
    "sign in",
    "credential",
    "token expired",
    "expired token",
];

/// The HTTP status in a message.
fn find_status(words: &str) -> Option<u16> {
    let bytes = words.as_bytes();
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.');
    (0..bytes.len().saturating_sub(2)).find_map(|at| {
        let digits = words.get(at..at + 3)?;
        let alone = !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !bytes.get(at + 3).is_some_and(u8::is_ascii_alphanumeric);
        let status: u16 = digits.parse().ok()?;
        if !alone || !(400..600).contains(&status) {
            return None;
        }
        let before = words[..at].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '(');
        let after = words[at + 3..].trim_start();
        let named = before.ends_with('(')
            || ["status", "error", "code", "http", "statuscode"].iter().any(|word| before.ends_with(word))
            || REASONS.iter().any(|reason| after.starts_with(reason));
        named.then_some(status)
    })
}

/// Reason phrases that follow a status.
const REASONS: &[&str] = &[
    "too many requests",
    "unauthorized",
    "forbidden",
    "bad request",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "payment required",
];

/// The wait that a message asks for.
fn find_wait(words: &str) -> Option<Duration> {
    let phrases = [
        "retry in",
        "try again in",
        "retry after",
        "retry-after",
        "retrydelay",
        "resets in",
        "reset in",
        "wait",
    ];
    phrases.iter().find_map(|phrase| {
        let after = &words[words.find(phrase)? + phrase.len()..];
        parse_duration(after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '.'))
    })
}

/// Parses a duration: `20s`, `1.5 seconds`, `1 hour 20 minutes`, `30`.
pub(crate) fn parse_duration(words: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = words;
    let mut found = false;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..end].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[end..].trim_start();
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let factor = match &after[..unit_end] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            // A bare number is in seconds, and ends the duration.
            _ if !found => return clamp_wait(number),
            _ => break,
        };
        seconds += number * factor;
        found = true;
        rest = after[unit_end..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    if found { clamp_wait(seconds) } else { None }
}

fn clamp_wait(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.min(MAX_WAIT.as_secs_f64())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_classified() {
        let limit = |seconds| {
            Some(FailureKind::RateLimit { retry_after: Option::<f64>::map(seconds, Duration::from_secs_f64) })
        };
        let service = |status| Some(FailureKind::Service { status: Some(status) });
        let cases = [
            (
                None,
                "unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:37709/v1",
                Some(FailureKind::Credentials),
            ),
            (None, "exceeded retry limit, last status: 429 Too Many Requests", limit(None)),
            (None, "API Error: Request rejected (429) · rate limited", limit(None)),
            (None, "API Error: 500 boom. Try again in a moment, login or api key", service(500)),
            (None, "429 Too Many Requests: please retry in 12.5s.", limit(Some(12.5))),
            (None, "You've hit your usage limit. Try again in 1 hour 20 minutes.", limit(Some(4800.0))),
            (None, "{\"retryDelay\": \"34s\", \"status\": \"RESOURCE_EXHAUSTED\"}", limit(Some(34.0))),
            (Some(429), "slow down, Retry-After: 7", limit(Some(7.0))),
            (Some(429), "wait 99999999999999999999 days", limit(Some(MAX_WAIT.as_secs_f64()))),
            (Some(429), "wait 1e999", limit(Some(1.0))),
            (Some(400), "Prompt is too long", Some(FailureKind::Limit)),
            (Some(400), "API key not valid. Please pass a valid API key.", Some(FailureKind::Credentials)),
            (Some(400), "nope", service(400)),
            (Some(403), "nope", Some(FailureKind::Credentials)),
            (Some(413), "", Some(FailureKind::Limit)),
            (Some(529), "overloaded", service(529)),
            (None, "Invalid API key · Please run /login", Some(FailureKind::Credentials)),
            (None, "Not logged in", Some(FailureKind::Credentials)),
            (None, "This model's maximum context length is 8192 tokens", Some(FailureKind::Limit)),
            (None, "at line 429 of file.js:500:12", None),
            (None, "listening on 127.0.0.1:443", None),
            (None, "No conversation found with session ID: 401e", None),
            (None, "", None),
        ];
        for (status, complaint, expected) in cases {
            assert_eq!(classify(status, complaint), expected, "{status:?} {complaint}");
        }
    }

    #[test]
    fn durations_are_parsed() {
        let cases = [
            ("20s", Some(20.0)),
            ("1.5 seconds", Some(1.5)),
            ("250ms", Some(0.25)),
            ("2 days, 1 hour and 5 minutes", Some(176_700.0)),
            ("30", Some(30.0)),
            ("30.", Some(30.0)),
            ("1m30", Some(60.0)),
            ("soon", None),
            ("", None),
            ("1.2.3s", None),
        ];
        for (words, seconds) in cases {
            assert_eq!(parse_duration(words), seconds.map(Duration::from_secs_f64), "{words}");
        }
    }
}
