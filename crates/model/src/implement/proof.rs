//! Proof of a task: the test or command, written down before the work, that shows it is done.
//!
//! In `tasks.md`: `**Proof:** test NAME`, `**Proof:** command ARGV…`, `**Proof:** none (reason)`. What is executed may
//! stand in backticks, and only then may a remark follow: ``command `cargo test limit`; fails without the bound``.

use super::argv::{self, ArgvError, parse_argv, shown_argv};
use crate::escape::printable;
use crate::markdown::trimmed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What shows that a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// A test that the runner must name as executed and passed.
    Test(String),
    /// Program and arguments that must exit with 0.
    Command(Vec<String>),
    /// The `test` command of `[verify]`, with the test files of the task. Derived only.
    Suite(Vec<String>),
    /// Nothing can show it: the reason.
    None(String),
}

/// Proof of a task and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskProof {
    pub proof: Proof,
    /// True if the specification states none, and this one was derived from the task's files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_derived: bool,
}

impl Default for TaskProof {
    fn default() -> TaskProof {
        TaskProof { proof: Proof::Suite(Vec::new()), is_derived: true }
    }
}

/// Maximum length of a test's name in bytes.
const MAX_NAME: usize = 500;

/// Proof that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("the proof must be  test NAME,  command PROGRAM ARGUMENTS  or  none (reason), not \"{}\"", printable(.0))]
    Form(String),
    #[error("the proof names no test")]
    NoName,
    #[error("the name of the test '{}' {}", printable(.0), .1)]
    Name(String, &'static str),
    #[error("the command of the proof cannot be run: {0}")]
    Command(#[from] ArgvError),
    #[error("the proof is none without a reason; write  none (reason)")]
    NoReason,
}

impl Proof {
    /// Parses the value of a `**Proof:**` line.
    pub fn parse(value: &str) -> Result<Proof, ProofError> {
        let value = trimmed(value).trim_start_matches("**").trim();
        let (word, rest) = value.split_once([' ', '\t', ':']).unwrap_or((value, ""));
        let (word, rest) = (word.trim_matches(['`', '*', '_']), rest.trim());
        if word.eq_ignore_ascii_case("test") {
            let name = quoted(rest).unwrap_or(rest).trim();
            check_name(name)?;
            return Ok(Proof::Test(name.to_owned()));
        }
        if word.eq_ignore_ascii_case("command") {
            return Ok(Proof::Command(parse_argv(quoted(rest).unwrap_or(rest))?));
        }
        if word.trim_end_matches([',', ';', '.']).eq_ignore_ascii_case("none") {
            let inside = rest
                .strip_prefix('(')
                .map_or(rest, |open| open.rsplit_once(')').map_or(open, |(inside, _)| inside));
            let reason =
                inside.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '.'));
            return if reason.is_empty() {
                Err(ProofError::NoReason)
            } else {
                Ok(Proof::None(reason.to_owned()))
            };
        }
        Err(ProofError::Form(value.chars().take(60).collect()))
    }

    /// Parses the member `proof` of a task in `spec.json`: the text of the line, or an object `{"test": NAME}`,
    /// `{"command": [ARGV]}`, `{"none": REASON}`.
    pub fn from_value(value: &Value) -> Result<Proof, ProofError> {
        let form = || ProofError::Form(value.to_string().chars().take(60).collect());
        if let Some(text) = value.as_str() {
            return Proof::parse(text);
        }
        let Some((kind, value)) =
            value.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next())
        else {
            return Err(form());
        };
        match (kind.as_str(), value) {
            ("test", Value::String(name)) => check_name(name).map(|()| Proof::Test(name.clone())),
            ("none", Value::String(reason)) if reason.trim().is_empty() => Err(ProofError::NoReason),
            ("none", Value::String(reason)) => Ok(Proof::None(reason.trim().to_owned())),
            ("command", Value::String(line)) => Ok(Proof::Command(parse_argv(line)?)),
            ("command", Value::Array(words)) => {
                let argv =
                    words.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
                let argv = argv.ok_or_else(form)?;
                argv::check_argv(&argv)?;
                Ok(Proof::Command(argv))
            }
            _ => Err(form()),
        }
    }
}

/// The text in the backticks that a value begins with.
fn quoted(value: &str) -> Option<&str> {
    let fence = value.len() - value.trim_start_matches('`').len();
    let (marks, inside) = value.split_at(fence);
    (fence > 0).then(|| inside.split_once(marks).map_or(inside, |(inside, _)| inside).trim())
}

/// Checks the name of a test: it is passed to the runner as an argument.
pub fn check_name(name: &str) -> Result<(), ProofError> {
    let wrong = |why| Err(ProofError::Name(name.chars().take(60).collect(), why));
    match name {
        "" => Err(ProofError::NoName),
        _ if name.len() > MAX_NAME => wrong("is longer than 500 bytes"),
        _ if name.starts_with('-') => wrong("begins with a dash, as an option does"),
        _ if name.chars().any(char::is_control) => wrong("has a control character"),
        _ => Ok(()),
    }
}

/// As in `tasks.md`, without the label.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Test(name) => write!(f, "test `{name}`"),
            Proof::Command(argv) => write!(f, "command `{}`", shown_argv(argv)),
            Proof::Suite(files) if files.is_empty() => f.write_str("the whole test suite"),
            Proof::Suite(files) => write!(f, "the whole test suite, with {}", files.join(", ")),
            Proof::None(reason) => write!(f, "none ({reason})"),
        }
    }
}

impl fmt::Display for TaskProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.proof, if self.is_derived { " (derived)" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_is_read() {
        let argv = |words: &[&str]| Proof::Command(words.iter().map(|word| (*word).to_owned()).collect());
        for (value, proof) in [
            ("test limit::at_the_burst", Proof::Test("limit::at_the_burst".to_owned())),
            ("test `adds two numbers`; fails without the sum", Proof::Test("adds two numbers".to_owned())),
            ("Test: tests/test_a.py::test_b[1-2]", Proof::Test("tests/test_a.py::test_b[1-2]".to_owned())),
            ("command cargo test limit", argv(&["cargo", "test", "limit"])),
            ("command `cargo test limit`; without the bound it fails", argv(&["cargo", "test", "limit"])),
            ("`command` `make check`", argv(&["make", "check"])),
            ("none (only prose changes)", Proof::None("only prose changes".to_owned())),
            ("none: a person does it.", Proof::None("a person does it".to_owned())),
            ("None (see (a))", Proof::None("see (a)".to_owned())),
        ] {
            assert_eq!(Proof::parse(value), Ok(proof.clone()), "{value}");
            assert_eq!(Proof::parse(&proof.to_string()), Ok(proof), "{value}");
        }
        for (value, message) in [
            (
                "`cargo test limit`; fails",
                "the proof must be  test NAME,  command PROGRAM ARGUMENTS  or  none (reason), not \"`cargo test limit`; fails\"",
            ),
            ("", "the proof must be  test NAME,  command PROGRAM ARGUMENTS  or  none (reason), not \"\""),
            ("test", "the proof names no test"),
            ("test -x", "the name of the test '-x' begins with a dash, as an option does"),
            ("none", "the proof is none without a reason; write  none (reason)"),
            ("none ()", "the proof is none without a reason; write  none (reason)"),
            ("command", "the command of the proof cannot be run: there is no command"),
            (
                "command a && b",
                "the command of the proof cannot be run: '&&' works in a shell only, and there is none; quote it, or put the line into a script",
            ),
        ] {
            assert_eq!(Proof::parse(value).unwrap_err().to_string(), message, "{value}");
        }
    }

    #[test]
    fn members_of_the_record_are_read_too() {
        for (value, shown) in [
            (json!("test a::b"), "test `a::b`"),
            (json!({"test": "a b"}), "test `a b`"),
            (json!({"command": ["make", "a b"]}), "command `make 'a b'`"),
            (json!({"command": "make x"}), "command `make x`"),
            (json!({"none": "prose"}), "none (prose)"),
        ] {
            assert_eq!(Proof::from_value(&value).unwrap().to_string(), shown);
        }
        for value in [
            json!(1),
            json!({}),
            json!({"test": "-a"}),
            json!({"command": ["sh", "-c", "x"]}),
            json!({"command": []}),
            json!({"none": " "}),
            json!({"test": "a", "none": "b"}),
        ] {
            assert!(Proof::from_value(&value).is_err(), "{value}");
        }
    }
}
