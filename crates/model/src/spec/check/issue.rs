//! What is wrong with a specification, and how that is said.

use crate::shown::one_line;
use serde::Serialize;
use std::fmt::{self, Write as _};

/// Something wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// The file, by its name.
    pub file: &'static str,
    /// Its 1-based line.
    pub line: usize,
    /// Which rule is broken.
    pub code: Code,
    /// What is wrong, on one line.
    pub message: String,
}

/// The files, in the order they are reported.
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

impl Issue {
    /// Something wrong in a line.
    pub fn new(file: &'static str, line: usize, code: Code, message: impl fmt::Display) -> Issue {
        Issue { file, line: line.max(1), code, message: one_line(&message.to_string()) }
    }

    /// Where it is reported: by file, then by line.
    fn order(&self) -> (usize, usize, Code, &str) {
        let file = FILES.iter().position(|file| *file == self.file).unwrap_or(FILES.len());
        (file, self.line, self.code, &self.message)
    }
}

/// Issues as they are reported, by file and line, each once.
pub fn in_order(mut issues: Vec<Issue>) -> Vec<Issue> {
    issues.sort_by(|one, other| one.order().cmp(&other.order()));
    issues.dedup();
    issues
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Issue { file, line, code, message } = self;
        write!(f, "{file}:{line}: {message} [{code}]")
    }
}

macro_rules! codes {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        /// The rules.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// As it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// What the rule is about.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => $meaning,)* }
            }
        }
    };
}

codes! {
    MissingFile = "missing-file": "a file is not there, or empty",
    Unreadable = "unreadable": "a file is not JSON, YAML or text",
    Malformed = "malformed": "something that is not understood: an id twice, a task without a title, an open fence",
    Section = "section": "a section is missing or empty",
    NoRequirement = "no-requirement": "nothing is demanded",
    Ears = "ears": "a requirement is no EARS sentence",
    Untestable = "untestable": "a requirement that nobody could test as it is written",
    Uncovered = "uncovered": "no task covers a requirement",
    NoTask = "no-task": "there is no task",
    UntracedTask = "untraced-task": "a task leads to no requirement",
    NoFiles = "no-files": "a task does not say which files it touches",
    UnknownFile = "unknown-file": "a task names a file that neither exists nor is declared new",
    NoPrompt = "no-prompt": "a task has no prompt, or an empty one",
    Dependency = "dependency": "a task or a spec waits for one that does not exist, or a task for itself",
    DanglingId = "dangling-id": "an id that is defined nowhere",
    DanglingLink = "dangling-link": "a link that leads nowhere",
    Count = "count": "a number or a list of tasks that does not agree with tasks.md",
    Phases = "phases": "phases that do not agree with tasks.md",
    Status = "status": "a status that is missing, unknown, or another one than elsewhere",
    Name = "name": "a name or id that is missing, or another one than elsewhere",
    Date = "date": "a date that is missing, no date, or another one than elsewhere",
    Confidence = "confidence": "no confidence of high, medium or low",
    SummaryLength = "summary-length": "a summary of fewer than two or more than four sentences",
    KeyDecisions = "key-decisions": "fewer than three or more than five key decisions",
    SummaryLinks = "summary-links": "a link to one of the other five files is missing",
    PlanSection = "plan-section": "a section of the plan is missing or empty",
    PlanFile = "plan-file": "the plan names a file that neither exists nor is declared new",
    NoEntry = "no-entry": "a project without a feature, or a feature without a spec",
    Duplicate = "duplicate": "a manifest lists a name twice",
    Cycle = "cycle": "specs of a feature wait for each other",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The verdict, and one line per issue: what a validator would answer.
pub fn report(issues: &[Issue]) -> String {
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
    use crate::panel::verdict::read_review;

    #[test]
    fn a_report_is_read_as_a_verdict() {
        assert_eq!(report(&[]), "Verdict: PASS\n");
        let issue = Issue::new("tasks.md", 0, Code::NoPrompt, "T001 has\nno prompt");
        let text = report(&[issue]);
        assert_eq!(text, "Verdict: FAIL\n\n- [CRITICAL] tasks.md:1: T001 has\\nno prompt [no-prompt]\n");
        let review = read_review(&text, &["PASS", "FAIL"]);
        assert_eq!((review.verdict.as_deref(), review.findings.len()), (Some("FAIL"), 1));
    }

    #[test]
    fn codes_are_spelled_like_their_names() {
        for code in Code::ALL {
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
