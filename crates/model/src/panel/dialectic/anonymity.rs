//! Keeps a ballot anonymous: a judge who knows which tool wrote a defense may judge the tool.

use std::borrow::Cow;

/// Names that must not stand in a ballot, in any case, not even inside another word.
pub const TOOL_NAMES: [&str; 5] = ["cursor", "codex", "claude", "gemini", "opencode"];

/// What stands in a ballot where a name stood.
pub const WITHHELD: &str = "(name withheld)";

/// The first tool a text names.
pub fn named_tool(text: &str) -> Option<&'static str> {
    find(text, &TOOL_NAMES).map(|(_, name)| name)
}

/// `text` without the names of tools.
pub fn without_tool_names(text: &str) -> Cow<'_, str> {
    without(text, &TOOL_NAMES, WITHHELD)
}

/// `text` with each of `names`, in any case, replaced. No replacement may complete another name.
pub(super) fn without<'a>(text: &'a str, names: &[&'static str], replacement: &str) -> Cow<'a, str> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some((at, name)) = find(rest, names) {
        masked.push_str(&rest[..at]);
        masked.push_str(replacement);
        rest = &rest[at + name.len()..];
    }
    if masked.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(masked + rest) }
}

fn find(text: &str, names: &[&'static str]) -> Option<(usize, &'static str)> {
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
    fn names_are_withheld_wherever_they_stand() {
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
            assert_eq!(without_tool_names(text), expected);
        }
    }

    #[test]
    fn the_first_name_is_reported() {
        assert_eq!(named_tool("by Codex, not Cursor"), Some("codex"));
        assert_eq!(named_tool("by nobody"), None);
    }

    proptest! {
        #[test]
        fn nothing_without_names_names_a_tool(text in "(cursor|CODEX|Claude|gem|ini|open|code|cu|rs|or|\\PC){0,20}") {
            prop_assert_eq!(named_tool(&without_tool_names(&text)), None);
        }
    }
}
