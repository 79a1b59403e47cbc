//! `charrette dirty-tree --mode checkpoint|baseline [--baseline FILE] [--output FILE]`.

use super::report::DirtyTreeReport;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[Flag::Value("--mode"), Flag::Value("--baseline"), Flag::Value("--output")],
    takes_arguments: false,
};

/// Reference of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirtyTreeMode {
    /// The last commit: any difference is dirt.
    Checkpoint,
    /// A list of files that were untracked before.
    Baseline,
}

impl DirtyTreeMode {
    pub fn as_str(self) -> &'static str {
        match self {
            DirtyTreeMode::Checkpoint => "checkpoint",
            DirtyTreeMode::Baseline => "baseline",
        }
    }
}

/// Parsed arguments of `charrette dirty-tree`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyTreeRequest {
    /// The comparison to make, or the report of an invalid command line.
    pub comparison: Result<Comparison, DirtyTreeReport>,
    /// File that the report is also written to.
    pub output: Option<String>,
}

/// A valid comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// Any difference to the last commit?
    Checkpoint,
    /// Any difference to the last commit that is not in this list?
    Baseline(String),
}

impl DirtyTreeRequest {
    /// Parses the arguments. `output` is known even if something else is wrong.
    pub fn parse(args: &[String]) -> DirtyTreeRequest {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        let output = typed.value("--output").filter(|path| !path.is_empty()).map(str::to_owned);
        let mode = match typed.value("--mode") {
            Some("checkpoint") => Ok(DirtyTreeMode::Checkpoint),
            Some("baseline") => Ok(DirtyTreeMode::Baseline),
            Some("") | None => Err("mode-missing"),
            Some(_) => Err("bad-mode"),
        };
        let known = mode.ok();
        let unknown = |reason| Err(DirtyTreeReport::unknown(known, reason));
        let baseline = typed.value("--baseline").filter(|path| !path.is_empty());
        let comparison = match (problem, mode, baseline) {
            (Some(FlagError::Unknown(_)), ..) => unknown("unknown-flag"),
            (Some(FlagError::Argument(_)), ..) => unknown("unknown-argument"),
            (Some(FlagError::NoValue("--output")), ..) => unknown("output-required"),
            (_, Err(reason), _) => unknown(reason),
            (Some(_), Ok(_), _) | (None, Ok(DirtyTreeMode::Baseline), None) => unknown("baseline-required"),
            (None, Ok(DirtyTreeMode::Checkpoint), _) => Ok(Comparison::Checkpoint),
            (None, Ok(DirtyTreeMode::Baseline), Some(list)) => Ok(Comparison::Baseline(list.to_owned())),
        };
        DirtyTreeRequest { comparison, output }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_arguments_are_reported_as_a_token() {
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
            let report = DirtyTreeRequest::parse(&args).comparison.unwrap_err();
            assert_eq!(
                report.lines(),
                ["STATUS=unknown".to_owned(), format!("MODE={mode}"), format!("REASON={reason}")],
                "{line}"
            );
        }
        let args = ["--output", "x", "--mode", "baseline", "--baseline", "list"].map(str::to_owned);
        let request = DirtyTreeRequest::parse(&args);
        assert_eq!(request.comparison, Ok(Comparison::Baseline("list".to_owned())));
        assert_eq!(request.output.as_deref(), Some("x"));
    }
}
