//! `charrette diagram check [--input PATH] [--from-md] [--warnings-log PATH] [--warnings-step STEP] [--parse]`.
//!
//! Exit 0 accepted, 1 rejected, 2 could not look. [`Request::read`] reads the arguments, the binary the file,
//! [`Request::answer`] says the rest.

use super::check::{Mode, Parser, Report, check};
use super::warnings;
use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::shown;

const GRAMMAR: Grammar = Grammar {
    flags: &[
        Flag::Value("--input"),
        Flag::Switch("--from-md"),
        Flag::Value("--warnings-log"),
        Flag::Value("--warnings-step"),
        Flag::Switch("--parse"),
    ],
    takes_arguments: false,
};

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The file to look at; standard input if there is none.
    pub input: Option<String>,
    /// Whether a real parser has its say as well.
    pub parse: bool,
    mode: Mode,
    log: Log,
}

/// What is said, and what goes into a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Lines and exit code.
    pub answer: Answer,
    /// For the log, if there is one and something is wrong.
    pub log: Option<LogEntry>,
}

/// One line for a log; see [`warnings::append`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The file.
    pub path: String,
    /// The line.
    pub line: String,
}

/// Where rejections are recorded, and under which step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Log {
    path: Option<String>,
    step: String,
}

impl Log {
    fn entry(&self, tokens: &str) -> Option<LogEntry> {
        let path = self.path.clone()?;
        Some(LogEntry { path, line: warnings::entry(&self.step, tokens) })
    }

    fn internal_error(&self, message: &str) -> Said {
        let stdout = vec!["STATUS=internal-error".to_owned(), format!("ERROR={message}")];
        Said { answer: Answer { code: 2, stdout, stderr: Vec::new() }, log: self.entry("internal-error") }
    }
}

impl Request {
    /// Reads the arguments, or says what is wrong with them.
    pub fn read(args: &[String]) -> Result<Request, Said> {
        let (typed, problem) = read(args, GRAMMAR);
        let owned = |flag| typed.value(flag).map(str::to_owned);
        let log = Log {
            path: owned("--warnings-log"),
            step: owned("--warnings-step").unwrap_or_else(|| "unknown".to_owned()),
        };
        match problem {
            None => {}
            Some(FlagProblem::Unknown(word) | FlagProblem::Argument(word)) => {
                return Err(log.internal_error(&format!("usage: unknown flag: {}", shown(word))));
            }
            Some(FlagProblem::NoValue(flag)) => {
                return Err(log.internal_error(&format!("usage: {flag} requires a value")));
            }
        }
        let mode = if typed.has("--from-md") { Mode::Markdown } else { Mode::Detect };
        Ok(Request { input: owned("--input"), parse: typed.has("--parse"), mode, log })
    }

    /// Answers for what the input held; `None` if it could not be read. `parser` is asked only with `--parse`.
    pub fn answer(&self, input: Option<&[u8]>, parser: &mut Parser<'_>) -> Said {
        let Some(text) = input.and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
            return self.log.internal_error("unreadable input");
        };
        let report = check(text, self.mode, self.parse.then_some(parser));
        let log = if report.is_ok() { None } else { self.log.entry(&report.tokens()) };
        Said { answer: lines(&report), log }
    }
}

fn lines(report: &Report) -> Answer {
    let rejected = !report.is_ok();
    let mut stdout = vec![format!("STATUS={}", if rejected { "rejected" } else { "ok" })];
    for (index, diagram) in report.diagrams.iter().enumerate() {
        for hit in &diagram.hits {
            let (token, fence, line) = (hit.token.as_str(), index + 1, hit.line);
            stdout.push(format!("REASON_TOKEN={token} fence={fence} line={line}"));
        }
    }
    stdout.push(format!("FENCE_COUNT={}", report.diagrams.len()));
    if report.markdown {
        let headings = report.diagrams.iter().enumerate();
        stdout.extend(
            headings
                .map(|(index, diagram)| format!("FENCE_{}_HEADING={}", index + 1, diagram.heading.as_str())),
        );
    }
    Answer { code: u8::from(rejected), stdout, stderr: Vec::new() }
}
