//! `charrette collect --timeout S [--write-health P] [--substantive-validation [--validation-mode]] FILE…`.

use super::record::{CollectRecord, tool_health};
use crate::escape::printable;
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};
use crate::session::Health;
use crate::sidecar::parse_positive;

const TIMEOUT: &str = "--timeout";

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[
        Flag::Value(TIMEOUT),
        Flag::Value("--write-health"),
        Flag::Switch("--substantive-validation"),
        Flag::Switch("--validation-mode"),
    ],
    takes_arguments: true,
};

/// Parsed arguments of `charrette collect`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectRequest {
    /// In seconds.
    pub timeout: u64,
    /// Path of the tool health file.
    pub health: Option<String>,
    /// Validation of answers, if any.
    pub validation: Option<Validation>,
    /// Output files, as typed.
    pub files: Vec<String>,
}

/// Strictness of answer validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// Research: a long answer is required.
    Research,
    /// A check: may be short, or report no issues.
    Check,
}

impl CollectRequest {
    /// Parses the arguments. On error: the answer, with exit code 1 and no record.
    pub fn parse(args: &[String]) -> Result<CollectRequest, CommandAnswer> {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        let wrong = |message: String| Err(CommandAnswer::failure(1, format!("ERROR={message}")));
        match problem {
            Some(FlagError::Unknown(flag)) => return wrong(format!("unknown option: {}", printable(flag))),
            Some(FlagError::NoValue(TIMEOUT)) => return wrong("--timeout is required".to_owned()),
            Some(FlagError::NoValue(flag)) => return wrong(format!("{flag} requires a value")),
            Some(FlagError::Argument(_)) | None => {}
        }
        let files: Vec<String> =
            typed.arguments.iter().filter(|file| !file.is_empty()).map(|&file| file.to_owned()).collect();
        if files.is_empty() {
            return wrong("at least one output file is required".to_owned());
        }
        let Some(timeout) = typed.value(TIMEOUT) else { return wrong("--timeout is required".to_owned()) };
        let Some(timeout) = parse_positive(timeout) else {
            return wrong(format!("--timeout must be a positive integer: {}", printable(timeout)));
        };
        let validation = match (typed.has("--substantive-validation"), typed.has("--validation-mode")) {
            (false, _) => None,
            (true, false) => Some(Validation::Research),
            (true, true) => Some(Validation::Check),
        };
        let health = typed.value("--write-health").filter(|path| !path.is_empty()).map(str::to_owned);
        Ok(CollectRequest { timeout, health, validation, files })
    }
}

/// All records, separated by blank lines.
pub fn answer(records: &[CollectRecord]) -> CommandAnswer {
    let lines: Vec<Vec<String>> = records.iter().map(|record| record.lines().to_vec()).collect();
    CommandAnswer::ok(lines.join(&String::new()))
}

/// Health of the tools, from the records.
pub fn health(records: &[CollectRecord]) -> Health {
    records.iter().map(tool_health).fold(Health::default(), Health::merge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_validated() {
        let read = |line: &str| {
            CollectRequest::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
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
            CollectRequest {
                timeout: 60,
                health: Some("h".to_owned()),
                validation: Some(Validation::Check),
                files: vec!["a".to_owned(), "b".to_owned()]
            }
        );
        assert_eq!(read("--timeout 1 a --validation-mode").unwrap().validation, None);
    }
}
