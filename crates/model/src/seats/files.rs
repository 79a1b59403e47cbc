//! One answer that becomes several files. A line `=== design.md ===` begins each of them:
//!
//! ```text
//! === requirements.md ===
//! # Add a login
//! …
//! === design.md ===
//! …
//! ```
//!
//! The line may be a heading or emphasised, and the file may stand in a code fence; neither becomes part of it.

use crate::markdown::{MARKS, is_blank, strip_decoration, strip_whole_fence, trimmed};

/// The line that begins a file.
pub fn marker(name: &str) -> String {
    format!("=== {name} ===")
}

/// One answer of these files. A line of theirs that would begin a file is escaped as Markdown does it.
pub fn join_files(files: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, content) in files {
        text.push_str(&marker(name));
        text.push('\n');
        for line in content.lines() {
            match parse_marker(line).and_then(|_| line.split_once('=')) {
                Some((before, after)) => text.extend([before, "\\=", after]),
                None => text.push_str(line),
            }
            text.push('\n');
        }
    }
    text
}

/// The files of an answer, in the order of `names`, or what is wrong with it. What stands before the first file
/// is left out.
pub fn split_files(text: &str, names: &[&str]) -> Result<Vec<(String, String)>, String> {
    let text = strip_whole_fence(trimmed(text));
    let mut found: Vec<(&str, usize, &str)> = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let end = start + line.len();
        if let Some(name) = parse_marker(line) {
            close(&mut found, text, start);
            let Some(known) = names.iter().find(|known| known.eq_ignore_ascii_case(name)) else {
                return Err(format!("line {number}: '{name}' is not one of {}", names.join(", ")));
            };
            if found.iter().any(|(before, ..)| before == known) {
                return Err(format!("line {number}: {known} is there already"));
            }
            found.push((known, end, ""));
        }
        start = end;
    }
    close(&mut found, text, text.len());
    let files = names.iter().map(|name| {
        let (_, _, content) = found.iter().find(|(found, ..)| found == name).ok_or_else(|| {
            format!("{name} is missing: expected a line '{}' with the file below it", marker(name))
        })?;
        let content = strip_whole_fence(trimmed(content));
        if content.is_empty() {
            return Err(format!("{name} is empty"));
        }
        Ok(((*name).to_owned(), format!("{content}\n")))
    });
    files.collect()
}

fn close<'a>(found: &mut [(&str, usize, &'a str)], text: &'a str, end: usize) {
    if let Some((_, start, content)) = found.last_mut() {
        *content = &text[*start..end];
    }
}

/// The name in a line that begins a file.
fn parse_marker(line: &str) -> Option<&str> {
    let line = strip_decoration(line).text;
    let inside = line.strip_prefix("===")?.trim_start_matches('=');
    let inside = inside.trim_end_matches(|c| is_blank(c) || MARKS.contains(&c)).strip_suffix("===")?;
    let name = inside.trim_end_matches('=').trim_matches(|c| is_blank(c) || MARKS.contains(&c));
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 2] = ["a.md", "b.txt"];

    #[test]
    fn files_that_quote_a_marker_are_joined_and_split_again() {
        let quoted = "One\n=== b.txt ===\n  ## === a.md ===\n=== x ===\n- **=== b.txt ===**\n=== no marker\n";
        let joined = join_files(&[("a.md", quoted), ("b.txt", "Two")]);
        let escaped =
            "One\n\\=== b.txt ===\n  ## \\=== a.md ===\n\\=== x ===\n- **\\=== b.txt ===**\n=== no marker\n";
        assert_eq!(split(&joined), Ok((escaped.to_owned(), "Two\n".to_owned())));
    }

    fn split(text: &str) -> Result<(String, String), String> {
        split_files(text, &NAMES).map(|files| {
            let [(_, a), (_, b)] = <[(String, String); 2]>::try_from(files).unwrap();
            (a, b)
        })
    }

    #[test]
    fn files_are_found_however_their_line_is_decorated() {
        let expected = Ok(("# A\n\ntext\n".to_owned(), "B\n".to_owned()));
        for text in [
            "=== a.md ===\n# A\n\ntext\n=== b.txt ===\nB",
            "\u{feff}Here they are.\r\n\r\n=== b.txt ===\r\nB\r\n\r\n=== a.md ===\n# A\n\ntext\n\n",
            "## === a.md ===\n# A\n\ntext\n**=== b.txt ===**\nB\n",
            "===a.md===\n# A\n\ntext\n===== `b.txt` =====\nB\n",
            "````text\n=== a.md ===\n# A\n\ntext\n=== b.txt ===\nB\n````\n",
            "=== A.md ===\n```markdown\n# A\n\ntext\n```\n\n=== b.txt ===\n```\nB\n```\n",
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn fences_inside_a_file_stay() {
        let (a, b) =
            split("=== a.md ===\n```rust\nx\n```\n=== b.txt ===\n```\nx\n```\ntext\n```\ny\n```\n").unwrap();
        assert_eq!((a.as_str(), b.as_str()), ("```rust\nx\n```\n", "```\nx\n```\ntext\n```\ny\n```\n"));
        let (a, _) = split("=== a.md ===\n````md\n```rust\nx\n```\n````\n=== b.txt ===\nB").unwrap();
        assert_eq!(a, "```rust\nx\n```\n");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            ("", "a.md is missing: expected a line '=== a.md ===' with the file below it"),
            ("=== a.md ===\nA", "b.txt is missing: expected a line '=== b.txt ===' with the file below it"),
            ("=== a.md ===\n\n=== b.txt ===\nB", "a.md is empty"),
            ("=== a.md ===\n```\n\n```\n=== b.txt ===\nB", "a.md is empty"),
            ("=== a.md ===\nA\n=== c.md ===\nC", "line 3: 'c.md' is not one of a.md, b.txt"),
            ("=== a.md ===\nA\n=== b.txt ===\nB\n=== a.md ===\nA", "line 5: a.md is there already"),
        ] {
            assert_eq!(split(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_line_under_a_title_begins_no_file() {
        let (a, _) = split("=== a.md ===\nTitle\n=====\n=== x\n=== two words ===\n=== b.txt ===\nB").unwrap();
        assert_eq!(a, "Title\n=====\n=== x\n=== two words ===\n");
    }

    proptest! {
        #[test]
        fn what_is_put_together_is_split(a in "[a-z# =`.\n]{0,40}[a-z]", b in "[a-z]{1,9}") {
            let text = format!("{}\n{a}\n{}\n{b}\n", marker("a.md"), marker("b.txt"));
            // A file can look like a marker of another; then it is an error, never another file.
            if let Ok((read, other)) = split(&text) {
                prop_assert!(a.contains("```") || read.trim() == a.trim());
                prop_assert_eq!(other.trim(), b);
            }
        }

        #[test]
        fn no_answer_is_too_strange(text in "((===|a\\.md|b\\.txt|`|#|\r|\n|\0|\\PC){0,4}){0,20}") {
            let _ = split(&text);
        }
    }
}
