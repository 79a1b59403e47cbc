//! What an output says about one test.

use super::counts::TestCounts;
use super::names::is_same_test;
use super::{counts, lines};
use serde::{Deserialize, Serialize};

/// What an output says about one test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReading {
    pub outcome: TestOutcome,
    /// Totals over all runs in the output; none if it states none.
    pub counts: Option<TestCounts>,
    /// The line that decided.
    pub evidence: String,
}

/// Outcome of one test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestOutcome {
    /// The runner names it as executed and passed.
    Passed,
    /// The runner names it as failed.
    Failed,
    /// It was skipped, or the runner names others only, or no test ran at all.
    NotRun,
    /// The output does not name tests.
    #[default]
    Unknown,
}

/// A line that states the outcome of a named test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestLine<'a> {
    pub(super) name: String,
    pub(super) state: LineState,
    pub(super) line: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineState {
    Passed,
    Failed,
    Skipped,
}

/// Reads the output of a test runner for the test of this name.
pub fn read_test(output: &str, name: &str) -> TestReading {
    let text = strip_escapes(output);
    let counts = counts::read_counts(&text);
    let named = lines::read_lines(&text);
    let about: Vec<&TestLine<'_>> = named.iter().filter(|line| is_same_test(name, &line.name)).collect();
    let of = |state| about.iter().find(|line| line.state == state);
    let (outcome, line) = match (of(LineState::Failed), of(LineState::Passed), of(LineState::Skipped)) {
        (Some(failed), _, _) => (TestOutcome::Failed, failed.line),
        (None, Some(passed), _) => (TestOutcome::Passed, passed.line),
        (None, None, Some(skipped)) => (TestOutcome::NotRun, skipped.line),
        (None, None, None) => {
            let has_passed_lines = named.iter().any(|line| line.state != LineState::Failed);
            let is_idle = counts.is_some_and(|counts| counts.executed() == 0);
            // Runners that name failed tests only say nothing about the others.
            (if has_passed_lines || is_idle { TestOutcome::NotRun } else { TestOutcome::Unknown }, "")
        }
    };
    TestReading { outcome, counts, evidence: line.trim().chars().take(200).collect() }
}

/// Totals of an output, without a certain test in mind.
pub fn read_test_counts(output: &str) -> Option<TestCounts> {
    counts::read_counts(&strip_escapes(output))
}

/// Removes terminal escapes and carriage returns.
pub(crate) fn strip_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !c.is_ascii_alphabetic() && c != '~') {},
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\\') {},
                _ => {}
            },
            '\r' => {}
            c => plain.push(c),
        }
    }
    plain
}
