//! `charrette dirty-tree --mode checkpoint|baseline [--baseline FILE] [--output FILE]`.

use super::report::Report;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};

const GRAMMAR: Grammar = Grammar {
    flags: &[Flag::Value("--mode"), Flag::Value("--baseline"), Flag::Value("--output")],
    takes_arguments: false,
};

/// What the tree is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// With the last commit: anything at all is dirt.
    Checkpoint,
    /// With a list of files that git did not know before.
    Baseline,
}

impl Mode {
    /// As it is typed and printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Checkpoint => "checkpoint",
            Mode::Baseline => "baseline",
        }
    }
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What to look for, and in baseline mode the list to compare with; or what is wrong with the question.
    pub question: Result<Question, Report>,
    /// Where the answer is written as well.
    pub output: Option<String>,
}

/// A question that can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Is anything not as committed?
    Checkpoint,
    /// Is anything not as committed that is not on this list?
    Baseline(String),
}

impl Request {
    /// Reads the arguments. Where the answer goes is known even if something else is wrong.
    pub fn read(args: &[String]) -> Request {
        let (typed, problem) = read(args, GRAMMAR);
        let output = typed.value("--output").filter(|path| !path.is_empty()).map(str::to_owned);
        let mode = match typed.value("--mode") {
            Some("checkpoint") => Ok(Mode::Checkpoint),
            Some("baseline") => Ok(Mode::Baseline),
            Some("") | None => Err("mode-missing"),
            Some(_) => Err("bad-mode"),
        };
        let known = mode.ok();
        let unknown = |reason| Err(Report::unknown(known, reason));
        let baseline = typed.value("--baseline").filter(|path| !path.is_empty());
        let question = match (problem, mode, baseline) {
            (Some(FlagProblem::Unknown(_)), ..) => unknown("unknown-flag"),
            (Some(FlagProblem::Argument(_)), ..) => unknown("unknown-argument"),
            (Some(FlagProblem::NoValue("--output")), ..) => unknown("output-required"),
            (_, Err(reason), _) => unknown(reason),
            (Some(_), Ok(_), _) | (None, Ok(Mode::Baseline), None) => unknown("baseline-required"),
            (None, Ok(Mode::Checkpoint), _) => Ok(Question::Checkpoint),
            (None, Ok(Mode::Baseline), Some(list)) => Ok(Question::Baseline(list.to_owned())),
        };
        Request { question, output }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_question_is_a_token() {
        for (line, mode, reason) in [
            ("", "unknown", "mode-missing"),
            ("--mode", "unknown", "mode-missing"),
            ("--mode other", "unknown", "bad-mode"),
            ("--mode checkpoint --nope", "checkpoint", "unknown-flag"),
            ("--mode=checkpoint", "unknown", "unknown-flag"),
            ("checkpoint", "unknown", "unknown-argument"),
            ("--mode baseline", "baseline", "baseline-required"),
            ("--mode checkpoint --baseline", "checkpoint", "baseline-required"),
            ("--mode baseline --baseline", "baseline", "baseline-required"),
            ("--mode checkpoint --output", "checkpoint", "output-required"),
        ] {
            let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let report = Request::read(&args).question.unwrap_err();
            assert_eq!(
                report.lines(),
                ["STATUS=unknown".to_owned(), format!("MODE={mode}"), format!("REASON={reason}")],
                "{line}"
            );
        }
        let args = ["--output", "x", "--mode", "baseline", "--baseline", "list"].map(str::to_owned);
        let request = Request::read(&args);
        assert_eq!(request.question, Ok(Question::Baseline("list".to_owned())));
        assert_eq!(request.output.as_deref(), Some("x"));
    }
}
