//! Judgement of a change: what an agent left in its worktree, held against the task and against rules that hold for
//! every task.
//!
//! [`judge_change`] is the way in. A refusal means that the change cannot land as it is, whatever anybody thinks of it;
//! a finding goes to the reviewer and back to the implementer. `tests` compares test files, `files` holds the rules for
//! single files, [`symbols`] finds public symbols that nothing uses.

mod files;
mod judgement;
pub mod symbols;
mod test_cases;
mod tests;

pub use judgement::{
    ChangeIssue, ChangeIssueKind, ChangeReport, ChangeRules, FileChange, FileChangeKind, judge_change,
    test_paths,
};
pub use symbols::{SymbolUse, new_public_symbols, unused_symbols};
pub use test_cases::{TestCase, test_cases};
