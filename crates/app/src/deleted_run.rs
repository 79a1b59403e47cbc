//! Runs whose document or workspace was deleted: what is left of them, and the ways out.

use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::run_lookup::{feature_argument, find_run};
use crate::site::Site;
use crate::workspaces::run_workspace;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::file_names::REQUEST;

/// Runs of which only the history is left, with this feature and command.
pub fn deleted_runs(
    site: &Site,
    feature: Option<&FeaturePath>,
    command: Option<Command>,
) -> Result<Vec<DocumentName>, AppError> {
    let deleted = site.documents().deleted()?.into_iter().filter(|name| {
        feature.is_none_or(|feature| name.feature() == Some(feature))
            && command.is_none_or(|command| name.command() == command.as_str())
    });
    Ok(deleted.collect())
}

/// Finds the only run of which the history is left, or the run itself if it was not deleted.
pub fn find(site: &Site, typed: Option<&str>, command: Option<Command>) -> Result<DocumentName, AppError> {
    let feature = typed.map(FeaturePath::parse).transpose().map_err(AppError::usage)?;
    match deleted_runs(site, feature.as_ref(), command)?.as_slice() {
        [] => find_run(site, typed, command),
        [only] => Ok(only.clone()),
        several => {
            let all: Vec<String> = several.iter().map(DocumentName::stem).collect();
            Err(AppError::usage(format!("several runs fit: {}", all.join(", ")))
                .hint("Choose one: FEATURE --command NAME"))
        }
    }
}

/// Error about a run whose document was deleted, with the ways out; none if nothing is left of such a run.
pub fn deleted_document(site: &Site, name: &DocumentName) -> Result<Option<AppError>, AppError> {
    let documents = site.documents();
    let Some(remains) = documents.remains(name)? else { return Ok(None) };
    let feature = feature_argument(name);
    let path = documents.folder().document(name);
    let lost = format!("the state document of this run is gone: {}", site.relative(&path).display());
    let error = AppError::failed(lost);
    let workspace = remains.document.as_ref().and_then(|document| document.run.as_ref()?.workspace.clone());
    let discard = format!("discard what is left: charrette abandon {feature}; files in specs/ are kept");
    Ok(Some(match workspace.filter(|workspace| site.root.join(workspace).join(REQUEST).exists()) {
        Some(workspace) => error
            .more(format!("Its history and its workspace {workspace} are kept."))
            .hint(format!("Rebuild it and resume: charrette resume {feature} --rebuild"))
            .hint(format!("Or {discard}")),
        None => error
            .more("Its history is kept, but not the workspace, so the run cannot be resumed.")
            .hint(format!("D{}", &discard[1..])),
    }))
}

/// Refuses to start a run in the place of one whose document was deleted: everything would be paid again.
pub fn refuse_over_deleted(site: &Site, name: &DocumentName) -> Result<(), AppError> {
    let remains = site.documents().remains(name)?;
    let document = remains.and_then(|remains| remains.document);
    let Some(workspace) = document.and_then(|document| document.run?.workspace) else { return Ok(()) };
    if !site.root.join(workspace).join(REQUEST).exists() {
        return Ok(());
    }
    let Some(error) = deleted_document(site, name)? else { return Ok(()) };
    Err(AppError { kind: ErrorKind::Refused, ..error })
}

/// Rebuilds the deleted document of a run from its history.
pub fn rebuild(site: &Site, name: &DocumentName) -> Result<(), AppError> {
    refuse_inside_agent(site, "rebuild a run")?;
    let documents = site.documents();
    if documents.rebuild(name, site.now)?.is_some() {
        let path = documents.folder().document(name);
        site.notices.problem(format!("Rebuilt from its history: {}", site.relative(&path).display()));
        return Ok(());
    }
    let feature = feature_argument(name);
    if documents.load(name)?.is_some() {
        return Err(AppError::usage(format!("the state document of {} exists", name.stem()))
            .hint(format!("Resume: charrette resume {feature}")));
    }
    Err(AppError::failed("the history does not reach back to a whole document, so it cannot be rebuilt")
        .hint(format!("Discard what is left: charrette abandon {feature}; files in specs/ are kept")))
}

/// Refuses a run whose workspace was deleted.
pub fn require_workspace(site: &Site, name: &DocumentName, document: &Checkpoint) -> Result<(), AppError> {
    let workspace = run_workspace(site, document)?;
    if workspace.folder().join(REQUEST).exists() {
        return Ok(());
    }
    let (folder, feature) = (site.relative(workspace.folder()).display().to_string(), feature_argument(name));
    Err(AppError::failed(format!("the workspace of this run is gone: {folder} has no {REQUEST}"))
        .hint("Restore that folder if you have a copy, and resume")
        .hint(format!("Or discard the run: charrette abandon {feature}; files in specs/ are kept")))
}
