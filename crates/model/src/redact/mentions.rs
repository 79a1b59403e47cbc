//! Passwords in what a person wrote: less certain than what is redacted, and so only good for a question, and to be left out of
//! names.

use super::Redactor;
use super::assigned::{name_before, secret_name, value_length, value_start};
use super::value::{MIN_BYTES, is_placeholder_password, is_reference, looks_generated};
use memchr::{memchr2_iter, memmem};
use std::ops::Range;

/// The shortest value that a person is asked about.
const SHORTEST_PASSWORD: usize = 6;

/// Endings of names that hold what a person chose, and not a program.
const CHOSEN: [&str; 5] = ["password", "passwd", "passphrase", "pwd", "pass"];

/// True if a text that a person wrote assigns something like a password: `PASSWORD=hunter2`.
pub fn mentions_secret(text: &str) -> bool {
    mentions(text.as_bytes()).next().is_some()
}

/// A text without what looks like a secret, certain or not, and without a marker in its place.
pub fn without_secrets(text: &str) -> String {
    let mut rest = text.to_owned();
    let found: Vec<Range<usize>> = mentions(text.as_bytes()).collect();
    for at in
        found.into_iter().rev().filter(|at| text.is_char_boundary(at.start) && text.is_char_boundary(at.end))
    {
        rest.replace_range(at, " ");
    }
    Redactor::new::<String, Vec<u8>>([]).without_secrets(&rest)
}

/// Values that look like passwords, in their order.
fn mentions(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    memchr2_iter(b':', b'=', text).filter_map(|sign| assigned(text, sign).or_else(|| user_option(text, sign)))
}

/// The value that is assigned at this sign.
fn assigned(text: &[u8], sign: usize) -> Option<Range<usize>> {
    let name = name_before(&text[..sign]);
    let (start, quote) = value_start(text, sign)?;
    let at = start..start + value_length(&text[start..], quote);
    let value = &text[at.clone()];
    let is_chosen = ends_with_word(name, &CHOSEN);
    if !(is_chosen || secret_name(name)) || value.len() < SHORTEST_PASSWORD || is_reference_of_person(value) {
        return None;
    }
    // A call: `token = get_token()`.
    if quote.is_none() && text.get(at.end) == Some(&b'(') {
        return None;
    }
    let is_tight =
        quote.is_some() || (text[sign] == b'=' && start == sign + 1 && !text[..sign].ends_with(b" "));
    let (has_digit, has_letter) =
        (value.iter().any(u8::is_ascii_digit), value.iter().any(u8::is_ascii_alphabetic));
    let is_password = match (has_digit, has_letter) {
        (true, true) => is_tight || mixes_digits(value),
        // `max_pass=100000` is a limit.
        (true, false) => is_tight && is_chosen && !ends_with_word(name, &["pass"]) && is_number(value),
        (false, _) => {
            is_tight && is_chosen && value.len() >= MIN_BYTES && value.iter().all(u8::is_ascii_lowercase)
        }
    };
    is_password.then_some(at)
}

/// The password of `curl -u user:password`.
fn user_option(text: &[u8], colon: usize) -> Option<Range<usize>> {
    if text[colon] != b':' {
        return None;
    }
    let line = text[..colon].iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let before = &text[line..colon];
    let user = before.iter().rposition(u8::is_ascii_whitespace).map(|blank| &before[..blank])?;
    let is_option = [&b" -u"[..], b" --user"].iter().any(|option| user.ends_with(option));
    let is_curl = memmem::find(user, b"curl").is_some();
    let at = colon + 1..colon + 1 + value_length(&text[colon + 1..], None);
    let value = &text[at.clone()];
    let is_password = value.len() >= SHORTEST_PASSWORD && !is_reference_of_person(value);
    (is_option && is_curl && is_password).then_some(at)
}

/// True for what stands for a value: `$NAME`, `/home/ada/x1`, `process.env.PASSWORD1`, `password`.
fn is_reference_of_person(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphabetic);
    let mut parts = value.split(|b| *b == b'.');
    let is_member = value.contains(&b'.') && parts.next().is_some_and(is_name) && !looks_generated(value);
    is_reference(value) || value.starts_with(b"/") || is_member || is_placeholder_password(value)
}

fn is_number(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_digit)
}

/// True if letters follow digits: `hunter2hunter2`, and not `sha256` or `bcrypt12`.
fn mixes_digits(value: &[u8]) -> bool {
    value.windows(2).any(|two| two[0].is_ascii_digit() && two[1].is_ascii_alphabetic())
}

/// True if a name is one of these words, or ends in one after a separator.
fn ends_with_word(name: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| {
        let Some(start) = name.len().checked_sub(word.len()) else { return false };
        name[start..].eq_ignore_ascii_case(word.as_bytes())
            && (start == 0 || *word != "pass" || matches!(name[start - 1], b'_' | b'-' | b'.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_a_request_are_asked_about() {
        for (text, rest) in [
            ("set PASSWORD=hunter2hunter2 there", "set PASSWORD=  there"),
            ("the db_password: s3cret", "the db_password:  "),
            ("token = \"abc123\"", "token = \" \""),
            ("log in with password=correcthorsebattery", "log in with password= "),
            ("log in with password=12345678", "log in with password= "),
            ("DB_PASS=hunter2hunter2 in .env", "DB_PASS=  in .env"),
            ("PASSWORD=hunter2", "PASSWORD= "),
            ("curl -u admin:hunter2hunter2 https://x", "curl -u admin:  https://x"),
            ("curl https://x --user admin:letmein", "curl https://x --user admin: "),
        ] {
            assert!(mentions_secret(text), "{text}");
            assert_eq!(without_secrets(text), rest);
        }
    }

    #[test]
    fn honest_requests_are_not() {
        for text in [
            "add a password reset page and token refresh",
            "read PASSWORD=$DB_PASSWORD_1 from the environment",
            "the token: a short one",
            "limit = 100000",
            "store the password: bcrypt12",
            "hash the token: sha256",
            "support user:password in URLs such as https://user:password@host",
            "set pwd: /home/user1/project",
            "password=process.env.PASSWORD1",
            "access_token: OAuth2 bearer",
            "token = get_token_2()",
            "token=get_token2()",
            "an input with type=password and password=required",
            "let the compass: north2south point",
            "max_pass=100000 passes: a bypass=hunter2 of the filter",
            "curl -u user:password",
            "docker run -u 1000:1000000",
        ] {
            assert!(!mentions_secret(text), "{text}");
            assert_eq!(without_secrets(text), text);
        }
    }
}
