//! Front matter of a role definition: YAML between two `---` lines.

use super::plain_yaml::{self, PlainValue, is_text};
use charrette_model::escape::one_line;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Keys of the front matter. In a team's own file only the name is required; the rest defaults to the built-in one.
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

/// Error in the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontMatterError {
    pub(super) line: usize,
    pub(super) message: String,
}

/// Parses the front matter; returns it with the number of the first line behind it.
pub(super) fn parse(text: &str) -> Result<(FrontMatter, usize), FrontMatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|first| first.trim_end() != RULE) {
        return Err(FrontMatterError {
            line: 1,
            message: format!("expected front matter between two {RULE} lines"),
        });
    }
    let mut yaml = String::new();
    let mut body = 2;
    for line in lines.by_ref() {
        body += 1;
        if line.trim_end() == RULE {
            let read = parse_plain(&yaml).map_or_else(|| parse_yaml(&yaml), Ok);
            return Ok((read?, body));
        }
        yaml.push_str(line);
    }
    Err(FrontMatterError { line: 1, message: format!("the front matter has no closing {RULE} line") })
}

/// Number of the line with a key, for errors about its value.
pub(super) fn key_line(text: &str, key: &str) -> usize {
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    text.lines().position(is_key).map_or(1, |index| index + 1)
}

const RULE: &str = "---";

/// Front matter in its usual form; none if it has any other, or an error.
fn parse_plain(yaml: &str) -> Option<FrontMatter> {
    let mut keys: BTreeMap<&str, PlainValue<'_>> = BTreeMap::new();
    for (key, value) in plain_yaml::parse(yaml)? {
        if keys.insert(key, value).is_some() {
            return None;
        }
    }
    let mut word = |key: &str| match keys.remove(key) {
        None => Some(None),
        Some(PlainValue::Word(word)) => Some(Some(word)),
        Some(PlainValue::List(_)) => None,
    };
    let name = word("name")?.filter(|name| is_text(name))?.to_owned();
    let mut text = |key: &str| match word(key)? {
        Some(text) if !is_text(text) => None,
        text => Some(text.map(str::to_owned)),
    };
    let (grammar, mode, model) = (text("grammar")?, text("mode")?, text("model")?);
    let max_words = word("max_words")?.map(str::parse).transpose().ok()?;
    let web = word("web")?.map(str::parse).transpose().ok()?.unwrap_or_default();
    let mut list = |key: &str| match keys.remove(key) {
        None => Some(None),
        Some(PlainValue::List(items)) => Some(Some(items.into_iter().map(str::to_owned).collect())),
        Some(PlainValue::Word(_)) => None,
    };
    let (reads, writes) = (list("reads")?, list("writes")?);
    keys.is_empty().then_some(FrontMatter { name, reads, writes, grammar, mode, max_words, model, web })
}

fn parse_yaml(yaml: &str) -> Result<FrontMatter, FrontMatterError> {
    serde_saphyr::from_str(yaml).map_err(|error| {
        let error = error.without_snippet();
        let within = error.location().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1));
        let message = error.to_string();
        // The parser counts lines from the first one below the rule; errors count those of the file.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        FrontMatterError { line: within + 1, message: one_line(message) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_read_and_the_body_keeps_its_lines() {
        let (read, body) = parse("---\nname: planner\nmax_words: 9\n---\nBody\n").unwrap();
        assert_eq!((read.name.as_str(), read.max_words, read.web, body), ("planner", Some(9), false, 5));
        assert!(parse("\u{feff}---\r\nname: planner\r\n---\r\nBody").is_ok());
        assert_eq!(parse("---\nname: x\n---").unwrap().1, 4);
    }

    #[test]
    fn the_plain_form_means_the_same_in_yaml() {
        for (name, text) in crate::roles::built_in::ROLES {
            let yaml = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
            assert_eq!(parse_plain(yaml), Some(parse_yaml(yaml).unwrap()), "{name}");
        }
        for yaml in [
            "name: x",
            "name: a-b\nmax_words: 12",
            "name: x\nweb: true\nmodel: big-1",
            "name: x\nreads: [a, b/c.md]",
        ] {
            assert_eq!(parse_plain(yaml), Some(parse_yaml(yaml).unwrap()), "{yaml}");
        }
        for yaml in [
            "name: 12",
            "name: no",
            "name: x\nname: y",
            "name: x\nmax_words: many",
            "name: x\nweb: yes",
            "mode: plan",
        ] {
            assert_eq!(parse_plain(yaml), None, "{yaml}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, message) in [
            ("", 1, "expected front matter between two --- lines"),
            ("# Planner\n", 1, "expected front matter between two --- lines"),
            ("---\nname: planner\n", 1, "the front matter has no closing --- line"),
            ("---\nname: planner\nmax_word: 3\n---\n", 3, "unknown field"),
            ("---\nname: planner\nmax_words: many\n---\n", 3, "invalid"),
            ("---\nreads: [\n---\n", 2, "unclosed bracket '['"),
            ("---\nreads: []\n---\n", 2, "missing field"),
            ("---\n---\n", 2, ""),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(message), "{text:?}: {error:?}");
            assert_eq!(error.line, line, "{text:?}: {error:?}");
        }
    }

    #[test]
    fn a_key_is_found_on_its_line() {
        let text = "---\nname: x\nmode : y\n---\nmode: z\n";
        assert_eq!([key_line(text, "mode"), key_line(text, "name"), key_line(text, "web")], [3, 2, 1]);
    }
}
