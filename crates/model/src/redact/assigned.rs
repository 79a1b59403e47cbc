//! Values assigned to a secret name: `api_key: "…"`, `PASSWORD=…`, and the `Authorization` header.

use super::marker::Secret;
use super::value::{INSPECTED_BYTES, is_uuid, looks_generated};
use memchr::memchr2_iter;

pub(super) const SECRET: &str = "secret";
pub(super) const AUTHORIZATION: &str = "authorization";

/// Endings of secret names, separators removed.
const ENDINGS: [&str; 15] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
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

/// True if a name in a text suggests a secret.
pub(super) fn secret_name(name: &[u8]) -> bool {
    value_kind(name) == Some(SECRET)
}

pub(super) fn find(text: &[u8], found: &mut Vec<Secret<'_>>) {
    for sign in memchr2_iter(b':', b'=', text) {
        let before = without_quotes(&text[..sign]);
        if !may_end_secret_name(before) {
            continue;
        }
        let Some(kind) = value_kind(last_name(before)) else { continue };
        let value = if kind == AUTHORIZATION {
            credentials(text, sign)
        } else {
            assigned_value(text, sign).or_else(|| npm_token(text, sign))
        };
        if let Some(at) = value {
            found.push(Secret { at, name: kind });
        }
    }
}

/// The name before an assignment sign, without quotes and blanks.
pub(super) fn name_before(text: &[u8]) -> &[u8] {
    last_name(without_quotes(text))
}

/// A text that ends where a name may end.
fn without_quotes(text: &[u8]) -> &[u8] {
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
    text
}

/// Cheap filter: secret names end in few different letters.
fn may_end_secret_name(text: &[u8]) -> bool {
    let last = text.last().map(u8::to_ascii_lowercase);
    matches!(last, Some(b'd' | b'e' | b't' | b'n' | b'y' | b'l'))
}

/// The name at the end of a text.
fn last_name(text: &[u8]) -> &[u8] {
    let from = text.len().saturating_sub(64);
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let word = |text: &[u8]| text[from..].iter().rposition(|b| !is_part(b)).map_or(from, |n| from + n + 1);
    let start = word(text);
    // `api key` in prose.
    let is_key = text[start..].eq_ignore_ascii_case(b"key");
    match text[from..start].strip_suffix(b" ") {
        Some(before) if is_key => &text[word(&text[..from + before.len()])..],
        _ => &text[start..],
    }
}

/// The kind of value a name suggests: [`SECRET`], [`AUTHORIZATION`] or none.
fn value_kind(name: &[u8]) -> Option<&'static str> {
    let mut plain = [0; 64];
    let mut length = 0;
    let letters = name.iter().filter(|b| !matches!(b, b'_' | b'-' | b'.' | b' '));
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

/// A token of a private npm registry, `_authToken=UUID`. Elsewhere a UUID is no secret.
fn npm_token(text: &[u8], sign: usize) -> Option<std::ops::Range<usize>> {
    let (start, quote) = value_start(text, sign)?;
    let end = start + value_length(&text[start..], quote);
    (text[..sign].ends_with(b"_authToken") && is_uuid(&text[start..end])).then_some(start..end)
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
pub(super) fn value_start(text: &[u8], sign: usize) -> Option<(usize, Option<u8>)> {
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
pub(super) fn value_length(value: &[u8], quote: Option<u8>) -> usize {
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
