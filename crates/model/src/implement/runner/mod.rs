//! Output of test runners: was a certain test executed, and did it pass?
//!
//! [`read_test`] knows the output of cargo test, nextest, pytest, unittest, go test, jest, vitest, mocha, node, `JUnit`
//! (Maven, Gradle, console and XML), `RSpec`, minitest, `PHPUnit`, dotnet, `GoogleTest` and everything that speaks TAP. `lines`
//! finds the lines that name a test, `counts` the totals, `names` compares names. What an output does not say stays
//! unknown, and a run without tests is never a success.

mod counts;
mod lines;
mod names;
mod reading;

pub use counts::TestCounts;
pub use names::is_same_test;
pub(crate) use reading::strip_escapes;
pub use reading::{TestOutcome, TestReading, read_test, read_test_counts};
