//! The arguments of `charrette checkpoint`, and which file does what.

use super::{gc, inspect, plumbing};
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName};
use charrette_model::feature::name::InvalidName;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Read and change the state documents of runs
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommand,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommand {
    /// Save the document on standard input; prints true or false
    Save(Which),
    /// Print the document, or null
    Load(Which),
    /// Merge the JSON object on standard input into a phase; prints true or false
    UpdatePhase {
        /// The phase
        phase: String,
        #[command(flatten)]
        which: Which,
    },
    /// Mark a run as complete; prints true or false
    Complete(Which),
    /// Print where a run continues: {phase, summary}
    ResumePoint(Which),
    /// Print all documents at a glance
    List,
    /// Print a document with all that is known about it
    Show(Which),
    /// Print every recorded change of a document, oldest first
    History(Which),
    /// Print what changed between two points of a document's history, as a merge patch
    Diff {
        /// The earlier point: a number from `history`, counted from the end if negative
        #[arg(allow_negative_numbers = true)]
        from: i64,
        /// The later point
        #[arg(allow_negative_numbers = true, default_value_t = -1)]
        to: i64,
        #[command(flatten)]
        which: Which,
    },
    /// Archive runs long completed and remove leftovers
    Gc(gc::GcArgs),
    /// Print the JSON Schema of state documents
    Schema,
}

/// Which document is meant.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The command whose run it is
    #[arg(long, value_name = "COMMAND")]
    command: CommandName,
    /// The feature; nested ones as project/feature/spec
    #[arg(long)]
    feature: Option<String>,
}

impl Which {
    pub(super) fn name(&self) -> Result<DocumentName, InvalidName> {
        DocumentName::for_feature(self.command.0, self.feature.as_deref())
    }
}

/// One of the seven commands, as it is typed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandName(pub(crate) Command);

impl clap::builder::ValueParserFactory for CommandName {
    type Parser = clap::builder::ValueParser;

    fn value_parser() -> Self::Parser {
        PossibleValuesParser::new(Command::ALL.map(Command::as_str))
            .try_map(|name| Command::parse(&name).map(CommandName).ok_or("not a command"))
            .into()
    }
}

pub(crate) fn checkpoint(here: &Here, args: CheckpointArgs) -> Result<ExitCode, AppError> {
    match args.command {
        CheckpointCommand::Save(which) => plumbing::save(here, &which),
        CheckpointCommand::Load(which) => plumbing::load(here, &which),
        CheckpointCommand::UpdatePhase { phase, which } => plumbing::update_phase(here, &which, &phase),
        CheckpointCommand::Complete(which) => plumbing::complete(here, &which),
        CheckpointCommand::ResumePoint(which) => plumbing::resume_point(here, &which),
        CheckpointCommand::List => inspect::list(here),
        CheckpointCommand::Show(which) => inspect::show(here, &which),
        CheckpointCommand::History(which) => inspect::history(here, &which),
        CheckpointCommand::Diff { from, to, which } => inspect::diff(here, &which, from, to),
        CheckpointCommand::Gc(args) => gc::gc(here, &args),
        CheckpointCommand::Schema => {
            output::json(&schemars::schema_for!(Checkpoint))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
