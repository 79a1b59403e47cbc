//! Conformance suite: the rules that every implementation of a journal must pass.
//!
//! [`check`] takes a function that makes runs ([`RunFixture`]) and returns every violation. Each rule starts with a new run.
//! A driver that ends is replaced by opening the run again, as after a kill: the steps that the first one reported as done
//! must then be done.

mod bench;
mod child;
mod gates;
mod steps;

use self::bench::Counter;
use self::child::child;
use self::gates::{cancellation, gates, reopened, reported, revision, tree};
use self::steps::{
    branches, changed_input, edits, failure, killed_group, missing_output, named_inputs, once, revised,
    staging,
};
use crate::cancel::Cancel;
use crate::event::Broadcast;
use crate::ports::{BoxFuture, Journal};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

pub use self::bench::RuleContext;

/// A run for the journal under test, with the changes that people make from outside.
pub trait RunFixture: Send + Sync {
    /// Opens the journal for a new driver. Only the record is left of an earlier driver.
    fn open(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal>;

    /// Opens the journal of a child run.
    fn open_child(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal>;

    /// Changes a file of the run, as a person would; without content, removes it.
    fn edit(&self, name: &str, content: Option<&str>);

    /// Answers a gate of the run, or of its child, while no driver runs.
    fn answer(&self, of_child: bool, gate: &str, answers: Map<String, Value>);
}

/// Violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    /// Observed behaviour.
    pub details: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.details)
    }
}

type RuleResult = Result<(), String>;
type Rule = for<'a> fn(&'a RuleContext) -> BoxFuture<'a, RuleResult>;

/// All rules: name and check.
pub const RULES: [(&str, Rule); 17] = [
    ("a step that is done is not executed again", |bench| Box::pin(once(bench))),
    ("a step whose inputs changed is executed again", |bench| Box::pin(changed_input(bench))),
    ("an edited output is kept and its readers run again", |bench| Box::pin(edits(bench))),
    ("a missing output is made again", |bench| Box::pin(missing_output(bench))),
    ("a failed step is retried and leaves no files", |bench| Box::pin(failure(bench))),
    ("a step reads only its named inputs", |bench| Box::pin(named_inputs(bench))),
    ("a file revised in place is not an input", |bench| Box::pin(revised(bench))),
    ("the files of a group are hidden until it is collected", |bench| Box::pin(staging(bench))),
    ("a failed branch does not undo the others", |bench| Box::pin(branches(bench))),
    ("a step finished inside a group survives a kill of the driver", |bench| Box::pin(killed_group(bench))),
    ("a gate waits, keeps partial answers, and settles", |bench| Box::pin(gates(bench))),
    ("a gate opens again when its subject has changed", |bench| Box::pin(reopened(bench))),
    ("a revision writes its feedback and runs the flow again", |bench| Box::pin(revision(bench))),
    ("no step starts after cancellation", |bench| Box::pin(cancellation(bench))),
    ("tree changes by agents are recorded", |bench| Box::pin(tree(bench))),
    ("a step reported as finished is on record", |bench| Box::pin(reported(bench))),
    ("a child run is driven once, by either side, and waits through its parent", |bench| {
        Box::pin(child(bench))
    }),
];

/// Checks a journal against every rule. Returns the violations.
pub async fn check(make: &dyn Fn() -> Arc<dyn RunFixture>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (rule, check_rule) in RULES {
        let bench = RuleContext { fixture: make(), children_opened: Counter::default() };
        if let Err(details) = check_rule(&bench).await {
            violations.push(Violation { rule, details });
        }
    }
    violations
}
