//! Marks in answers of tools: what a host was shown, such as `1-0123456789abcdef`. A script cannot know them beforehand, so
//! that the argument `{mark}` stands for the last one that the model has seen.

use super::script::Turn;
use serde_json::Value;

/// Argument that is replaced.
const PLACEHOLDER: &str = "{mark}";
/// Number of digits of the digest in a mark.
const DIGITS: usize = 16;

/// Replaces the placeholder in the calls of a turn by the first mark in a text.
pub(super) fn fill(turn: &mut Turn, seen: &str) {
    let Some(mark) = find(seen) else { return };
    for call in &mut turn.calls {
        fill_value(&mut call.arguments, mark);
    }
}

fn fill_value(value: &mut Value, mark: &str) {
    match value {
        Value::String(text) if text == PLACEHOLDER => mark.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(|value| fill_value(value, mark)),
        Value::Object(members) => members.values_mut().for_each(|value| fill_value(value, mark)),
        _ => {}
    }
}

/// The first mark in a text.
fn find(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).find(|word| {
        let Some((round, digest)) = word.split_once('-') else { return false };
        let is_round = !round.is_empty() && round.bytes().all(|byte| byte.is_ascii_digit());
        is_round && digest.len() == DIGITS && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mark_is_found() {
        let text = "run 01a1e3ac-a431-7812-9c07-3a0841a37594 (mark 00112233445566aa), shown 2-0011223344556677): 3-ffffffffffffffff";
        assert_eq!(find(text), Some("2-0011223344556677"));
        assert_eq!(find("nothing 2026-11-17"), None);
    }
}
