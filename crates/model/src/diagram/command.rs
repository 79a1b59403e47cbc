//! `charrette diagram check [--input PATH] [--from-md] [--warnings-log PATH] [--warnings-step STEP] [--parse]`.
//!
//! Exit 0 accepted, 1 rejected, 2 not checked. [`DiagramCheckRequest::parse`] parses the arguments; the binary reads the
//! file; [`DiagramCheckRequest::answer`] checks it.

use super::check::{DiagramMode, Parser, PolicyReport, check};
use super::warnings;
use crate::escape::printable;
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[
        Flag::Value("--input"),
        Flag::Switch("--from-md"),
        Flag::Value("--warnings-log"),
        Flag::Value("--warnings-step"),
        Flag::Switch("--parse"),
    ],
    takes_arguments: false,
};

/// Parsed arguments of `diagram check`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramCheckRequest {
    /// Path of the input; none for standard input.
    pub input: Option<String>,
    /// True if the diagrams are also parsed by a full parser.
    pub parse: bool,
    mode: DiagramMode,
    log: Log,
}

/// Output of `diagram check` and its log entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramCheckOutcome {
    pub answer: CommandAnswer,
    /// Entry for the warnings log of a rejection or internal error.
    pub log: Option<LogEntry>,
}

/// One line for the warnings log; see [`warnings::append`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub path: String,
    pub line: String,
}

/// Path of the warnings log and step of its entries.
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

    fn internal_error(&self, message: &str) -> DiagramCheckOutcome {
        let stdout = vec!["STATUS=internal-error".to_owned(), format!("ERROR={message}")];
        DiagramCheckOutcome {
            answer: CommandAnswer { code: 2, stdout, stderr: Vec::new() },
            log: self.entry("internal-error"),
        }
    }
}

impl DiagramCheckRequest {
    /// Parses the arguments; a usage error is the outcome to print.
    pub fn parse(args: &[String]) -> Result<DiagramCheckRequest, DiagramCheckOutcome> {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        let owned = |flag| typed.value(flag).map(str::to_owned);
        let log = Log {
            path: owned("--warnings-log"),
            step: owned("--warnings-step").unwrap_or_else(|| "unknown".to_owned()),
        };
        match problem {
            None => {}
            Some(FlagError::Unknown(word) | FlagError::Argument(word)) => {
                return Err(log.internal_error(&format!("usage: unknown flag: {}", printable(word))));
            }
            Some(FlagError::NoValue(flag)) => {
                return Err(log.internal_error(&format!("usage: {flag} requires a value")));
            }
        }
        let mode = if typed.has("--from-md") { DiagramMode::Markdown } else { DiagramMode::Detect };
        Ok(DiagramCheckRequest { input: owned("--input"), parse: typed.has("--parse"), mode, log })
    }

    /// Checks the input; `None` means it could not be read. `parser` is called only with `--parse`.
    pub fn answer(&self, input: Option<&[u8]>, parser: &mut Parser<'_>) -> DiagramCheckOutcome {
        let Some(text) = input.and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
            return self.log.internal_error("unreadable input");
        };
        let report = check(text, self.mode, self.parse.then_some(parser));
        let log = if report.is_ok() { None } else { self.log.entry(&report.tokens()) };
        DiagramCheckOutcome { answer: lines(&report), log }
    }
}

fn lines(report: &PolicyReport) -> CommandAnswer {
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
    CommandAnswer { code: u8::from(rejected), stdout, stderr: Vec::new() }
}
