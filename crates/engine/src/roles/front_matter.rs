//! The front matter of a role definition: YAML between two `---` lines.

use charrette_model::shown::one_line;
use serde::Deserialize;

/// What front matter may say. In a team's own file only the name is needed; the rest is as in the built-in one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrontMatter {
    pub(super) name: String,
    pub(super) reads: Option<Vec<String>>,
    pub(super) writes: Option<Vec<String>>,
    pub(super) grammar: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) max_words: Option<usize>,
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) web: bool,
}

/// Something wrong with front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) line: usize,
    pub(super) message: String,
}

/// Front matter, and the first line of the text behind it.
pub(super) fn read(text: &str) -> Result<(FrontMatter, usize), Malformed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|first| first.trim_end() != RULE) {
        return Err(Malformed {
            line: 1,
            message: format!("expected front matter between two {RULE} lines"),
        });
    }
    let mut yaml = String::new();
    let mut body = 2;
    for line in lines.by_ref() {
        body += 1;
        if line.trim_end() == RULE {
            return Ok((parse(&yaml)?, body));
        }
        yaml.push_str(line);
    }
    Err(Malformed { line: 1, message: format!("the front matter is never closed by a {RULE} line") })
}

/// The line a key stands on, for what is wrong with its value.
pub(super) fn line_of(text: &str, key: &str) -> usize {
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    text.lines().position(is_key).map_or(1, |index| index + 1)
}

const RULE: &str = "---";

fn parse(yaml: &str) -> Result<FrontMatter, Malformed> {
    serde_saphyr::from_str(yaml).map_err(|error| {
        let error = error.without_snippet();
        let within = error.location().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1));
        let message = error.to_string();
        // It counts lines from below the first rule, and we count those of the file.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        Malformed { line: within + 1, message: one_line(message) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_read_and_the_body_keeps_its_lines() {
        let (read, body) = read("---\nname: planner\nmax_words: 9\n---\nBody\n").unwrap();
        assert_eq!((read.name.as_str(), read.max_words, read.web, body), ("planner", Some(9), false, 5));
        assert!(super::read("\u{feff}---\r\nname: planner\r\n---\r\nBody").is_ok());
        assert_eq!(super::read("---\nname: x\n---").unwrap().1, 4);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, message) in [
            ("", 1, "expected front matter between two --- lines"),
            ("# Planner\n", 1, "expected front matter between two --- lines"),
            ("---\nname: planner\n", 1, "the front matter is never closed by a --- line"),
            ("---\nname: planner\nmax_word: 3\n---\n", 3, "unknown field"),
            ("---\nname: planner\nmax_words: many\n---\n", 3, "invalid"),
            ("---\nreads: [\n---\n", 2, "unclosed bracket '['"),
            ("---\nreads: []\n---\n", 2, "missing field"),
            ("---\n---\n", 2, ""),
        ] {
            let malformed = read(text).unwrap_err();
            assert!(malformed.message.contains(message), "{text:?}: {malformed:?}");
            assert_eq!(malformed.line, line, "{text:?}: {malformed:?}");
        }
    }

    #[test]
    fn a_key_is_found_on_its_line() {
        let text = "---\nname: x\nmode : y\n---\nmode: z\n";
        assert_eq!([line_of(text, "mode"), line_of(text, "name"), line_of(text, "web")], [3, 2, 1]);
    }
}
