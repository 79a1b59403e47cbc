//! `charrette collect --timeout S [--write-health P] [--substantive-validation [--validation-mode]] FILE…`.

use super::record::{Record, tool_health};
use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::session::Health;
use crate::shown::shown;
use crate::sidecar::positive;

const TIMEOUT: &str = "--timeout";

const GRAMMAR: Grammar = Grammar {
    flags: &[
        Flag::Value(TIMEOUT),
        Flag::Value("--write-health"),
        Flag::Switch("--substantive-validation"),
        Flag::Switch("--validation-mode"),
    ],
    takes_arguments: true,
};

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// How long to wait, in seconds.
    pub timeout: u64,
    /// Where the health of tools is noted.
    pub health: Option<String>,
    /// How answers are looked at, if at all.
    pub validation: Option<Validation>,
    /// The outputs, as they were typed.
    pub files: Vec<String>,
}

/// How answers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// As research: long.
    Research,
    /// As a check of something: may be short, or find nothing.
    Check,
}

impl Request {
    /// Reads the arguments; if they make no sense, the answer to that: exit 1 and no record.
    pub fn read(args: &[String]) -> Result<Request, Answer> {
        let (typed, problem) = read(args, GRAMMAR);
        let wrong = |message: String| Err(Answer::refused(1, format!("ERROR={message}")));
        match problem {
            Some(FlagProblem::Unknown(flag)) => return wrong(format!("unknown option: {}", shown(flag))),
            Some(FlagProblem::NoValue(TIMEOUT)) => return wrong("--timeout is required".to_owned()),
            Some(FlagProblem::NoValue(flag)) => return wrong(format!("{flag} requires a value")),
            Some(FlagProblem::Argument(_)) | None => {}
        }
        let files: Vec<String> =
            typed.arguments.iter().filter(|file| !file.is_empty()).map(|&file| file.to_owned()).collect();
        if files.is_empty() {
            return wrong("at least one output file is required".to_owned());
        }
        let Some(timeout) = typed.value(TIMEOUT) else { return wrong("--timeout is required".to_owned()) };
        let Some(timeout) = positive(timeout) else {
            return wrong(format!("--timeout must be a positive integer: {}", shown(timeout)));
        };
        let validation = match (typed.has("--substantive-validation"), typed.has("--validation-mode")) {
            (false, _) => None,
            (true, false) => Some(Validation::Research),
            (true, true) => Some(Validation::Check),
        };
        let health = typed.value("--write-health").filter(|path| !path.is_empty()).map(str::to_owned);
        Ok(Request { timeout, health, validation, files })
    }
}

/// All records, with a blank line between two.
pub fn answer(records: &[Record]) -> Answer {
    let lines: Vec<Vec<String>> = records.iter().map(|record| record.lines().to_vec()).collect();
    Answer::ok(lines.join(&String::new()))
}

/// What the records say about the health of tools.
pub fn health(records: &[Record]) -> Health {
    records.iter().map(tool_health).fold(Health::default(), Health::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_checked() {
        let read =
            |line: &str| Request::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for (line, message) in [
            ("", "at least one output file is required"),
            ("--timeout 5", "at least one output file is required"),
            ("a.txt", "--timeout is required"),
            ("a.txt --timeout", "--timeout is required"),
            ("--timeout 0 a.txt", "--timeout must be a positive integer: 0"),
            ("--timeout 00 a.txt", "--timeout must be a positive integer: 00"),
            ("--timeout 1s a.txt", "--timeout must be a positive integer: 1s"),
            ("--timeout -5 a.txt", "--timeout must be a positive integer: -5"),
            ("--nope --timeout 5 a.txt", "unknown option: --nope"),
            ("--timeout 5 a.txt --write-health", "--write-health requires a value"),
        ] {
            let answer = read(line).unwrap_err();
            assert_eq!((answer.code, answer.stdout.len()), (1, 0), "{line}");
            assert_eq!(answer.stderr, [format!("ERROR={message}")], "{line}");
        }
        let request =
            read("a --timeout 0060 --substantive-validation b --validation-mode --write-health h").unwrap();
        assert_eq!(
            request,
            Request {
                timeout: 60,
                health: Some("h".to_owned()),
                validation: Some(Validation::Check),
                files: vec!["a".to_owned(), "b".to_owned()]
            }
        );
        assert_eq!(read("--timeout 1 a --validation-mode").unwrap().validation, None);
    }
}
