//! What a journal promises, as checks that any implementation can be held against.
//!
//! [`check`] takes something that makes runs ([`Subject`]) and returns every rule that was broken. Each rule begins with a run
//! of its own. A driver that ends is replaced by opening the run again, as after a kill: whatever the first one reported as
//! done must then be done.

mod bench;
mod child;
mod gates;
mod steps;

use self::bench::Count;
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

pub use self::bench::Bench;

/// A run to try a journal on, and the world around it.
pub trait Subject: Send + Sync {
    /// The journal of somebody who drives the run from now on. Nothing is left of an earlier driver but the record.
    fn open(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal>;

    /// The same for a child of the run.
    fn open_child(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal>;

    /// A person changes a file of the run; without content, removes it.
    fn edit(&self, name: &str, content: Option<&str>);

    /// A person answers a gate of the run, or of its child, while it is not driven.
    fn answer(&self, of_child: bool, gate: &str, answers: Map<String, Value>);
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// Which.
    pub rule: &'static str,
    /// What was seen.
    pub seen: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.seen)
    }
}

type Seen = Result<(), String>;
type Rule = for<'a> fn(&'a Bench) -> BoxFuture<'a, Seen>;

/// Every rule, by name.
pub const RULES: [(&str, Rule); 17] = [
    ("a step that is done is not executed again", |bench| Box::pin(once(bench))),
    ("a step whose inputs changed is executed again", |bench| Box::pin(changed_input(bench))),
    ("an edited output is kept and what reads it runs again", |bench| Box::pin(edits(bench))),
    ("an output that is gone is made again", |bench| Box::pin(missing_output(bench))),
    ("a step that failed is tried again and leaves nothing behind", |bench| Box::pin(failure(bench))),
    ("a step sees what it named and nothing else", |bench| Box::pin(named_inputs(bench))),
    ("a file that is revised in place is no input", |bench| Box::pin(revised(bench))),
    ("what a group writes is hidden until it is collected", |bench| Box::pin(staging(bench))),
    ("one branch that fails does not undo the others", |bench| Box::pin(branches(bench))),
    ("what a driver finished inside a group survives it", |bench| Box::pin(killed_group(bench))),
    ("a gate waits, keeps partial answers, and settles", |bench| Box::pin(gates(bench))),
    ("a gate opens again when what was shown has changed", |bench| Box::pin(reopened(bench))),
    ("a revision writes its feedback and goes through once more", |bench| Box::pin(revision(bench))),
    ("nothing is begun after the end was asked for", |bench| Box::pin(cancellation(bench))),
    ("what agents changed in the tree is not forgotten", |bench| Box::pin(tree(bench))),
    ("what is reported finished is on record", |bench| Box::pin(reported(bench))),
    ("a child is driven once, by either side, and waits through its parent", |bench| Box::pin(child(bench))),
];

/// Holds a journal against every rule. Returns what was broken.
pub async fn check(make: &dyn Fn() -> Arc<dyn Subject>) -> Vec<Breach> {
    let mut broken = Vec::new();
    for (rule, tried) in RULES {
        let bench = Bench { subject: make(), children_opened: Count::default() };
        if let Err(seen) = tried(&bench).await {
            broken.push(Breach { rule, seen });
        }
    }
    broken
}
