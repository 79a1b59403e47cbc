//! `charrette session-env get --file F --key K [--default D]`: one value of a session file, for scripts.

use super::pairs::first;
use crate::plumbing::CommandAnswer;

/// Parsed arguments of the command.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionGetRequest<'a> {
    /// `None` if the flag is missing, which is an error even with a default.
    pub file: Option<&'a str>,
    pub key: Option<&'a str>,
    pub default: Option<&'a str>,
}

/// Answers from the file's text; `None` if the file is missing or unreadable.
///
/// An empty value counts as absent. Without value and default the answer is an empty line. Without file and
/// default it is an error: an empty line would claim that the file was read.
pub fn answer(request: SessionGetRequest<'_>, text: Option<&str>) -> CommandAnswer {
    let Some(file) = request.file else { return usage("--file") };
    let Some(key) = request.key.filter(|key| !key.is_empty()) else { return usage("--key") };
    let text = text.filter(|_| !file.is_empty());
    let found = text.and_then(|text| first(text, key)).filter(|value| !value.is_empty());
    match (found.or(request.default), text) {
        (Some(value), _) => CommandAnswer::ok(vec![value.to_owned()]),
        (None, Some(_)) => CommandAnswer::ok(vec![String::new()]),
        (None, None) => CommandAnswer::failure(1, "ERROR=unreadable file".to_owned()),
    }
}

fn usage(flag: &str) -> CommandAnswer {
    CommandAnswer::failure(1, format!("ERROR=usage: {flag} is required"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_a_default_or_an_empty_line() {
        let text = "A=1\nA=2\nURL=http://x?a=b\nEMPTY=\n# C=3\n";
        let line = |line: &str| (0, vec![line.to_owned()]);
        let error = || (1, Vec::new());
        for (file, text, key, default, expected) in [
            (Some("f"), Some(text), Some("A"), None, line("1")),
            (Some("f"), Some(text), Some("A"), Some("d"), line("1")),
            (Some("f"), Some(text), Some("URL"), None, line("http://x?a=b")),
            (Some("f"), Some(text), Some("EMPTY"), Some("d"), line("d")),
            (Some("f"), Some(text), Some("EMPTY"), None, line("")),
            (Some("f"), Some(text), Some("C"), Some("d"), line("d")),
            (Some("f"), Some(text), Some("NONE"), None, line("")),
            (Some("f"), Some(text), Some("NONE"), Some(""), line("")),
            (Some("f"), None, Some("A"), Some("d"), line("d")),
            (Some(""), None, Some("A"), Some("d"), line("d")),
            (Some(""), None, Some("A"), Some(""), line("")),
            (Some("f"), None, Some("A"), None, error()),
            (Some(""), None, Some("A"), None, error()),
            (None, None, Some("A"), Some("d"), error()),
            (None, Some(text), Some("A"), None, error()),
            (Some("f"), Some(text), None, Some("d"), error()),
            (Some("f"), Some(text), Some(""), Some("d"), error()),
        ] {
            let answer = answer(SessionGetRequest { file, key, default }, text);
            assert_eq!((answer.code, answer.stdout), expected, "{file:?} {key:?} {default:?}");
        }
    }
}
