//! Removes tool names from ballots, so that judges cannot judge the tool instead of the defense.

use std::borrow::Cow;

/// Tool names, masked in any case and also inside other words.
pub const TOOL_NAMES: [&str; 5] = ["cursor", "codex", "claude", "gemini", "opencode"];

/// Replacement for a tool name.
pub const WITHHELD: &str = "(name withheld)";

/// The first tool name in a text.
pub fn named_tool(text: &str) -> Option<&'static str> {
    find_name(text, &TOOL_NAMES).map(|(_, name)| name)
}

/// Masks the tool names in `text`.
pub fn withhold_tool_names(text: &str) -> Cow<'_, str> {
    replace_names(text, &TOOL_NAMES, WITHHELD)
}

/// Replaces each of `names` in `text`, ignoring case. The replacement must not complete another name.
pub(super) fn replace_names<'a>(text: &'a str, names: &[&'static str], replacement: &str) -> Cow<'a, str> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some((at, name)) = find_name(rest, names) {
        masked.push_str(&rest[..at]);
        masked.push_str(replacement);
        rest = &rest[at + name.len()..];
    }
    if masked.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked + rest) }
}

fn find_name(text: &str, names: &[&'static str]) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|at| {
        let starts = |name: &&&str| {
            bytes[at..].get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        };
        names.iter().find(starts).map(|name| (at, *name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tool_names_are_masked_anywhere() {
        for (text, expected) in [
            ("", ""),
            ("nobody", "nobody"),
            ("Cursor says", "(name withheld) says"),
            ("as CODEX and claude's gemini-2", "as (name withheld) and (name withheld)'s (name withheld)-2"),
            ("the precursors", "the pre(name withheld)s"),
            ("OpenCode", "(name withheld)"),
            ("curcursorsor", "cur(name withheld)sor"),
            ("é cursor é", "é (name withheld) é"),
            ("curso", "curso"),
        ] {
            assert_eq!(withhold_tool_names(text), expected);
        }
    }

    #[test]
    fn the_first_name_is_reported() {
        assert_eq!(named_tool("by Codex, not Cursor"), Some("codex"));
        assert_eq!(named_tool("by nobody"), None);
    }

    proptest! {
        #[test]
        fn masked_text_has_no_tool_name(text in "(cursor|CODEX|Claude|gem|ini|open|code|cu|rs|or|\\PC){0,20}") {
            prop_assert_eq!(named_tool(&withhold_tool_names(&text)), None);
        }
    }
}
