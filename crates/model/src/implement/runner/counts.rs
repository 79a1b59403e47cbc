//! Totals in the output of test runners.

use serde::{Deserialize, Serialize};

/// Number of tests by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl TestCounts {
    /// Tests that ran.
    pub fn executed(self) -> u64 {
        self.passed + self.failed
    }

    fn add(&mut self, other: TestCounts) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }
}

/// Adds up the totals of an output; none if it states none.
pub(super) fn read_counts(text: &str) -> Option<TestCounts> {
    let mut totals: Option<TestCounts> = None;
    let mut listed = Listed::default();
    for line in text.lines() {
        let line = line.trim();
        if listed.read(line) {
            continue;
        }
        if let Some(counts) = line_counts(line) {
            let totals = totals.get_or_insert_default();
            totals.add(counts);
            // unittest counts all tests in one line and the failed ones among them in the next.
            if line.starts_with("FAILED (") {
                totals.passed = totals.passed.saturating_sub(counts.failed);
            }
        }
    }
    if let Some(counts) = listed.counts() {
        totals.get_or_insert_default().add(counts);
    }
    totals
}

/// Totals that a line states by itself.
fn line_counts(line: &str) -> Option<TestCounts> {
    let lower = line.to_lowercase();
    let none = [
        "no tests ran",
        "no tests to run",
        "no tests executed",
        "no tests were executed",
        "no test files found",
        "no tests found",
        "no test files",
        "collected 0 items",
        "running 0 tests",
        "0 tests to run",
    ];
    if none.iter().any(|words| lower.contains(words)) {
        return Some(TestCounts::default());
    }
    // go, one line per package without -v: ok  <tab> package <tab> 0.1s
    if lower.starts_with("ok ") && line.contains('\t') {
        return Some(TestCounts { passed: 1, ..TestCounts::default() });
    }
    // cargo: test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out
    if let Some(rest) = lower.strip_prefix("test result:") {
        return Some(numbered_words(rest));
    }
    // nextest: Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 4 skipped
    if let Some((_, rest)) = lower.split_once(" run: ").filter(|_| lower.starts_with("summary ")) {
        return Some(numbered_words(rest));
    }
    // unittest: Ran 3 tests in 0.1s  (what failed is in the next line)
    if let Some(number) = lower.strip_prefix("ran ").and_then(leading_number)
        && lower.contains(" test")
    {
        return Some(TestCounts { passed: number, ..TestCounts::default() });
    }
    if let Some(inside) = lower.strip_prefix("failed (").and_then(|rest| rest.strip_suffix(')')) {
        let failed = inside.split(", ").filter_map(|part| part.split_once('='));
        let failed = failed
            .filter(|(name, _)| matches!(*name, "failures" | "errors"))
            .filter_map(|(_, n)| n.parse::<u64>().ok())
            .sum();
        return Some(TestCounts { failed, ..TestCounts::default() });
    }
    // Maven: Tests run: 3, Failures: 0, Errors: 0, Skipped: 1; the total has no "in Class" behind it.
    if let Some((_, rest)) = lower.split_once("tests run: ") {
        if lower.contains(" in ") && lower.contains("time elapsed") {
            return None;
        }
        let total = leading_number(rest)?;
        let of = |name: &str| rest.split_once(name).and_then(|(_, rest)| leading_number(rest)).unwrap_or(0);
        let (failed, skipped) = (of("failures: ") + of("errors: "), of("skipped: "));
        return Some(TestCounts { passed: total.saturating_sub(failed + skipped), failed, skipped });
    }
    // RSpec: 3 examples, 1 failure, 1 pending
    if let Some((before, rest)) = lower.split_once(" example")
        && let Ok(total) = before.parse::<u64>()
    {
        let (failed, skipped) =
            (number_before(rest, " failure").unwrap_or(0), number_before(rest, " pending").unwrap_or(0));
        return Some(TestCounts { passed: total.saturating_sub(failed + skipped), failed, skipped });
    }
    // minitest: 3 runs, 4 assertions, 1 failures, 0 errors, 0 skips
    if lower.contains(" assertions, ")
        && let Some(total) = leading_number(&lower)
        && (lower.contains(" runs, ") || lower.contains(" tests, "))
        && lower.contains(" errors")
    {
        let of = |word| number_before(&lower, word).unwrap_or(0);
        let (failed, skipped) = (of(" failures") + of(" errors"), of(" skips"));
        return Some(TestCounts { passed: total.saturating_sub(failed + skipped), failed, skipped });
    }
    // PHPUnit: OK (3 tests, 4 assertions)   or   Tests: 3, Assertions: 4, Failures: 1.
    if let Some(rest) = lower.strip_prefix("ok (").filter(|rest| rest.contains("assertion")) {
        return Some(TestCounts { passed: leading_number(rest)?, ..TestCounts::default() });
    }
    if let Some(rest) = lower.strip_prefix("tests: ").filter(|rest| rest.contains("assertions: ")) {
        let total = leading_number(rest)?;
        let of = |name: &str| rest.split_once(name).and_then(|(_, rest)| leading_number(rest)).unwrap_or(0);
        let (failed, skipped) = (of("failures: ") + of("errors: "), of("skipped: ") + of("incomplete: "));
        return Some(TestCounts { passed: total.saturating_sub(failed + skipped), failed, skipped });
    }
    // jest: Tests:       1 failed, 2 passed, 3 total     vitest: Tests  1 failed | 2 passed (3)
    let after = lower.strip_prefix("tests:").or_else(|| lower.strip_prefix("tests "));
    if let Some(rest) =
        after.filter(|rest| rest.contains(" passed") || rest.contains(" failed") || rest.contains(" skipped"))
    {
        return Some(numbered_words(rest));
    }
    // pytest: ==== 1 passed, 2 failed in 0.12s ====
    let bare = lower.trim_matches(['=', ' ']);
    let is_pytest =
        bare.contains(" in ") && bare.split(' ').next().is_some_and(|word| word.parse::<u64>().is_ok());
    if is_pytest
        && [" passed", " failed", " error", " skipped", " deselected", " xfailed"]
            .iter()
            .any(|word| bare.contains(word))
    {
        return Some(numbered_words(bare.rsplit_once(" in ").map_or(bare, |(before, _)| before)));
    }
    // dotnet: Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3
    if lower.contains("total:") && lower.contains("passed:") && lower.contains("failed:") {
        let of = |name: &str| {
            lower.split_once(name).and_then(|(_, rest)| leading_number(rest.trim_start())).unwrap_or(0)
        };
        return Some(TestCounts {
            passed: of(" passed:").max(of(", passed:")),
            failed: of("- failed:").max(of(" failed:")),
            skipped: of("skipped:"),
        });
    }
    None
}

/// Totals that are listed one per line: mocha, node, TAP, Gradle.
#[derive(Debug, Default)]
struct Listed {
    passed: Option<u64>,
    failed: Option<u64>,
    skipped: Option<u64>,
}

impl Listed {
    fn read(&mut self, line: &str) -> bool {
        // node: ℹ pass 1 · TAP: # pass 1
        let marked = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "));
        if let Some((word, number)) = marked.and_then(|rest| rest.split_once(' '))
            && let Ok(number) = number.trim().parse::<u64>()
        {
            let slot = match word {
                "pass" => &mut self.passed,
                "fail" => &mut self.failed,
                "skipped" | "skip" => &mut self.skipped,
                "tests" => return true,
                _ => return false,
            };
            *slot = Some(slot.unwrap_or(0) + number);
            return true;
        }
        // mocha: 2 passing (10ms)
        let mut words = line.split(' ');
        if let (Some(Ok(number)), Some(word)) = (words.next().map(str::parse::<u64>), words.next()) {
            let slot = match word {
                "passing" => Some(&mut self.passed),
                "failing" => Some(&mut self.failed),
                "pending" if words.next().is_none() => Some(&mut self.skipped),
                _ => None,
            };
            if let Some(slot) = slot {
                *slot = Some(slot.unwrap_or(0) + number);
                return true;
            }
        }
        // Gradle: 3 tests completed, 1 failed
        if let Some((total, rest)) =
            line.split_once(" tests completed").or_else(|| line.split_once(" test completed"))
            && let Ok(total) = total.parse::<u64>()
        {
            let failed = number_before(rest, " failed").unwrap_or(0);
            let skipped = number_before(rest, " skipped").unwrap_or(0);
            self.passed = Some(total.saturating_sub(failed + skipped));
            (self.failed, self.skipped) = (Some(failed), Some(skipped));
            return true;
        }
        // TAP: 1..0
        if line == "1..0" || line.starts_with("1..0 ") {
            self.passed.get_or_insert(0);
            return true;
        }
        false
    }

    fn counts(&self) -> Option<TestCounts> {
        (self.passed.is_some() || self.failed.is_some()).then(|| TestCounts {
            passed: self.passed.unwrap_or(0),
            failed: self.failed.unwrap_or(0),
            skipped: self.skipped.unwrap_or(0),
        })
    }
}

/// Adds up `1 passed; 2 failed, 3 skipped`.
fn numbered_words(text: &str) -> TestCounts {
    let mut counts = TestCounts::default();
    let mut number = None;
    for word in text.split([' ', ',', ';', '|', '.', '(']).filter(|word| !word.is_empty()) {
        if let Ok(value) = word.parse::<u64>() {
            number = Some(value);
            continue;
        }
        let Some(value) = number.take() else { continue };
        match word {
            "passed" | "xpassed" => counts.passed += value,
            "failed" | "error" | "errors" | "timed" => counts.failed += value,
            "skipped" | "ignored" | "xfailed" | "todo" => counts.skipped += value,
            _ => {}
        }
    }
    counts
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().ok()
}

/// The number that stands before a word.
fn number_before(text: &str, word: &str) -> Option<u64> {
    let (before, _) = text.split_once(word)?;
    before.rsplit([' ', ',']).find(|part| !part.is_empty())?.parse().ok()
}
