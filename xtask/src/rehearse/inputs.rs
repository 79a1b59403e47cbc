//! Inputs of a rendered prompt: a heading with a title or a file's name, and below it the text in a fence, or the path
//! to read.

use charrette_model::markdown::{FenceMark, heading, lines};
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};

/// An input of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PromptInput {
    pub(super) name: String,
    /// SHA-256 of the quoted text; none if the prompt only names the path.
    pub(super) digest: Option<String>,
    /// True if only a part of it is quoted.
    #[serde(default)]
    pub(super) condensed: bool,
    /// The quoted text.
    #[serde(skip)]
    pub(super) text: String,
}

/// Beginnings of the headings below which every section is an input.
const LAYERS: [&str; 4] =
    ["What the person asked for", "What colleagues wrote", "What the repository says", "Inputs"];

/// Finds the inputs of a prompt, in order. In the question itself a heading counts only if it is a file's name.
pub(super) fn parse_inputs(prompt: &str) -> Vec<PromptInput> {
    let mut inputs: Vec<PromptInput> = Vec::new();
    let mut pending: Option<String> = None;
    let mut quoted: Option<String> = None;
    let mut open: Option<FenceMark<'_>> = None;
    let (mut in_layer, mut condensed) = (false, false);
    for line in lines(prompt) {
        if line.fenced {
            let mark = FenceMark::parse(line.text);
            match (open, mark) {
                (None, mark) => {
                    open = mark;
                    quoted = pending.is_some().then(String::new);
                }
                (Some(first), Some(mark)) if mark.closes(&first) => {
                    open = None;
                    if let (Some(name), Some(text)) = (pending.take(), quoted.take()) {
                        let digest = Some(sha256(text.trim_end().as_bytes()));
                        inputs.push(PromptInput { name, digest, condensed, text });
                    }
                }
                _ => {
                    if let Some(text) = &mut quoted {
                        text.push_str(line.text);
                        text.push('\n');
                    }
                }
            }
            continue;
        }
        open = None;
        if let Some((level, title)) = heading(line.text) {
            if level == 1 {
                in_layer = LAYERS.iter().any(|layer| title.starts_with(layer));
            }
            condensed = false;
            pending = match level {
                1 => None,
                2 if in_layer => Some(file_name(title).unwrap_or_else(|| title.trim().to_owned())),
                _ => file_name(title),
            };
        } else if line.text.starts_with("Condensed to ") {
            condensed = true;
        } else if says_path(line.text)
            && let Some(name) = pending.take()
        {
            inputs.push(PromptInput { name, digest: None, condensed: false, text: String::new() });
        }
    }
    inputs
}

/// The file that a heading names: its first word, if it looks like one.
fn file_name(title: &str) -> Option<String> {
    let word = title.split_whitespace().next()?.trim_matches(['`', '*', ':', ',']);
    let is_path = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    let has_form =
        word.contains('/') || word.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
    (has_form && word.chars().all(is_path) && word.starts_with(|c: char| c.is_alphanumeric() || c == '.'))
        .then(|| word.to_owned())
}

/// True for the line that gives a path instead of the text.
fn says_path(line: &str) -> bool {
    let line = line.to_lowercase();
    line.contains("too long to quote")
        || line.starts_with("not quoted: read ")
        || line.starts_with("read `/")
        || line.starts_with("read /")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_and_named_inputs_are_found() {
        let prompt = "# Plan\n\n## How to answer\n\n```\nexample\n```\n\n# Inputs\n\n## request.md\n\nBinding.\n\n````\nAdd it.\n```\n## not.md\n```\n````\n\n### `answers/pre-design` (given)\n\n```text\nyes\n```\n\n## survey.json\n\nToo long to quote: read /x/survey.json\n\n## v1.2 of it\n\nText\n";
        let inputs = parse_inputs(prompt);
        let names: Vec<(&str, bool)> =
            inputs.iter().map(|input| (input.name.as_str(), input.digest.is_some())).collect();
        assert_eq!(names, [("request.md", true), ("answers/pre-design", true), ("survey.json", false)]);
        assert_eq!(inputs[1].digest, Some(sha256(b"yes")));
    }

    #[test]
    fn layers_have_titles_and_condensed_inputs() {
        let prompt = "# Plan\n\n## Rules\n\n```\nx\n```\n\n# What the person asked for and decided\n\nThis binds you.\n\n## The request\n\n```\n# Add it\n## Now\n```\n\n# What colleagues wrote\n\n## plan-draft.txt\n\nCondensed to 4 of 9 KB; the whole text: /p\n\n```\nPlan\n```\n\n## research-tasks.md\n\nNot quoted: read /r\n\n# What comes next\n\n## Form\n\n```\ny\n```\n";
        let inputs = parse_inputs(prompt);
        let short: Vec<_> = inputs
            .iter()
            .map(|input| (input.name.as_str(), input.digest.is_some(), input.condensed))
            .collect();
        let expected = [
            ("The request", true, false),
            ("plan-draft.txt", true, true),
            ("research-tasks.md", false, false),
        ];
        assert_eq!(short, expected);
    }
}
