//! Verdict about a proof: red before the work, green after it, and how strong that is.

use super::proof::Proof;
use super::runner::{TestOutcome, read_test, read_test_counts};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A command that was run for a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofRun<'a> {
    /// True if it ended by itself with exit code 0.
    pub is_green: bool,
    /// True if it ended by itself; false if it was ended at a limit or by a signal, or did not start.
    pub has_ended: bool,
    pub output: &'a str,
}

/// State of a proof on the old tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RedState {
    /// The test was executed and failed, or the command failed.
    Proven,
    /// The old tree with the new tests does not build: weaker.
    NotBuilt,
    /// The test does not exist on the old tree: weaker.
    Absent,
    /// It passes without the work: the proof shows nothing.
    Green,
    /// It was not tried: the tests cannot be separated from the work, or the proof is derived.
    #[default]
    NotTried,
}

/// State of a proof on the new tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GreenState {
    /// The runner names the test as executed and passed, or the command succeeded.
    Proven,
    /// The runner succeeded and counts passed tests, but does not name the test: weaker.
    Counted,
    Failed,
    /// The runner succeeded without executing the test.
    NotRun,
    /// The runner succeeded, and its output does not say whether any test ran.
    Unclear,
    /// Ended at a limit, or could not be started.
    Broken,
    /// There is nothing to run.
    #[default]
    NotNeeded,
}

/// Verdict about the proof of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofVerdict {
    pub red: RedState,
    pub green: GreenState,
}

/// How much a proof that holds shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofStrength {
    /// Red before, green after, both named.
    Strong,
    /// Green after; before, it did not build, was absent or was not tried, or the runner does not name it.
    Weaker,
    /// Nothing was run.
    None,
}

/// Judges a run of a proof on the old tree with the task's tests laid over it.
pub fn judge_red(proof: &Proof, run: &ProofRun<'_>) -> RedState {
    if !run.has_ended {
        return RedState::NotTried;
    }
    let Proof::Test(name) = proof else {
        return match proof {
            Proof::None(_) | Proof::Suite(_) => RedState::NotTried,
            _ if run.is_green => RedState::Green,
            _ => RedState::Proven,
        };
    };
    let reading = read_test(run.output, name);
    match (reading.outcome, run.is_green) {
        (TestOutcome::Failed, false) => RedState::Proven,
        (TestOutcome::Passed, _) => RedState::Green,
        (TestOutcome::NotRun | TestOutcome::Unknown, false) if is_build_failure(run.output) => {
            RedState::NotBuilt
        }
        (TestOutcome::NotRun, _) => RedState::Absent,
        // The runner failed, and at least one test with it; which one it does not say.
        (TestOutcome::Unknown, false) if reading.counts.is_some_and(|counts| counts.failed > 0) => {
            RedState::Proven
        }
        (TestOutcome::Unknown, false) => RedState::NotBuilt,
        (TestOutcome::Unknown | TestOutcome::Failed, true) => match reading.counts {
            Some(counts) if counts.passed > 0 => RedState::Green,
            _ => RedState::Absent,
        },
    }
}

/// Judges a run of a proof on the new tree.
pub fn judge_green(proof: &Proof, run: &ProofRun<'_>) -> GreenState {
    if matches!(proof, Proof::None(_)) {
        return GreenState::NotNeeded;
    }
    if !run.has_ended {
        return GreenState::Broken;
    }
    if !run.is_green {
        return GreenState::Failed;
    }
    match proof {
        Proof::Test(name) => {
            let reading = read_test(run.output, name);
            match reading.outcome {
                TestOutcome::Passed => GreenState::Proven,
                TestOutcome::Failed => GreenState::Failed,
                TestOutcome::NotRun => GreenState::NotRun,
                TestOutcome::Unknown => match reading.counts {
                    Some(counts) if counts.failed > 0 => GreenState::Failed,
                    Some(counts) if counts.passed > 0 => GreenState::Counted,
                    Some(_) => GreenState::NotRun,
                    None => GreenState::Unclear,
                },
            }
        }
        // A suite that ran no test, or a command that says so, shows nothing.
        _ => match read_test_counts(run.output) {
            Some(counts) if counts.executed() == 0 => GreenState::NotRun,
            _ => GreenState::Proven,
        },
    }
}

impl ProofVerdict {
    /// True if the proof holds: green after the work, and not green before it.
    pub fn holds(self) -> bool {
        self.red != RedState::Green
            && matches!(self.green, GreenState::Proven | GreenState::Counted | GreenState::NotNeeded)
    }

    pub fn strength(self) -> ProofStrength {
        match (self.red, self.green) {
            (_, GreenState::NotNeeded) => ProofStrength::None,
            (RedState::Proven, GreenState::Proven) => ProofStrength::Strong,
            _ => ProofStrength::Weaker,
        }
    }
}

/// One sentence for records and reports.
impl fmt::Display for ProofVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let green = match self.green {
            GreenState::Proven => "green",
            GreenState::Counted => "green, but the runner does not name the test",
            GreenState::Failed => "red after the work",
            GreenState::NotRun => "no test ran",
            GreenState::Unclear => "the output does not say whether the test ran",
            GreenState::Broken => "did not end",
            GreenState::NotNeeded => return f.write_str("no proof"),
        };
        let red = match self.red {
            RedState::Proven => "red before",
            RedState::NotBuilt => "did not build before",
            RedState::Absent => "absent before",
            RedState::Green => "green without the work",
            RedState::NotTried => "not tried before",
        };
        write!(f, "{green}; {red}")
    }
}

/// Texts of compilers and importers that could not build what they were given.
const BUILD_FAILURES: [&str; 20] = [
    "could not compile",
    "error[E",
    "error: aborting due to",
    "[build failed]",
    "[setup failed]",
    "SyntaxError",
    "ImportError",
    "ModuleNotFoundError",
    "ERROR collecting",
    "errors during collection",
    "Cannot find module",
    "Failed to resolve import",
    "error TS",
    "COMPILATION ERROR",
    "Compilation failed",
    "compileTestJava FAILED",
    "compileTestKotlin FAILED",
    "LoadError",
    "undefined reference",
    "error CS",
];

/// True if an output is that of a build that failed.
pub fn is_build_failure(output: &str) -> bool {
    BUILD_FAILURES.iter().any(|text| output.contains(text))
}
