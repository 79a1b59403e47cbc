//! The pages before and after a run, as values: preview and closing page. The faces render them.

use crate::authorship::Authorship;
use crate::participation::recorded_seats;
use charrette_model::checkpoint::Checkpoint;
use charrette_model::ledger::CallRecord;
use charrette_model::seats::Seat;
use serde::Serialize;
use serde_json::{Map, Value};

/// Preview of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Preview {
    /// Command line: `charrette` and the command.
    pub command: String,
    pub description: String,
    /// `Feature`, `Branch` and `Spec`, in this order, with their values.
    pub context: Vec<(String, String)>,
    /// Phases of an existing run with their status; empty if there is none.
    pub checkpoint: Vec<(String, String)>,
    /// Flags in effect, as typed.
    pub flags: Vec<String>,
    pub stages: Vec<PreviewStage>,
    /// Output folder.
    pub output: String,
    /// Output files.
    pub files: Vec<String>,
    /// Cost of earlier runs of this kind, one line each; unknown values are marked as such.
    pub cost: Vec<String>,
}

/// A stage in the preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewStage {
    pub state: StageState,
    pub name: String,
    /// One-line description.
    pub brief: String,
    /// Seat and agent.
    pub seats: Vec<(String, String)>,
    /// Steps that will run again, with the reason.
    pub again: Vec<(String, String)>,
}

/// State of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StageState {
    Complete,
    /// The run continues here.
    Running,
    Pending,
    Failed,
    Skipped,
}

/// Description of a phase for the preview.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhasePlan {
    /// One-line description.
    pub brief: String,
    /// Groups of seats: name and seats.
    pub groups: Vec<(String, Vec<&'static Seat>)>,
}

/// Closing page of a run; empty parts are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClosingPage {
    /// Outcome in one line.
    pub title: String,
    /// Further lines, such as the number of vendors.
    pub notes: Vec<String>,
    /// Files with a description.
    pub files: Vec<(String, String)>,
    pub votes: Vec<VoteResult>,
    pub costs: Vec<SeatCost>,
    /// Decisions of the person.
    pub decided: Vec<String>,
    /// Open decisions.
    pub undecided: Vec<String>,
    /// Out-of-scope observations.
    pub out_of_scope: Vec<String>,
    /// Findings that were not adopted, with the reason: rejected, or undecided in an unattended run.
    pub rejected: Vec<(String, String)>,
    pub warnings: Vec<String>,
    /// Command that commits the files.
    pub commit: Option<String>,
    /// Next command.
    pub next: Option<String>,
}

/// Result of a vote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VoteResult {
    /// Decision or finding.
    pub about: String,
    pub outcome: String,
    /// Tally, such as `2-1`.
    pub votes: String,
    /// Voters, or the reason why there was no vote.
    pub by: String,
}

/// Cost of a seat.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SeatCost {
    pub seat: String,
    pub agent: String,
    /// Number of calls.
    pub calls: usize,
    /// Input tokens; none if the agent does not report them.
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    pub usd: Option<f64>,
    pub seconds: u64,
}

/// A run that has ended, or has reached the last requested phase, as the source of its closing page.
pub struct FinishedRun<'a> {
    pub document: &'a Checkpoint,
    /// Display name of the feature.
    pub feature: &'a str,
    pub flags: &'a Map<String, Value>,
    /// True if the whole run is done, not only the requested phase.
    pub is_complete: bool,
    /// Specification folder, relative to the root of the repository, with a trailing `/`.
    pub spec_folder: &'a str,
    /// Artifact folder, relative to the root of the repository.
    pub workspace: &'a str,
    /// Agent calls from the ledger.
    pub calls: &'a [CallRecord],
    /// Reads the text of an artifact; empty if there is none.
    pub read: &'a dyn Fn(&str) -> String,
    /// True if the repository has such a file or folder, by path from its root.
    pub file_exists: &'a dyn Fn(&str) -> bool,
}

impl FinishedRun<'_> {
    /// Participants, as recorded in the document.
    pub fn authorship(&self) -> Authorship {
        let vendor = |call: &CallRecord| Some((call.agent.clone(), call.vendor.clone()?));
        let vendors = self.calls.iter().filter_map(vendor).collect();
        Authorship::new(&recorded_seats(self.document), &vendors)
    }

    /// Reads the text of an artifact; empty if there is none.
    pub fn text(&self, name: &str) -> String {
        (self.read)(name)
    }
}
