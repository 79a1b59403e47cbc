//! A run at the command line: shown while it is driven, its person asked, its last page and its exit code.

use crate::here::Here;
use crate::progress::{self, Showing};
use crate::stopping::{Stopped, ended};
use crate::{output, runtime};
use charrette_app::answers::{AnswersFile, WrittenThenAsked};
use charrette_app::closing::closing;
use charrette_app::drive::{Face, drive};
use charrette_app::nesting::Nesting;
use charrette_app::start::OpenRun;
use charrette_app::workspaces::{spec_folder, workspace_of};
use charrette_app::{AppError, Site};
use charrette_engine::ports::Asker;
use charrette_model::checkpoint::DocumentName;
use charrette_term::{ArtifactReader, Render as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// What was typed about driving a run.
#[derive(Default)]
pub(crate) struct Driving {
    /// Answers that were written down beforehand.
    pub(crate) answers: AnswersFile,
    /// How it is shown.
    pub(crate) showing: Showing,
    /// Where it stands among other runs.
    pub(crate) nesting: Nesting,
    /// What a caller says about the branch.
    pub(crate) branch_info: Option<String>,
}

/// Drives a run, and shows it.
pub(crate) fn show(here: &Here, site: &Site, opened: OpenRun, driving: Driving) -> Result<Stopped, AppError> {
    let Driving { answers, showing, nesting, branch_info } = driving;
    let workspace = Arc::new(workspace_of(site, &opened.place.document)?);
    let shelves: Vec<PathBuf> =
        vec![site.root.join(spec_folder(site, &opened.place.name)), workspace.folder().to_owned()];
    let reader: ArtifactReader = Arc::new(move |name| match workspace.read(name, None) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err("it is not there".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    let view = progress::view(here, showing, reader);
    let terminal = progress::terminal(here, view.screen());
    let is_attended = terminal.is_some();
    let outcome = runtime::block_on(async |cancel| {
        let person = terminal.map(|terminal| -> Arc<dyn Asker> {
            Arc::new(progress::asker(here, &view, terminal, shelves, cancel.clone()))
        });
        let asker = Arc::new(WrittenThenAsked::new(answers, person));
        let face = Face { asker, watchers: vec![view.watcher()], nesting, branch_info };
        drive(site, opened, face, &cancel).await
    })?;
    Ok(Stopped { outcome, warnings: view.warnings(), is_attended })
}

/// The same, with its last page and its exit code.
pub(crate) fn finish(
    here: &Here,
    site: &Site,
    opened: OpenRun,
    driving: Driving,
) -> Result<ExitCode, AppError> {
    let name = opened.place.name.clone();
    let stopped = show(here, site, opened, driving)?;
    last_page(here, site, &name, &stopped)?;
    ended(here, &name, stopped)
}

/// Shows what came of it.
pub(crate) fn last_page(
    here: &Here,
    site: &Site,
    name: &DocumentName,
    stopped: &Stopped,
) -> Result<(), AppError> {
    if here.json || here.quiet {
        return Ok(());
    }
    if let Some(page) = closing(site, name, &stopped.outcome, stopped.warnings.clone())? {
        output::line("")?;
        output::line(page.render(progress::style(here)).trim_end())?;
    }
    Ok(())
}
