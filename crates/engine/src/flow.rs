//! A command as a value: its flow, and everything that the rest of charrette must know about it.
//!
//! The commands of the product are in [`crate::flows::FLOWS`]. A new command takes a folder with such a value, its role
//! texts, its page in `docs/` and one line there.

use crate::artifact::ArtifactSpec;
use crate::pages::{ClosingPage, FinishedRun, PhasePlan};
use crate::ports::BoxFuture;
use crate::run::Run;
use crate::start_check::{StartFacts, StartProblem};
use crate::stop::FlowResult;
use charrette_model::checkpoint::Command;
use charrette_model::progress::StageSpec;
use charrette_model::seats::{Seat, SeatTables};
use serde_json::{Map, Value};
use std::fmt;

/// The function of a flow.
pub type RunFlow = for<'a> fn(&'a Run<'a>) -> BoxFuture<'a, FlowResult<()>>;

/// A file for people: name and description.
pub type Deliverable = (&'static str, &'static str);

/// A command and its flow.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct FlowSpec {
    pub command: Command,
    /// One line for help.
    pub about: &'static str,
    /// Long help.
    pub help: &'static str,
    /// Name of its argument in help: `TOPIC`.
    pub argument: &'static str,
    /// Example of its argument, for hints.
    pub example: &'static str,
    /// Phases, in order.
    pub phases: &'static [&'static str],
    /// Numbered stages, for the display and the ledger.
    pub stages: &'static [StageSpec],
    /// Seats, in tables of seats that are used together.
    pub seats: &'static [&'static [Seat]],
    pub artifacts: &'static [ArtifactSpec],
    /// Flags, besides those of every command.
    pub options: &'static [OptionSpec],
    /// Switches that may still be given to a complete run, which is resumed with them.
    pub late_options: &'static [&'static str],
    /// Gates that it may open, with the keys of their questions.
    pub gates: &'static [GateSpec],
    /// Requirements of single phases.
    pub guards: &'static [PhaseGuard],
    /// True if its features belong to the specification tree, with projects and features above them.
    pub in_spec_tree: bool,
    /// True if it works on an existing specification, which its argument names.
    pub needs_spec: bool,
    /// True if it moves HEAD or writes outside its workspace.
    pub moves_head: bool,
    /// True if it begins on a branch of its own, behind the entry gate.
    pub makes_branch: bool,
    /// Judges what a run starts from, before anything is created or spent.
    pub check: fn(&StartFacts<'_>) -> Result<(), StartProblem>,
    /// Lines of the preview about what a run starts from: label and text.
    pub outline: fn(&StartFacts<'_>) -> Vec<(String, String)>,
    /// Describes a phase for the preview, given the flags and the phase.
    pub preview: fn(&Map<String, Value>, &str) -> PhasePlan,
    /// Lists its files for people, given the flags.
    pub deliverables: fn(&Map<String, Value>) -> Vec<Deliverable>,
    /// Makes the closing page.
    pub closing: fn(&FinishedRun<'_>) -> ClosingPage,
    /// True if `--phase` reruns a step, given (phase of `--phase`, phase of the step, step). Asked for the steps of that
    /// phase and of later ones; with `--fresh`, all steps of that phase itself run again.
    pub redo: fn(&str, &str, &str) -> bool,
    /// The flow. Always runs from its start; finished steps are reused.
    pub run: RunFlow,
}

/// Requirements for running a phase by itself: the files of the command, and an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseGuard {
    pub phase: &'static str,
    /// Error if the files are missing.
    pub missing_files: &'static str,
    /// Gate that must be approved.
    pub gate: &'static str,
    /// Flag that replaces the approval.
    pub override_flag: &'static str,
    /// Error if the gate is not approved.
    pub not_approved: &'static str,
}

/// A gate of a flow, as a person names it in an answers file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateSpec {
    pub name: &'static str,
    /// Keys of its questions; those that end with `#` are numbered.
    pub keys: &'static [&'static str],
}

impl GateSpec {
    /// True if the gate may ask a question with this key.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| match known.strip_suffix('#') {
            Some(stem) => key
                .strip_prefix(stem)
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())),
            None => *known == key,
        })
    }
}

/// A flag of a command; its value is stored in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// Name without dashes.
    pub name: &'static str,
    /// Kind of its value; none for a switch.
    pub value: Option<OptionValue>,
    /// One line for help.
    pub about: &'static str,
}

/// Flag that lets the embedded agent take the place of agents that failed, without a question.
pub const EMBEDDED_FLAG: &str = "embedded";

/// The option of [`EMBEDDED_FLAG`].
pub const EMBEDDED_OPTION: OptionSpec = OptionSpec {
    name: EMBEDDED_FLAG,
    value: None,
    about: "Let the embedded agent, which uses no model, take the place of agents that fail",
};

/// Kind of a flag's value, with its placeholder in help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValue {
    Word(&'static str),
    /// A path, typed relative to the current folder and stored relative to the top of the repository.
    File(&'static str),
}

impl OptionValue {
    /// Placeholder in help.
    pub fn placeholder(self) -> &'static str {
        match self {
            OptionValue::Word(name) | OptionValue::File(name) => name,
        }
    }
}

impl FlowSpec {
    /// Id of the step in which a flow that moves HEAD switches to its branch.
    pub const BRANCH_STEP: &str = "branch";

    /// Empty command, as the base of a small one.
    pub const EMPTY: FlowSpec = FlowSpec {
        command: Command::Start,
        about: "",
        help: "",
        argument: "",
        example: "",
        phases: &[],
        stages: &[],
        seats: &[],
        artifacts: &[],
        options: &[],
        late_options: &[],
        gates: &[],
        guards: &[],
        in_spec_tree: false,
        needs_spec: false,
        moves_head: false,
        makes_branch: false,
        check: |_| Ok(()),
        outline: |_| Vec::new(),
        preview: |_, _| PhasePlan::default(),
        deliverables: |_| Vec::new(),
        closing: |_| ClosingPage::default(),
        redo: |_, _, _| false,
        run: |_| Box::pin(async { Ok(()) }),
    };

    pub fn seat_tables(&self) -> SeatTables {
        SeatTables::new(self.seats.to_vec())
    }

    pub fn last_phase(&self) -> &'static str {
        self.phases.last().copied().unwrap_or_default()
    }

    /// Finds a phase by name.
    pub fn phase(&self, name: &str) -> Option<&'static str> {
        self.phases.iter().copied().find(|phase| *phase == name)
    }

    /// Requirements of a phase besides the phases before it.
    pub fn guard(&self, phase: &str) -> Option<&'static PhaseGuard> {
        self.guards.iter().find(|guard| guard.phase == phase)
    }

    /// Files for people, given the flags.
    pub fn files(&self, flags: &Map<String, Value>) -> Vec<(&'static str, &'static str)> {
        (self.deliverables)(flags)
    }
}

impl fmt::Debug for FlowSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FlowSpec").field(&self.command).finish()
    }
}

/// The commands of a binary.
#[derive(Debug, Clone)]
pub struct Registry(Vec<&'static FlowSpec>);

impl Registry {
    /// Registers commands; a later one replaces an earlier one of the same name.
    pub fn new(flows: impl IntoIterator<Item = &'static FlowSpec>) -> Registry {
        let mut known: Vec<&'static FlowSpec> = Vec::new();
        for flow in flows {
            known.retain(|other| other.command != flow.command);
            known.push(flow);
        }
        Registry(known)
    }

    /// Finds the flow of a command by name.
    pub fn get(&self, command: &str) -> Option<&'static FlowSpec> {
        self.0.iter().copied().find(|flow| flow.command.as_str() == command)
    }

    pub fn all(&self) -> impl Iterator<Item = &'static FlowSpec> + '_ {
        self.0.iter().copied()
    }

    /// Seats of all commands.
    pub fn seats(&self) -> SeatTables {
        SeatTables::new(self.0.iter().flat_map(|flow| flow.seats.iter().copied()).collect())
    }
}
