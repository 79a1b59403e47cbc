//! Texts of a service in our error messages: one short line without the key.

use charrette_model::escape::printable;
use secrecy::{ExposeSecret as _, SecretString};

/// Maximum number of characters of a service's message that is repeated.
const MESSAGE_CHARS: usize = 300;

/// A service's message as one line without control characters and without the key. The key is removed first:
/// cutting could leave half of it.
pub(crate) fn redact(text: &str, key: &SecretString) -> String {
    let key = key.expose_secret().trim();
    let text = if key.is_empty() { text.to_owned() } else { text.replace(key, "[key]") };
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MESSAGE_CHARS).collect();
    printable(&line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_short_line_without_the_key() {
        let key = SecretString::from("lin_api_1234567890");
        let long = format!("a\n\u{1b}[31mb lin_api_1234567890 {}", "x".repeat(1000));
        let line = redact(&long, &key);
        assert!(line.starts_with("a ") && line.contains("b [key] xxx"), "{line}");
        assert!(!line.contains('\u{1b}') && !line.contains("1234567890") && line.len() < 400, "{line}");
    }
}
