//! Values assigned to a secret name: `api_key: "…"`, `PASSWORD=…`, and the `Authorization` header.

use super::marker::Secret;
use super::value::{INSPECTED_BYTES, is_reference, looks_generated};
use memchr::memchr2_iter;

pub(super) const SECRET: &str = "secret";
pub(super) const AUTHORIZATION: &str = "authorization";

/// The shortest value that a person is asked about.
const SHORTEST_PASSWORD: usize = 6;

/// Endings of secret names, separators removed.
const ENDINGS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authkey",
    "credential",
];

/// True if an environment variable holds a secret, such as `OPENAI_API_KEY`. An absolute path, such as a
/// socket's, is no secret.
pub fn is_secret(name: &str, value: &[u8]) -> bool {
    is_secret_name(name) && !value.starts_with(b"/")
}

/// True if the name suggests a secret.
pub fn is_secret_name(name: &str) -> bool {
    value_kind(name.as_bytes()) == Some(SECRET)
}

/// True if a text that a person wrote assigns something like a password: `PASSWORD=hunter2`. Less certain than what is
/// redacted, and so only good for a question.
pub fn mentions_secret(text: &str) -> bool {
    let text = text.as_bytes();
    memchr2_iter(b':', b'=', text).any(|sign| {
        let is_secret = name_before(&text[..sign]).and_then(value_kind) == Some(SECRET);
        is_secret
            && value_start(text, sign).is_some_and(|(start, quote)| {
                let value = &text[start..start + value_length(&text[start..], quote)];
                value.len() >= SHORTEST_PASSWORD
                    && value.iter().any(u8::is_ascii_digit)
                    && value.iter().any(u8::is_ascii_alphabetic)
                    && !is_reference(value)
            })
    })
}

pub(super) fn find(text: &[u8], found: &mut Vec<Secret<'_>>) {
    for sign in memchr2_iter(b':', b'=', text) {
        let Some(kind) = name_before(&text[..sign]).and_then(value_kind) else { continue };
        let value = if kind == AUTHORIZATION { credentials(text, sign) } else { assigned_value(text, sign) };
        if let Some(at) = value {
            found.push(Secret { at, name: kind });
        }
    }
}

/// The name before an assignment sign, without quotes and blanks.
fn name_before(text: &[u8]) -> Option<&[u8]> {
    let last = |text: &[u8]| text.last().copied();
    let mut text = text.strip_suffix(b":").unwrap_or(text);
    for _ in 0..4 {
        match last(text) {
            Some(b' ' | b'\t') => text = &text[..text.len() - 1],
            _ => break,
        }
    }
    if let Some(b'"' | b'\'' | b'`' | b']') = last(text) {
        text = &text[..text.len() - 1];
        text = text.strip_suffix(b"\"").or_else(|| text.strip_suffix(b"'")).unwrap_or(text);
        text = text.strip_suffix(b"\\").unwrap_or(text);
    }
    // Cheap filter: secret names end in few different letters.
    if !matches!(last(text)?.to_ascii_lowercase(), b'd' | b'e' | b't' | b'n' | b'y' | b'l') {
        return None;
    }
    let from = text.len().saturating_sub(64);
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let start = text[from..].iter().rposition(|b| !is_part(b)).map_or(from, |n| from + n + 1);
    Some(&text[start..])
}

/// The kind of value a name suggests: [`SECRET`], [`AUTHORIZATION`] or none.
fn value_kind(name: &[u8]) -> Option<&'static str> {
    let mut plain = [0; 64];
    let mut length = 0;
    let letters = name.iter().filter(|b| !matches!(b, b'_' | b'-' | b'.'));
    for (slot, letter) in plain.iter_mut().zip(letters) {
        *slot = letter.to_ascii_lowercase();
        length += 1;
    }
    let plain = &plain[..length];
    if plain.ends_with(AUTHORIZATION.as_bytes()) {
        return Some(AUTHORIZATION);
    }
    ENDINGS.iter().any(|ending| plain.ends_with(ending.as_bytes())).then_some(SECRET)
}

/// The value after an assignment sign, if it looks like a secret.
fn assigned_value(text: &[u8], sign: usize) -> Option<std::ops::Range<usize>> {
    let (start, quote) = value_start(text, sign)?;
    let end = start + value_length(&text[start..], quote);
    looks_generated(&text[start..end]).then(|| start..value_end(text, end, quote))
}

/// The credentials after `Authorization:`; their scheme is kept.
fn credentials(text: &[u8], sign: usize) -> Option<std::ops::Range<usize>> {
    const SCHEMES: [&[u8]; 6] = [b"bearer", b"basic", b"token", b"digest", b"apikey", b"negotiate"];
    let (start, quote) = value_start(text, sign)?;
    let first = value_length(&text[start..], quote);
    let word = &text[start..start + first];
    if !SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) {
        return looks_generated(word).then(|| start..value_end(text, start + first, quote));
    }
    let blanks = text[start + first..].iter().take_while(|b| **b == b' ').count();
    let start = start + first + blanks;
    let end = start + value_length(&text[start..], quote);
    let word = &text[start..end];
    // A shorter minimum than elsewhere, but no English: "Basic authentication is required".
    let no_word = word.iter().any(u8::is_ascii_digit)
        || word.ends_with(b"=")
        || word.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let plain = word.iter().all(|b| b.is_ascii_alphanumeric() || b"-._~+/=".contains(b));
    (blanks > 0 && word.len() >= 8 && no_word && plain).then(|| start..value_end(text, end, quote))
}

/// Start of the value after a sign, and its quote. `None` if the sign is part of a longer operator.
fn value_start(text: &[u8], sign: usize) -> Option<(usize, Option<u8>)> {
    let mut at = sign + 1;
    match (text[sign], text.get(at)) {
        (b':', Some(b':' | b'/' | b'=')) | (b'=', Some(b'=' | b'~')) => return None,
        (b'=', Some(b'>')) => at += 1,
        _ => {}
    }
    at += text[at..].iter().take(8).take_while(|b| matches!(b, b' ' | b'\t')).count();
    if text.get(at) == Some(&b'\\') {
        at += 1;
    }
    match text.get(at) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => Some((at + 1, Some(quote))),
        Some(_) => Some((at, None)),
        None => None,
    }
}

/// Length of a value, at most [`INSPECTED_BYTES`].
fn value_length(value: &[u8], quote: Option<u8>) -> usize {
    let value = &value[..value.len().min(INSPECTED_BYTES)];
    value.iter().position(|&b| ends_value(b, quote)).unwrap_or(value.len())
}

/// End of the value that reaches at least to `end`.
fn value_end(text: &[u8], end: usize, quote: Option<u8>) -> usize {
    end + text[end..].iter().position(|&b| ends_value(b, quote)).unwrap_or(text.len() - end)
}

fn ends_value(b: u8, quote: Option<u8>) -> bool {
    if b.is_ascii_whitespace() || b.is_ascii_control() || b == b'\\' {
        return true;
    }
    match quote {
        Some(quote) => b == quote,
        None => matches!(
            b,
            b'"' | b'\''
                | b'`'
                | b','
                | b';'
                | b'<'
                | b'>'
                | b'('
                | b')'
                | b'{'
                | b'}'
                | b'['
                | b']'
                | b'|'
                | b'&'
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_a_request_are_asked_about() {
        for text in ["set PASSWORD=hunter2hunter2", "the db_password: s3cret", "token = \"abc123\""] {
            assert!(mentions_secret(text), "{text}");
        }
        for text in [
            "add a password reset page and token refresh",
            "read PASSWORD=$DB_PASSWORD_1 from the environment",
            "the token: a short one",
            "limit = 100000",
        ] {
            assert!(!mentions_secret(text), "{text}");
        }
    }
}
