//! Arguments of `charrette checkpoint` and dispatch to its subcommands.

use super::{gc, inspect, plumbing};
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName};
use charrette_model::feature::name::InvalidName;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Read and change the state documents (checkpoints) of runs
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommand,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommand {
    /// Save the document on standard input; prints true or false
    Save(DocumentArgs),
    /// Print the document, or null
    Load(DocumentArgs),
    /// Merge the JSON object on standard input into a phase; prints true or false
    UpdatePhase {
        /// Name of the phase
        phase: String,
        #[command(flatten)]
        document: DocumentArgs,
    },
    /// Mark a run as complete; prints true or false
    Complete(DocumentArgs),
    /// Print the resume point of a run: {phase, summary}
    ResumePoint(DocumentArgs),
    /// List all documents with their times and problems
    List,
    /// Print a document with its path, driver, resume point and number of changes
    Show(DocumentArgs),
    /// Print every recorded change of a document, oldest first
    History(DocumentArgs),
    /// Print what changed between two points of a document's history, as a merge patch
    Diff {
        /// Earlier change: its number in `history`; negative numbers count from the end
        #[arg(allow_negative_numbers = true)]
        from: i64,
        /// Later change
        #[arg(allow_negative_numbers = true, default_value_t = -1)]
        to: i64,
        #[command(flatten)]
        document: DocumentArgs,
    },
    /// Archive old completed runs; remove old archives and stale files
    Gc(gc::GcArgs),
    /// Print the JSON Schema of state documents
    Schema,
}

/// Arguments that identify a document.
#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// Command of the run
    #[arg(long, value_name = "COMMAND")]
    command: CommandName,
    /// Name of the feature; nested ones as project/feature/spec
    #[arg(long)]
    feature: Option<String>,
}

impl DocumentArgs {
    pub(super) fn name(&self) -> Result<DocumentName, InvalidName> {
        DocumentName::for_feature(self.command.0, self.feature.as_deref())
    }
}

/// Command name as an argument: one of the seven commands.
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

pub(crate) fn checkpoint(invocation: &Invocation, args: CheckpointArgs) -> Result<ExitCode, AppError> {
    match args.command {
        CheckpointCommand::Save(document) => plumbing::save(invocation, &document),
        CheckpointCommand::Load(document) => plumbing::load(invocation, &document),
        CheckpointCommand::UpdatePhase { phase, document } => {
            plumbing::update_phase(invocation, &document, &phase)
        }
        CheckpointCommand::Complete(document) => plumbing::complete(invocation, &document),
        CheckpointCommand::ResumePoint(document) => plumbing::resume_point(invocation, &document),
        CheckpointCommand::List => inspect::list(invocation),
        CheckpointCommand::Show(document) => inspect::show(invocation, &document),
        CheckpointCommand::History(document) => inspect::history(invocation, &document),
        CheckpointCommand::Diff { from, to, document } => inspect::diff(invocation, &document, from, to),
        CheckpointCommand::Gc(args) => gc::gc(invocation, &args),
        CheckpointCommand::Schema => {
            output::print_json(&schemars::schema_for!(Checkpoint))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
