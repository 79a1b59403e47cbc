//! Issues of a specification, their codes and the report.

use crate::escape::one_line;
use serde::Serialize;
use std::fmt::{self, Write as _};

/// Violation of a rule in a line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecIssue {
    pub file: &'static str,
    /// From 1.
    pub line: usize,
    pub code: IssueCode,
    /// On one line.
    pub message: String,
}

/// File names, in report order.
pub const FILES: [&str; 11] = [
    "requirements.md",
    "design.md",
    "tasks.md",
    "summary.md",
    "spec.json",
    "meta.yaml",
    "plan.txt",
    "project.md",
    "features.json",
    "feature.md",
    "specs.json",
];

impl SpecIssue {
    pub fn new(file: &'static str, line: usize, code: IssueCode, message: impl fmt::Display) -> SpecIssue {
        SpecIssue { file, line: line.max(1), code, message: one_line(&message.to_string()) }
    }

    /// Sort key: by file, then by line.
    fn order(&self) -> (usize, usize, IssueCode, &str) {
        let file = FILES.iter().position(|file| *file == self.file).unwrap_or(FILES.len());
        (file, self.line, self.code, &self.message)
    }
}

/// Sorts issues into report order and removes duplicates.
pub fn sort_issues(mut issues: Vec<SpecIssue>) -> Vec<SpecIssue> {
    issues.sort_by(|one, other| one.order().cmp(&other.order()));
    issues.dedup();
    issues
}

impl fmt::Display for SpecIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpecIssue { file, line, code, message } = self;
        write!(f, "{file}:{line}: {message} [{code}]")
    }
}

macro_rules! codes {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        /// Codes of the rules.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueCode {
            $(#[doc = $meaning] $name,)*
        }

        impl IssueCode {
            pub const ALL: &[IssueCode] = &[$(IssueCode::$name),*];

            /// Token of the code.
            pub fn as_str(self) -> &'static str {
                match self { $(IssueCode::$name => $text,)* }
            }

            /// Short description of the rule.
            pub fn meaning(self) -> &'static str {
                match self { $(IssueCode::$name => $meaning,)* }
            }
        }
    };
}

codes! {
    MissingFile = "missing-file": "a file is missing or empty",
    Unreadable = "unreadable": "a file is not JSON, YAML or text",
    Malformed = "malformed": "duplicate id, task without a title, or unclosed code fence",
    Section = "section": "a section is missing or empty",
    NoRequirement = "no-requirement": "no requirement was found",
    Ears = "ears": "a requirement is not in EARS form",
    Untestable = "untestable": "a requirement cannot be tested as it is written",
    Uncovered = "uncovered": "no task covers a requirement",
    OpenPoint = "open-point": "a point is still to be filled in by a person",
    NotARequirement = "not-a-requirement": "a note about the code is written as a requirement",
    NoTask = "no-task": "no task was found",
    UntracedTask = "untraced-task": "a task refers to no requirement",
    NoFiles = "no-files": "a task does not list its files",
    UnknownFile = "unknown-file": "a task names a file that neither exists nor is declared new",
    WrongPlace = "wrong-place": "a cited line does not exist, or does not say what is quoted",
    NoPrompt = "no-prompt": "a task has no prompt, or an empty one",
    NoProof = "no-proof": "a task has no proof, or one that cannot be run",
    Dependency = "dependency": "a task or spec depends on an unknown one, or a task on itself",
    DanglingId = "dangling-id": "an id is not defined",
    DanglingLink = "dangling-link": "a broken link",
    Count = "count": "a count or list of tasks differs from tasks.md",
    Phases = "phases": "the phases differ from tasks.md",
    Status = "status": "a status is missing, unknown, or differs between files",
    Name = "name": "a name or id is missing, or differs between files",
    Date = "date": "a date is missing, invalid, or differs between files",
    Confidence = "confidence": "the confidence level is not high, medium or low",
    SummaryLength = "summary-length": "the summary has fewer than two or more than four sentences",
    KeyDecisions = "key-decisions": "fewer than three or more than five key decisions",
    SummaryLinks = "summary-links": "a link to one of the other five files is missing",
    PlanSection = "plan-section": "a section of the plan is missing or empty",
    PlanFile = "plan-file": "the plan names a file that neither exists nor is declared new",
    Lost = "lost": "a part of the plan is in none of the files",
    NoEntry = "no-entry": "a project without a feature, or a feature without a spec",
    Duplicate = "duplicate": "a manifest lists a name twice",
    Cycle = "cycle": "dependency cycle between the specs of a feature",
}

impl fmt::Display for IssueCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for IssueCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Renders the verdict and one line per issue, in the form of a validator's answer.
pub fn report(issues: &[SpecIssue]) -> String {
    let mut text = format!("Verdict: {}\n", if issues.is_empty() { "PASS" } else { "FAIL" });
    if !issues.is_empty() {
        text.push('\n');
    }
    for issue in issues {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- [CRITICAL] {issue}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::verdict::read_verdict;

    #[test]
    fn a_report_is_read_as_a_verdict() {
        assert_eq!(report(&[]), "Verdict: PASS\n");
        let issue = SpecIssue::new("tasks.md", 0, IssueCode::NoPrompt, "T001 has\nno prompt");
        let text = report(&[issue]);
        assert_eq!(text, "Verdict: FAIL\n\n- [CRITICAL] tasks.md:1: T001 has\\nno prompt [no-prompt]\n");
        let review = read_verdict(&text, &["PASS", "FAIL"]);
        assert_eq!((review.verdict.as_deref(), review.findings.len()), (Some("FAIL"), 1));
    }

    #[test]
    fn codes_are_spelled_like_their_names() {
        for code in IssueCode::ALL {
            let name: String = code
                .as_str()
                .split('-')
                .map(|part| {
                    let (first, rest) = part.split_at(1);
                    first.to_uppercase() + rest
                })
                .collect();
            assert_eq!(name, format!("{code:?}"));
        }
    }
}
