//! The pages before and after a run, as values. What they look like is a face's business.

use charrette_model::checkpoint::Checkpoint;
use charrette_model::ledger::CallRecord;
use charrette_model::seats::Seat;
use serde::Serialize;
use serde_json::{Map, Value};

/// What is about to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Preview {
    /// What was typed: `charrette` and the command.
    pub command: String,
    /// What is asked for.
    pub description: String,
    /// Where it happens: `Feature`, `Branch`, `Spec`, in this order, with their values.
    pub context: Vec<(String, String)>,
    /// The phases of the run that is there already, and where they stand; empty if there is none.
    pub checkpoint: Vec<(String, String)>,
    /// The flags that are in effect, as typed.
    pub flags: Vec<String>,
    /// What will run, in order.
    pub stages: Vec<PreviewStage>,
    /// The folder it leaves something in.
    pub output: String,
    /// The files it leaves there.
    pub files: Vec<String>,
    /// What runs like this have cost before, a line each; what is not known is said so.
    pub cost: Vec<String>,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewStage {
    /// Where it stands.
    pub state: StageState,
    /// Its name.
    pub name: String,
    /// What happens there.
    pub brief: String,
    /// Who sits there: seat and agent.
    pub seats: Vec<(String, String)>,
    /// Steps of an earlier run that will run again, and why.
    pub again: Vec<(String, String)>,
}

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StageState {
    /// Done.
    Complete,
    /// It goes on here.
    Running,
    /// To be done.
    Pending,
    /// It failed.
    Failed,
    /// It will not be done.
    Skipped,
}

/// What a flow says about one of its phases before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhasePlan {
    /// What happens there.
    pub brief: String,
    /// Who sits there: what the seats are called together, and which they are.
    pub groups: Vec<(String, Vec<&'static Seat>)>,
}

/// What there is to say at the end of a run; what is empty is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Closing {
    /// How it ended, in one line.
    pub title: String,
    /// What else is worth a line: how many vendors sat, that no model took part.
    pub notes: Vec<String>,
    /// The files, and what is in each.
    pub files: Vec<(String, String)>,
    /// Everything that was voted on.
    pub votes: Vec<Vote>,
    /// What each seat cost.
    pub costs: Vec<SeatCost>,
    /// What was left without a decision.
    pub undecided: Vec<String>,
    /// What was seen that is not part of this.
    pub out_of_scope: Vec<String>,
    /// Findings that were not adopted, and why.
    pub rejected: Vec<(String, String)>,
    /// Every warning of the run.
    pub warnings: Vec<String>,
    /// What to type to commit the files.
    pub commit: Option<String>,
    /// What to type next.
    pub next: Option<String>,
}

/// One thing that was voted on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// What: a decision, a finding.
    pub about: String,
    /// What came of it.
    pub outcome: String,
    /// How the votes were: `2-1`.
    pub votes: String,
    /// Who voted, or why there was no vote.
    pub by: String,
}

/// What a seat cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SeatCost {
    /// The seat.
    pub seat: String,
    /// Who sat there.
    pub agent: String,
    /// How often it was called.
    pub calls: usize,
    /// Tokens it read; nothing if the agent does not say.
    pub input: Option<u64>,
    /// Tokens it wrote.
    pub output: Option<u64>,
    /// Dollars.
    pub usd: Option<f64>,
    /// How long it worked.
    pub seconds: u64,
}

/// A run that came to its end, or to the end of what was asked for, to be read back for its last page.
pub struct FinishedRun<'a> {
    /// Its document.
    pub document: &'a Checkpoint,
    /// The feature, as people call it.
    pub feature: &'a str,
    /// The flags it went by.
    pub flags: &'a Map<String, Value>,
    /// Whether all of it is done, and not only the phase that was asked for.
    pub is_complete: bool,
    /// The folder of its specification, from the root of the repository, with `/` at the end.
    pub spec_folder: &'a str,
    /// The folder of its artifacts, from the root of the repository.
    pub workspace: &'a str,
    /// Every call of an agent.
    pub calls: &'a [CallRecord],
    /// The text of an artifact; empty if there is none.
    pub read: &'a dyn Fn(&str) -> String,
    /// Whether the repository has such a file or folder, from its root.
    pub is_there: &'a dyn Fn(&str) -> bool,
}

impl FinishedRun<'_> {
    /// The text of an artifact; empty if there is none.
    pub fn text(&self, name: &str) -> String {
        (self.read)(name)
    }
}
