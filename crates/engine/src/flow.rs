//! A command, as a value: what its flow is, and everything that the rest of charrette must know about it.
//!
//! The registry of commands is [`crate::flows::FLOWS`]. Adding a command is a folder with such a value, its role texts, its
//! page in `docs/` and one line there.

use crate::artifact::ArtifactSpec;
use crate::pages::{Closing, FinishedRun, PhasePlan};
use crate::ports::BoxFuture;
use crate::run::Run;
use crate::stop::Flow;
use charrette_model::checkpoint::Command;
use charrette_model::progress::Stage;
use charrette_model::seats::{Seat, SeatTables};
use serde_json::{Map, Value};
use std::fmt;

/// What a flow does with a run.
pub type RunFlow = for<'a> fn(&'a Run<'a>) -> BoxFuture<'a, Flow<()>>;

/// A file that is left to people, and what it is.
pub type Deliverable = (&'static str, &'static str);

/// A command.
pub struct FlowSpec {
    /// Its place in the table of commands.
    pub command: Command,
    /// What it does, in one line, for help.
    pub about: &'static str,
    /// The rest of its help.
    pub help: &'static str,
    /// What the user gives it, for help: `TOPIC`.
    pub subject: &'static str,
    /// Something a user might give it, for hints.
    pub example: &'static str,
    /// The phases its runs go through, in order.
    pub phases: &'static [&'static str],
    /// Its numbered stages, for people and ledgers.
    pub stages: &'static [Stage],
    /// Its seats, as tables whose seats sit together.
    pub seats: &'static [&'static [Seat]],
    /// Its files.
    pub artifacts: &'static [ArtifactSpec],
    /// The flags it takes besides those of every command.
    pub options: &'static [OptionSpec],
    /// Phases that need more than those before them.
    pub guards: &'static [PhaseGuard],
    /// Whether its features lie in the tree of specifications, with projects and features above them.
    pub in_spec_tree: bool,
    /// Whether it moves HEAD or writes outside its workspace.
    pub moves_head: bool,
    /// What it says about a phase before it runs, given its flags.
    pub preview: fn(&Map<String, Value>, &str) -> PhasePlan,
    /// The files it leaves to people, with what each is, given its flags.
    pub deliverables: fn(&Map<String, Value>) -> Vec<Deliverable>,
    /// Its last page.
    pub closing: fn(&FinishedRun<'_>) -> Closing,
    /// Whether doing a phase again, without doing everything again, does this step again: (phase done again, phase of the
    /// step, step).
    pub redo: fn(&str, &str, &str) -> bool,
    /// The flow itself, from its beginning: what was done before is reused.
    pub run: RunFlow,
}

/// What a phase needs before it can be done by itself: the files of the command, and an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseGuard {
    /// The phase.
    pub phase: &'static str,
    /// What to say where the files are missing.
    pub missing: &'static str,
    /// The gate that must be approved.
    pub gate: &'static str,
    /// The flag that takes the place of an approval.
    pub unless: &'static str,
    /// What to say without an approval.
    pub refusal: &'static str,
}

/// A flag of a command, which its document keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is; none for a flag that is set or not.
    pub value: Option<OptionValue>,
    /// What it does, in one line.
    pub about: &'static str,
}

/// What the value of a flag is, and what it is called in help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValue {
    /// A word.
    Word(&'static str),
    /// A path, typed as seen from the user's folder and kept as seen from the top of the repository.
    File(&'static str),
}

impl OptionValue {
    /// What it is called in help.
    pub fn called(self) -> &'static str {
        match self {
            OptionValue::Word(name) | OptionValue::File(name) => name,
        }
    }
}

impl FlowSpec {
    /// A command with nothing to it, to begin a small one from.
    pub const PLAIN: FlowSpec = FlowSpec {
        command: Command::Start,
        about: "",
        help: "",
        subject: "",
        example: "",
        phases: &[],
        stages: &[],
        seats: &[],
        artifacts: &[],
        options: &[],
        guards: &[],
        in_spec_tree: false,
        moves_head: false,
        preview: |_, _| PhasePlan::default(),
        deliverables: |_| Vec::new(),
        closing: |_| Closing::default(),
        redo: |_, _, _| false,
        run: |_| Box::pin(async { Ok(()) }),
    };

    /// Its seats.
    pub fn seat_tables(&self) -> SeatTables {
        SeatTables::new(self.seats.to_vec())
    }

    /// Its last phase.
    pub fn last_phase(&self) -> &'static str {
        self.phases.last().copied().unwrap_or_default()
    }

    /// The phase of that name, if it has one.
    pub fn phase(&self, name: &str) -> Option<&'static str> {
        self.phases.iter().copied().find(|phase| *phase == name)
    }

    /// What a phase needs besides the phases before it.
    pub fn guard(&self, phase: &str) -> Option<&'static PhaseGuard> {
        self.guards.iter().find(|guard| guard.phase == phase)
    }

    /// The files it leaves to people for these flags.
    pub fn files(&self, flags: &Map<String, Value>) -> Vec<(&'static str, &'static str)> {
        (self.deliverables)(flags)
    }
}

impl fmt::Debug for FlowSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FlowSpec").field(&self.command).finish()
    }
}

/// The commands that a binary knows.
#[derive(Debug, Clone)]
pub struct Registry(Vec<&'static FlowSpec>);

impl Registry {
    /// These commands. One that comes later takes the place of an earlier one.
    pub fn new(flows: impl IntoIterator<Item = &'static FlowSpec>) -> Registry {
        let mut known: Vec<&'static FlowSpec> = Vec::new();
        for flow in flows {
            known.retain(|other| other.command != flow.command);
            known.push(flow);
        }
        Registry(known)
    }

    /// The flow of that command, if this binary has it.
    pub fn get(&self, command: &str) -> Option<&'static FlowSpec> {
        self.0.iter().copied().find(|flow| flow.command.as_str() == command)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'static FlowSpec> + '_ {
        self.0.iter().copied()
    }

    /// The seats of all of them.
    pub fn seats(&self) -> SeatTables {
        SeatTables::new(self.0.iter().flat_map(|flow| flow.seats.iter().copied()).collect())
    }
}
