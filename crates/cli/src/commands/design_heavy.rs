//! `charrette design-heavy`: worker process for the heavy part of a design, started by `design --subagent`.
//!
//! It drives the given run under the lease that it inherits as its standard input, and prints one status line:
//! `DESIGN_HEAVY=complete` or `DESIGN_HEAVY=failed REASON=…`.

use crate::drive::{self, DriveOptions};
use crate::invocation::Invocation;
use crate::output;
use crate::trusted_site;
use charrette_app::answers_file::gate_kind;
use charrette_app::nesting::{Nesting, Session, WorkerMode};
use charrette_app::start::{OpenRun, open_for_worker};
use charrette_app::{AppError, Site};
use charrette_engine::{FlowResult, Stop};
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

/// Run the heavy part of a design as the worker process of `design --subagent`
#[derive(Debug, Args)]
pub(crate) struct DesignHeavyArgs {
    /// Name of the feature
    feature: String,
    /// Workspace folder of the run
    #[arg(long)]
    workspace: PathBuf,
    /// Session file of a calling run
    #[arg(long)]
    session_env: Option<PathBuf>,
    /// Skip the clarifying questions and both discussion rounds
    #[arg(long)]
    auto: bool,
    /// Pass both gates without questions
    #[arg(long)]
    no_checkpoint: bool,
    /// Branch state as known to the caller
    #[arg(long)]
    branch_info: Option<String>,
    /// Health of Codex
    #[arg(long, require_equals = true)]
    codex_healthy: Option<bool>,
    /// Health of Cursor
    #[arg(long, require_equals = true)]
    cursor_healthy: Option<bool>,
}

/// Runs the heavy part and prints the status line; errors go to standard error.
pub(crate) fn design_heavy(invocation: &Invocation, args: &DesignHeavyArgs) -> Result<ExitCode, AppError> {
    let status = match drive_heavy_part(invocation, args) {
        Ok(outcome) => heavy_status(outcome),
        Err(error) => {
            output::log(&format!("error: {}", error.message));
            HeavyStatus::failed("not-started")
        }
    };
    output::print_line(&status.to_string())?;
    Ok(if status == HeavyStatus::Complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn drive_heavy_part(invocation: &Invocation, args: &DesignHeavyArgs) -> Result<FlowResult<()>, AppError> {
    // The waiting design process shows the progress.
    let invocation = &invocation.without_notices();
    let site = trusted_site::open_unattended(invocation)?;
    let feature = FeaturePath::parse(&args.feature).map_err(AppError::usage)?;
    let name = DocumentName::new(Command::Design, Some(feature));
    let opened = open_run(&site, &name, args)?;
    let session = args.session_env.as_deref().map(|path| Session::open(path, &site.notices)).transpose()?;
    let health = Health { codex: args.codex_healthy, cursor: args.cursor_healthy };
    let nesting =
        Nesting { session: session.flatten().map(Arc::new), worker_mode: WorkerMode::Worker(health) };
    let options = DriveOptions { nesting, branch_info: args.branch_info.clone(), ..DriveOptions::default() };
    Ok(drive::drive_with_view(invocation, &site, opened, options)?.outcome)
}

/// Opens the run, if its lease was inherited and the workspace matches.
fn open_run(site: &Site, name: &DocumentName, args: &DesignHeavyArgs) -> Result<OpenRun, AppError> {
    let documents = site.documents();
    let inherited = io::stdin().as_fd().try_clone_to_owned().map(File::from).map_err(AppError::failed)?;
    if !Lease::is_inherited(&documents.folder().lease(name), &inherited) {
        return Err(AppError::failed(
            "no lease on standard input; design-heavy is started by charrette design --subagent only",
        ));
    }
    let (workspace, mut opened) = open_for_worker(site, name)?;
    if workspace != args.workspace {
        return Err(AppError::failed(format!(
            "{} is not the workspace of this run",
            args.workspace.display()
        )));
    }
    if let Some(run) = &mut opened.storage.document.run {
        for (flag, is_set) in [("auto", args.auto), ("no-checkpoint", args.no_checkpoint)] {
            run.flags.insert(flag.to_owned(), Value::Bool(is_set));
        }
    }
    Ok(opened)
}

fn heavy_status(outcome: FlowResult<()>) -> HeavyStatus {
    match outcome {
        Ok(()) | Err(Stop::RequestedPhasesDone) => HeavyStatus::Complete,
        Err(Stop::Waiting(waits)) => {
            HeavyStatus::failed(waits.first().map_or("waiting", |wait| gate_kind(&wait.gate)))
        }
        Err(Stop::Interrupted | Stop::Revise) => HeavyStatus::failed("interrupted"),
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
