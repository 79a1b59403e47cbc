//! Validation of answers: enough words, and a provenance marker (file, code block or URL).

use super::command::Validation;
use crate::markdown::{fences, lines};
use crate::words;

/// The whole answer of a check without findings.
const NO_ISSUES: &str = "NO_ISSUES_FOUND";

/// Extensions that mark a file anywhere.
const EXTENSIONS: [&str; 44] = [
    "cc", "cfg", "cjs", "cpp", "cs", "css", "csv", "dart", "go", "gradle", "groovy", "hpp", "htm", "html",
    "java", "js", "json", "jsx", "kt", "lua", "md", "mjs", "mk", "mm", "php", "pl", "proto", "py", "rb",
    "rs", "sass", "scala", "scss", "sh", "sql", "swift", "toml", "ts", "tsv", "tsx", "vue", "xml", "yaml",
    "yml",
];

/// Extensions that are also words: they need a path before them or a line number behind.
const AMBIGUOUS: [&str; 7] = ["c", "env", "h", "lock", "m", "r", "txt"];

/// Ends of host names, which ports may follow.
const HOST_ENDS: [&str; 8] = ["com", "org", "net", "io", "dev", "local", "internal", "test"];

/// Files without an extension.
const NAMES: [&str; 3] = ["Makefile", "Dockerfile", "GNUmakefile"];

/// Reason an answer fails validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRejection {
    /// Too short.
    #[error("body is thin: {words} words outside code fences, at least {least} are required")]
    Words { words: usize, least: usize },
    /// No file, code block or URL.
    #[error("no provenance marker: no file, no code block, no URL")]
    NoMarker,
    #[error("output is missing or not readable")]
    Unreadable,
}

/// Validates an answer; `None` means that it could not be read.
pub fn validate_answer(text: Option<&str>, validation: Validation) -> Result<(), AnswerRejection> {
    let text = text.ok_or(AnswerRejection::Unreadable)?;
    let least = match validation {
        Validation::Check if text.trim() == NO_ISSUES => return Ok(()),
        Validation::Check => 30,
        Validation::Research => 200,
    };
    let words = lines(text).filter(|line| !line.fenced).map(|line| words::count(line.text)).sum();
    if words < least {
        return Err(AnswerRejection::Words { words, least });
    }
    if has_code_block(text) || text.lines().any(names_something) {
        Ok(())
    } else {
        Err(AnswerRejection::NoMarker)
    }
}

/// True if the text has a non-empty fence.
fn has_code_block(text: &str) -> bool {
    fences(text).iter().any(|fence| !fence.content.trim().is_empty())
}

fn names_something(line: &str) -> bool {
    has_url(line) || has_plain_name(line) || has_file(line.as_bytes())
}

fn has_url(line: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        line.split(scheme)
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| !c.is_whitespace() && !c.is_control()))
    })
}

fn has_plain_name(line: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c: char| !is_word(c)).any(|word| NAMES.contains(&word))
}

/// `src/auth.rs`, `auth.rs:12-40`, `kernel/spin.lock`, `Cargo.lock:7`.
fn has_file(line: &[u8]) -> bool {
    // State of the current run of path characters: a letter was seen; a path mark followed it.
    let (mut begun, mut path_like) = (false, false);
    for (at, &b) in line.iter().enumerate() {
        match b {
            b'.' if begun && ends_in_extension(&line[at + 1..], path_like) => return true,
            b'/' | b'-' | b'_' if begun => path_like = true,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => begun = true,
            b'.' | b'/' | b'-' | b'0'..=b'9' => {}
            _ => (begun, path_like) = (false, false),
        }
    }
    false
}

/// True if a known extension follows, and nothing behind it makes it another word.
fn ends_in_extension(rest: &[u8], path_like: bool) -> bool {
    let length = rest.iter().take(8).take_while(|b| b.is_ascii_alphanumeric()).count();
    let (extension, after) = rest.split_at(length);
    let is = |known: &[&str]| known.iter().any(|known| known.as_bytes() == extension);
    let line_number = line_number(after);
    let after = &after[line_number..];
    let ends =
        after.first().is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b':' | b'/' | b'-'));
    // With a line number any short extension makes a file, unless it is the end of a host name with a port.
    let is_short = extension.len() <= 4 && extension.first().is_some_and(u8::is_ascii_alphabetic);
    let is_any = line_number > 0 && is_short && !is(&HOST_ENDS);
    ends && (is(&EXTENSIONS) || (is(&AMBIGUOUS) && path_like) || is_any)
}

/// Length of `:12` or `:12-40`; 0 if absent.
fn line_number(text: &[u8]) -> usize {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let Some(rest) = text.strip_prefix(b":") else { return 0 };
    let first = digits(rest);
    if first == 0 {
        return 0;
    }
    match rest[first..].strip_prefix(b"-").map(digits) {
        Some(second) if second > 0 => 1 + first + 1 + second,
        _ => 1 + first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_from_words() {
        for line in [
            "See src/auth.rs.",
            "`auth.rs:12`",
            "auth.rs:12-40, then",
            "bundle.js.map",
            "package-lock.json:5",
            "lib/app/router.ex:48 routes it",
            "`src/Main.hs:3`",
            "main.tf:1 and docs/config.rst:4",
            "Cargo.lock:7",
            "kernel/spin.lock",
            "parser_state.h",
            "kernel-mod.h",
            "foo.m:42",
            "(notes.md)",
            "a1.md",
            "the Makefile says",
            "Dockerfile",
            "https://example.com/x",
        ] {
            assert!(names_something(line), "{line}");
        }
        for line in [
            "the spin.lock primitive",
            "Cargo.lock",
            "Cargo.lock.bak",
            "main.c",
            "my.env switch",
            "file.mdjunk:42",
            "file.md:garbage",
            "file.md/child",
            "file.md_for_details",
            ".env:7",
            "1.5.rs",
            "e.g. this, i.e. that",
            "Makefiles",
            "http:// nothing",
            "_x.c",
            "version 1.2.3",
            "",
        ] {
            assert!(!names_something(line), "{line}");
        }
    }

    #[test]
    fn an_answer_needs_words_and_a_marker() {
        let words = |n: usize| "word ".repeat(n);
        let thin = |words, least| Err(AnswerRejection::Words { words, least });
        let (research, check) = (Validation::Research, Validation::Check);
        for (text, validation, expected) in [
            (format!("{}src/a.rs", words(199)), research, Ok(())),
            (format!("{}src/a.rs", words(198)), research, thin(199, 200)),
            (words(300), research, Err(AnswerRejection::NoMarker)),
            (format!("{}\n```\n{}\n```\n", words(200), words(5)), research, Ok(())),
            (format!("{}\n```\n\n```\n", words(200)), research, Err(AnswerRejection::NoMarker)),
            (format!("```\n{}\n```\nsrc/a.rs\n", words(300)), research, thin(1, 200)),
            (format!("{}src/a.rs", words(29)), check, Ok(())),
            (format!("{}src/a.rs", words(28)), check, thin(29, 30)),
            ("\n NO_ISSUES_FOUND \n".to_owned(), check, Ok(())),
            ("NO_ISSUES_FOUND, really".to_owned(), check, thin(2, 30)),
            ("NO_ISSUES_FOUND".to_owned(), research, thin(1, 200)),
        ] {
            assert_eq!(validate_answer(Some(&text), validation), expected, "{text}");
        }
        assert_eq!(validate_answer(None, check), Err(AnswerRejection::Unreadable));
    }
}
