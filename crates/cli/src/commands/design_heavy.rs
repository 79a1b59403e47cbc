//! `charrette design-heavy`: the heavy part of a design, for the design that waits for it. Not for people.
//!
//! It gets all it needs as arguments, drives the run it is named under the lease that it is handed as its standard
//! input, and prints one line: what came of it.

use crate::answers::{AnswersFile, sort_of};
use crate::arguments::Global;
use crate::designing;
use crate::drive;
use crate::driven::Driven;
use crate::error::CommandError;
use crate::nesting::{Nesting, Part, Session};
use crate::output;
use crate::site::Site;
use charrette_engine::journal::RunPlace;
use charrette_engine::{Flow, Stop};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::nesting::HeavyStatus;
use charrette_model::session::Health;
use charrette_store::Lease;
use clap::Args;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Do the heavy part of a design for the process that waits for it
#[derive(Debug, Args)]
pub(crate) struct DesignHeavyArgs {
    /// The feature
    feature: String,
    /// Where the artifacts of the run are
    #[arg(long)]
    workspace: PathBuf,
    /// The file with which a calling run hands values over
    #[arg(long)]
    session_env: Option<PathBuf>,
    /// Nobody is asked in between
    #[arg(long)]
    auto: bool,
    /// Both gates are passed without asking
    #[arg(long)]
    no_checkpoint: bool,
    /// What the caller knows about the branch
    #[arg(long)]
    branch_info: Option<String>,
    /// Whether Codex answers
    #[arg(long, require_equals = true)]
    codex_healthy: Option<bool>,
    /// Whether Cursor answers
    #[arg(long, require_equals = true)]
    cursor_healthy: Option<bool>,
}

/// Does it, and says what came of it. What went wrong is said on standard error as well.
pub(crate) fn design_heavy(args: &DesignHeavyArgs) -> Result<ExitCode, CommandError> {
    let status = match done(args) {
        Ok(outcome) => status(outcome),
        Err(error) => {
            output::log(&format!("error: {}", error.message));
            HeavyStatus::failed("not-started")
        }
    };
    output::line(&status.to_string())?;
    Ok(if status == HeavyStatus::Complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn done(args: &DesignHeavyArgs) -> Result<Flow<()>, CommandError> {
    // Nothing is shown here: whoever waits for us shows what is worth it.
    let global = Global { directory: None, json: false, quiet: true, no_color: true };
    let site = Site::open(&global)?;
    let feature = FeaturePath::parse(&args.feature).map_err(CommandError::usage)?;
    let name = DocumentName::new(Command::Design, Some(feature));
    let place = place(&site, &name, args)?;
    let mut brief = designing::brief(&site, &name, &place.document, LAST_PHASE)?;
    (brief.auto, brief.no_checkpoint) = (args.auto, args.no_checkpoint);
    let session = args.session_env.as_deref().map(Session::open).transpose()?.flatten().map(Arc::new);
    let health = Health { codex: args.codex_healthy, cursor: args.cursor_healthy };
    let nesting = Nesting { session, part: Part::OnlyHeavy(health), ..Nesting::default() };
    let driven = Driven::Design(Box::new(brief), args.branch_info.clone(), nesting);
    Ok(drive::drive_on(&global, driven, place, (None, AnswersFile::default(), true), &site)?.outcome)
}

/// A worker goes no further than the heavy part, whatever phases there are.
const LAST_PHASE: &str = "validate";

/// The run that is meant, if it is ours to drive.
fn place(site: &Site, name: &DocumentName, args: &DesignHeavyArgs) -> Result<RunPlace, CommandError> {
    let documents = site.documents();
    let handed = io::stdin().as_fd().try_clone_to_owned().map(File::from).map_err(CommandError::failed)?;
    if !Lease::is_handed(&documents.folder().lease(name), &handed) {
        return Err(CommandError::failed(
            "this command is started by charrette design --subagent, not by hand",
        ));
    }
    let (workspace, place) = drive::open_place(site, name, documents)?;
    if workspace != args.workspace {
        return Err(CommandError::failed(format!(
            "{} is not the workspace of that run",
            args.workspace.display()
        )));
    }
    Ok(place)
}

fn status(outcome: Flow<()>) -> HeavyStatus {
    match outcome {
        Ok(()) | Err(Stop::Enough) => HeavyStatus::Complete,
        Err(Stop::Waiting(waits)) => {
            HeavyStatus::failed(waits.first().map_or("waiting", |wait| sort_of(&wait.gate)))
        }
        Err(Stop::Interrupted | Stop::Again) => HeavyStatus::failed("interrupted"),
        Err(Stop::Refused(message)) => {
            output::log(&message);
            HeavyStatus::failed("refused")
        }
        Err(Stop::Failed(message)) => {
            output::log(&message);
            HeavyStatus::failed("step-failed")
        }
    }
}
