//! Review of a task's change: a verdict and numbered findings.
//!
//! `Verdict: FAIL` is read as everywhere ([`super::verdict`]), the findings as those of a plan review
//! ([`super::findings`]). A FAIL without a finding, and a PASS beside a grave one, are no reviews: they are sent back.

use super::findings::{Finding, FindingSeverity, NO_ISSUES_FOUND, names_place, read_findings};
use super::verdict::read_verdict;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// The verdicts of a task reviewer.
pub const TASK_VERDICTS: [&str; 3] = ["PASS", "PASS_WITH_NOTES", "FAIL"];

/// Parsed review of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskReview {
    pub verdict: TaskVerdict,
    pub findings: Vec<TaskFinding>,
}

/// Verdict about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskVerdict {
    Pass,
    PassWithNotes,
    Fail,
}

/// Finding about a task's change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFinding {
    pub n: u32,
    pub title: String,
    pub severity: FindingSeverity,
    pub concern: String,
    /// What to change.
    pub suggestion: String,
    /// True if it is about something that the task did not touch.
    pub out_of_scope: bool,
    /// Files it cites, with lines.
    pub places: Vec<String>,
}

impl TaskVerdict {
    pub fn name(self) -> &'static str {
        match self {
            TaskVerdict::Pass => "PASS",
            TaskVerdict::PassWithNotes => "PASS_WITH_NOTES",
            TaskVerdict::Fail => "FAIL",
        }
    }
}

impl TaskReview {
    /// True if the task may be integrated.
    pub fn is_pass(&self) -> bool {
        self.verdict != TaskVerdict::Fail
    }

    /// Findings about the change itself.
    pub fn in_scope(&self) -> impl Iterator<Item = &TaskFinding> {
        self.findings.iter().filter(|finding| !finding.out_of_scope)
    }
}

/// Parses a review. It counts only without problems; they tell the reviewer what to change.
pub fn read_task_review(text: &str) -> (Option<TaskReview>, Vec<Problem>) {
    let read = read_verdict(text, &TASK_VERDICTS);
    let Some(verdict) = read.verdict.as_deref().and_then(parse_verdict) else {
        let mut problems = read.problems;
        problems.push(Problem::new(
            1,
            "expected a line  Verdict: PASS,  Verdict: PASS_WITH_NOTES  or  Verdict: FAIL",
        ));
        return (None, problems);
    };
    let line = read.line.unwrap_or(1);
    let review = TaskReview { verdict, findings: findings_beside(text, line, verdict) };
    let mut problems = Vec::new();
    let grave = review.in_scope().find(|finding| finding.severity != FindingSeverity::Minor);
    match (verdict, grave) {
        (TaskVerdict::Fail, _) if review.in_scope().next().is_none() => {
            problems.push(Problem::new(line, "FAIL needs at least one numbered finding about this change"));
        }
        (TaskVerdict::Fail, _) if !review.in_scope().any(|finding| names_place(&finding.text(), &[])) => {
            problems.push(Problem::new(line, "no finding names a place: cite path:line of what is wrong"));
        }
        (TaskVerdict::Pass | TaskVerdict::PassWithNotes, Some(finding)) => {
            let (name, n, severity) = (verdict.name(), finding.n, finding.severity.name());
            problems.push(Problem::new(
                line,
                format!("{name} stands beside finding {n}, which is {severity}: a critical or major finding means FAIL"),
            ));
        }
        _ => {}
    }
    (Some(review), problems)
}

impl TaskFinding {
    fn text(&self) -> String {
        [self.title.as_str(), &self.concern, &self.suggestion].join("\n")
    }
}

/// The numbered findings, read without the lines of the verdict. What a finding lacks (a tag, a suggestion) is no reason to
/// ask again: without a severity it weighs as much as the verdict.
fn findings_beside(text: &str, verdict_line: usize, verdict: TaskVerdict) -> Vec<TaskFinding> {
    // The verdict may be a heading with its token below; blank lines keep the numbers of the others.
    let blank = |(at, line): (usize, &str)| {
        let is_verdict =
            at + 1 == verdict_line || line.to_lowercase().trim_matches(['#', '*', ' ', '_']) == "verdict";
        let is_empty_list = line.trim_matches(['*', '`', ' ', '.']) == NO_ISSUES_FOUND;
        if is_verdict || is_empty_list { String::new() } else { line.to_owned() }
    };
    let rest: Vec<String> = text.lines().enumerate().map(blank).collect();
    let rest = rest.join("\n");
    let default = if verdict == TaskVerdict::Fail { FindingSeverity::Major } else { FindingSeverity::Minor };
    read_findings(&rest).findings.iter().map(|finding| owned(finding, default)).collect()
}

fn owned(finding: &Finding<'_>, default: FindingSeverity) -> TaskFinding {
    TaskFinding {
        n: finding.n,
        title: finding.title().into_owned(),
        severity: finding.severity.unwrap_or(default),
        concern: finding.concern.clone().into_owned(),
        suggestion: finding.revision.clone().unwrap_or_default().into_owned(),
        out_of_scope: finding.out_of_scope,
        places: finding.paths().into_iter().map(str::to_owned).collect(),
    }
}

fn parse_verdict(name: &str) -> Option<TaskVerdict> {
    [TaskVerdict::Pass, TaskVerdict::PassWithNotes, TaskVerdict::Fail]
        .into_iter()
        .find(|verdict| verdict.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        read_task_review(text).1.into_iter().map(|problem| problem.message).collect()
    }

    const FINDING: &str = "1. [correctness] [major] The bound is off by one\n   `src/limit.rs:12` compares with `>`, so the hundredth request is refused.\n   Suggested revision: compare with `>=`.\n";

    #[test]
    fn every_form_of_a_verdict_is_read() {
        for (head, verdict) in [
            ("Verdict: FAIL", TaskVerdict::Fail),
            ("## Verdict: **FAIL**", TaskVerdict::Fail),
            ("## Verdict\n\nFAIL", TaskVerdict::Fail),
            ("**Verdict:** FAIL.", TaskVerdict::Fail),
        ] {
            let text = format!("{head}\n\n{FINDING}");
            let (review, problems) = read_task_review(&text);
            assert_eq!(
                (problems.len(), review.as_ref().unwrap().verdict),
                (0, verdict),
                "{head}: {problems:?}"
            );
            let finding = &review.unwrap().findings[0];
            assert_eq!((finding.n, finding.severity), (1, FindingSeverity::Major));
            assert!(finding.title.contains("off by one") && finding.suggestion.contains(">="), "{finding:?}");
            assert_eq!(finding.places, ["src/limit.rs:12"]);
        }
        for text in [
            "Verdict: PASS",
            "Verdict: PASS\n\nNO_ISSUES_FOUND",
            "## Verdict: PASS\n\nThe bound holds in tests/limit.rs:4.",
        ] {
            let (review, problems) = read_task_review(text);
            assert!(problems.is_empty() && review.unwrap().is_pass(), "{text}: {problems:?}");
        }
        let notes = format!("Verdict: PASS_WITH_NOTES\n\n{}", FINDING.replace("[major]", "[minor]"));
        let (review, problems) = read_task_review(&notes);
        assert_eq!((problems, review.unwrap().findings.len()), (vec![], 1));
    }

    #[test]
    fn what_is_no_review_is_sent_back() {
        for (text, message) in [
            ("Looks fine.", "expected a line  Verdict: PASS,  Verdict: PASS_WITH_NOTES  or  Verdict: FAIL"),
            ("Verdict: PASS | FAIL", "more than one of PASS, PASS_WITH_NOTES, FAIL"),
            ("Verdict: APPROVED", "'APPROVED' is not one of PASS, PASS_WITH_NOTES, FAIL"),
            ("Verdict: FAIL", "FAIL needs at least one numbered finding about this change"),
            (
                "Verdict: FAIL\n\nIt is not good.",
                "FAIL needs at least one numbered finding about this change",
            ),
            (
                "Verdict: FAIL\n\n1. [major] It is wrong\n   Somewhere it fails.\n   Suggested revision: mend it.\n",
                "no finding names a place: cite path:line of what is wrong",
            ),
        ] {
            assert_eq!(problems(text).first().map(String::as_str), Some(message), "{text}");
        }
        for verdict in ["PASS", "PASS_WITH_NOTES"] {
            let found = problems(&format!("Verdict: {verdict}\n\n{FINDING}"));
            assert_eq!(
                found,
                [format!(
                    "{verdict} stands beside finding 1, which is major: a critical or major finding means FAIL"
                )]
            );
        }
        let outside =
            format!("Verdict: FAIL\n\n{}", FINDING.replace("[correctness]", "[OUT_OF_SCOPE] [correctness]"));
        assert_eq!(problems(&outside), ["FAIL needs at least one numbered finding about this change"]);
    }
}
