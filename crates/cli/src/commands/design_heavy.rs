//! `charrette design-heavy`: the heavy part of a design, for the design that waits for it. Not for people.
//!
//! It gets all it needs as arguments, drives the run it is named under the lease that it is handed as its standard
//! input, and prints one line: what came of it.

use crate::driving::{self, Driving};
use crate::here::Here;
use crate::output;
use charrette_app::answers::sort_of;
use charrette_app::nesting::{Nesting, Part, Session};
use charrette_app::start::{OpenRun, open_for_another};
use charrette_app::{AppError, Site};
use charrette_engine::{Flow, Stop};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::nesting::HeavyStatus;
use charrette_model::session::Health;
use charrette_store::Lease;
use clap::Args;
use serde_json::Value;
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
pub(crate) fn design_heavy(here: &Here, args: &DesignHeavyArgs) -> Result<ExitCode, AppError> {
    let status = match done(here, args) {
        Ok(outcome) => status(outcome),
        Err(error) => {
            output::log(&format!("error: {}", error.message));
            HeavyStatus::failed("not-started")
        }
    };
    output::line(&status.to_string())?;
    Ok(if status == HeavyStatus::Complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn done(here: &Here, args: &DesignHeavyArgs) -> Result<Flow<()>, AppError> {
    // Nothing is shown here: whoever waits for us shows what is worth it.
    let here = &here.quietly();
    let site = here.site()?;
    let feature = FeaturePath::parse(&args.feature).map_err(AppError::usage)?;
    let name = DocumentName::new(Command::Design, Some(feature));
    let opened = opened(&site, &name, args)?;
    let session = args.session_env.as_deref().map(|path| Session::open(path, &site.notices)).transpose()?;
    let health = Health { codex: args.codex_healthy, cursor: args.cursor_healthy };
    let nesting = Nesting { session: session.flatten().map(Arc::new), part: Part::OnlyThat(health) };
    let driving = Driving { nesting, branch_info: args.branch_info.clone(), ..Driving::default() };
    Ok(driving::show(here, &site, opened, driving)?.outcome)
}

/// The run that is meant, if it is ours to drive.
fn opened(site: &Site, name: &DocumentName, args: &DesignHeavyArgs) -> Result<OpenRun, AppError> {
    let documents = site.documents();
    let handed = io::stdin().as_fd().try_clone_to_owned().map(File::from).map_err(AppError::failed)?;
    if !Lease::is_handed(&documents.folder().lease(name), &handed) {
        return Err(AppError::failed("this command is started by charrette design --subagent, not by hand"));
    }
    let (workspace, mut opened) = open_for_another(site, name)?;
    if workspace != args.workspace {
        return Err(AppError::failed(format!(
            "{} is not the workspace of that run",
            args.workspace.display()
        )));
    }
    if let Some(run) = &mut opened.place.document.run {
        for (flag, is_set) in [("auto", args.auto), ("no-checkpoint", args.no_checkpoint)] {
            run.flags.insert(flag.to_owned(), Value::Bool(is_set));
        }
    }
    Ok(opened)
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
