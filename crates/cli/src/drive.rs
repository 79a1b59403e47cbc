//! Driving a run from the command line: live progress, questions at the terminal, closing page, exit code.

use crate::invocation::Invocation;
use crate::progress::{self, DisplayOptions};
use crate::run_end::{RunEnd, report_end};
use crate::{output, runtime};
use charrette_app::answers_file::{AnswersFile, AnswersFileAsker};
use charrette_app::closing::{closing, note_closing_page_shown};
use charrette_app::drive::{FrontEnd, drive};
use charrette_app::nesting::Nesting;
use charrette_app::start::OpenRun;
use charrette_app::workspaces::{run_workspace, spec_folder};
use charrette_app::{AppError, Site};
use charrette_engine::ports::Asker;
use charrette_model::checkpoint::DocumentName;
use charrette_term::{ArtifactReader, Render as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Options of a run from the command line.
#[derive(Default)]
pub(crate) struct DriveOptions {
    /// Answers from the file of `--answers`, used before the person is asked.
    pub(crate) answers: AnswersFile,
    pub(crate) display: DisplayOptions,
    /// Session of a calling run, and the part of the flow to drive.
    pub(crate) nesting: Nesting,
    /// Value of `--branch-info`, trusted.
    pub(crate) branch_info: Option<String>,
}

/// Drives a run while showing its progress and asking the person at the terminal.
pub(crate) fn drive_with_view(
    invocation: &Invocation,
    site: &Site,
    opened: OpenRun,
    options: DriveOptions,
) -> Result<RunEnd, AppError> {
    let DriveOptions { answers, display, nesting, branch_info } = options;
    let workspace = Arc::new(run_workspace(site, &opened.storage.document)?);
    let folders: Vec<PathBuf> =
        vec![site.root.join(spec_folder(site, &opened.storage.name)), workspace.folder().to_owned()];
    let reader: ArtifactReader = Arc::new(move |name| match workspace.read(name, None) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("no such file".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    let view = progress::live_view(invocation, display, reader);
    let terminal = progress::terminal(invocation, view.screen());
    let is_attended = terminal.is_some();
    let outcome = runtime::block_on(async |cancel| {
        let person = terminal.map(|terminal| -> Arc<dyn Asker> {
            Arc::new(progress::terminal_asker(invocation, &view, terminal, folders, cancel.clone()))
        });
        let asker = Arc::new(AnswersFileAsker::new(answers, person));
        let face = FrontEnd { asker, watchers: vec![view.watcher()], nesting, branch_info };
        drive(site, opened, face, &cancel).await
    })?;
    Ok(RunEnd { outcome, warnings: view.warnings(), is_attended })
}

/// Drives a run, prints its closing page and returns the exit code.
pub(crate) fn drive_to_exit(
    invocation: &Invocation,
    site: &Site,
    opened: OpenRun,
    options: DriveOptions,
) -> Result<ExitCode, AppError> {
    let name = opened.storage.name.clone();
    let end = drive_with_view(invocation, site, opened, options)?;
    print_closing_page(invocation, site, &name, &end)?;
    report_end(invocation, site, &name, end)
}

/// Prints the closing page of a run, unless `--json` or `--quiet` is given. Only what was printed counts as shown, and the result of
/// `--json`: after a kill in between, with `--quiet` or with nobody at the other end, the next `--resume` prints it.
pub(crate) fn print_closing_page(
    invocation: &Invocation,
    site: &Site,
    name: &DocumentName,
    end: &RunEnd,
) -> Result<(), AppError> {
    let is_shown = if invocation.json {
        true
    } else if invocation.quiet {
        false
    } else {
        match closing(site, name, &end.outcome, end.warnings.clone())? {
            Some(page) => {
                let page = page.render(progress::style(invocation));
                output::print_to_reader(&format!("\n{}", page.trim_end()))?
            }
            None => true,
        }
    };
    if is_shown && end.outcome.is_ok() {
        note_closing_page_shown(site, name);
    }
    Ok(())
}
