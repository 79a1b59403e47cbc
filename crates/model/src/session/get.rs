//! `charrette session-env get --file F --key K [--default D]`: one value of such a file, for scripts.

use super::pairs::first;
use crate::plumbing::Answer;

/// What was asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// `--file`; `None` if it was left out, which is an error even with a default.
    pub file: Option<&'a str>,
    /// `--key`.
    pub key: Option<&'a str>,
    /// `--default`.
    pub default: Option<&'a str>,
}

/// Answers from the file's text; `None` if there is no file by that name, or it cannot be read.
///
/// An empty value is no value. No value and no default give an empty line. No file and no default are an
/// error: an empty line would claim that somebody looked.
pub fn answer(request: Request<'_>, text: Option<&str>) -> Answer {
    let Some(file) = request.file else { return usage("--file") };
    let Some(key) = request.key.filter(|key| !key.is_empty()) else { return usage("--key") };
    let text = text.filter(|_| !file.is_empty());
    let found = text.and_then(|text| first(text, key)).filter(|value| !value.is_empty());
    match (found.or(request.default), text) {
        (Some(value), _) => Answer::ok(vec![value.to_owned()]),
        (None, Some(_)) => Answer::ok(vec![String::new()]),
        (None, None) => Answer::refused(1, "ERROR=unreadable file".to_owned()),
    }
}

fn usage(flag: &str) -> Answer {
    Answer::refused(1, format!("ERROR=usage: {flag} is required"))
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
            let answer = answer(Request { file, key, default }, text);
            assert_eq!((answer.code, answer.stdout), expected, "{file:?} {key:?} {default:?}");
        }
    }
}
