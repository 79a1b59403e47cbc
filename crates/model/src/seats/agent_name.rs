//! Names of agents, which are also names of folders.

/// Maximum length of the name of an agent.
const MAX_CHARS: usize = 64;

/// True if a text can be the name of an agent: letters, digits, `-`, `_` and `.`, beginning with a letter or a digit.
pub fn is_agent_name(text: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    text.len() <= MAX_CHARS
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_accepted() {
        for (name, valid) in [
            ("human", true),
            ("gemini-acp", true),
            ("Model_4.5", true),
            ("7", true),
            ("", false),
            (".", false),
            ("..", false),
            (".hidden", false),
            ("-flag", false),
            ("a/b", false),
            ("../x", false),
            ("a\\b", false),
            ("a b", false),
            ("a\nb", false),
            ("ä", false),
        ] {
            assert_eq!(is_agent_name(name), valid, "{name:?}");
        }
        assert!(is_agent_name(&"x".repeat(MAX_CHARS)) && !is_agent_name(&"x".repeat(MAX_CHARS + 1)));
    }
}
