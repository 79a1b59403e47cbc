//! Removes from ballots what would sway judges without being an argument: tool names, and how many sketches stood on
//! which side.

use std::borrow::Cow;

/// Tool names, masked in any case and also inside other words.
pub const TOOL_NAMES: [&str; 5] = ["cursor", "codex", "claude", "gemini", "opencode"];

/// Replacement for a tool name.
pub const WITHHELD: &str = "(name withheld)";

/// The first tool name in a text.
pub fn named_tool(text: &str) -> Option<&'static str> {
    find_name(text, &TOOL_NAMES).map(|(_, name)| name)
}

/// Masks the tool names in `text`, except the spellings in `kept`.
pub fn withhold_tool_names<'a>(text: &'a str, kept: &[String]) -> Cow<'a, str> {
    replace_names(text, &TOOL_NAMES, WITHHELD, kept)
}

/// Spellings of tool names that are words of a subject: those that its texts use, and `cursor` in small letters, which
/// is an ordinary word.
pub fn subject_names<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut spellings = vec!["cursor".to_owned()];
    for text in texts {
        let mut rest = text;
        while let Some((at, name)) = find_name(rest, &TOOL_NAMES) {
            let spelling = &rest[at..at + name.len()];
            if !spellings.iter().any(|known| known == spelling) {
                spellings.push(spelling.to_owned());
            }
            rest = &rest[at + name.len()..];
        }
    }
    spellings
}

/// Replaces each of `names` in `text`, ignoring case, except the spellings in `kept`. The replacement must not complete
/// another name.
pub(super) fn replace_names<'a>(
    text: &'a str,
    names: &[&'static str],
    replacement: &str,
    kept: &[String],
) -> Cow<'a, str> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some((at, name)) = find_name(rest, names) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let found = &rest[at..at + name.len()];
        masked.push_str(before);
        masked.push_str(if kept.iter().any(|spelling| spelling == found) { found } else { replacement });
        rest = after;
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

/// Masks how many sketches a text counts: "three of the four sketches" becomes "some sketches".
pub fn withhold_sketch_counts(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    for word in words {
        if is_sketch(word) {
            let count = kept.iter().rev().take_while(|before| is_counting(before)).count();
            // "of" and "the" alone count nothing.
            let counted = kept[kept.len() - count..].iter().any(|before| is_number(before));
            if counted {
                kept.truncate(kept.len() - count);
                kept.push("some");
            }
        }
        kept.push(word);
    }
    kept.join(" ")
}

fn is_sketch(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    ["sketch", "sketches", "designers", "sketchers"].iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_counting(word: &str) -> bool {
    is_number(word)
        || ["of", "the", "out", "only", "other"].iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_number(word: &str) -> bool {
    const NUMBERS: [&str; 14] = [
        "one", "two", "three", "four", "five", "six", "all", "both", "most", "none", "majority", "single",
        "half", "no",
    ];
    let word = word.trim_start_matches(['(', '"']);
    let digits =
        word.split(['/', '-']).all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    digits || NUMBERS.iter().any(|known| known.eq_ignore_ascii_case(word))
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
            assert_eq!(withhold_tool_names(text, &[]), expected);
        }
    }

    #[test]
    fn names_that_the_feature_is_about_stay() {
        let kept = subject_names(["Add a server for Codex.", "Claude Code or Codex"]);
        assert_eq!(kept, ["cursor", "Codex", "Claude"]);
        assert_eq!(
            withhold_tool_names("Codex hides the cursor; Cursor and gemini wrote this", &kept),
            "Codex hides the cursor; (name withheld) and (name withheld) wrote this"
        );
    }

    #[test]
    fn sketches_are_not_counted() {
        for (text, expected) in [
            ("Three of the four sketches want a table.", "some sketches want a table."),
            (
                "Speed against care: 3 sketches to 1 sketch",
                "Speed against care: some sketches to some sketch",
            ),
            ("all sketches but one", "some sketches but one"),
            ("2/4 sketches", "some sketches"),
            ("The edge-case sketch fears it", "The edge-case sketch fears it"),
            ("of the sketches", "of the sketches"),
            ("three tables of the sketches", "three tables of the sketches"),
            ("", ""),
        ] {
            assert_eq!(withhold_sketch_counts(text), expected);
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
            prop_assert_eq!(named_tool(&withhold_tool_names(&text, &[])), None);
        }
    }
}
