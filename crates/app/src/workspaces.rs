//! Workspace of a run: a folder in the repository for artifacts, and one in the user's state folder for its lanes.

use crate::agent_pool;
use crate::error::AppError;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::file_names::REQUEST;
use charrette_store::Workspace;
use charrette_store::workspace::sha256;
use std::path::Path;

/// Folder of the pinned role texts in a workspace.
pub(crate) const PINNED_ROLES: &str = "roles";

/// Unused workspace named after the day and the feature, with a number if an earlier run left one.
pub fn unused_workspace(site: &Site, name: &DocumentName, id: &str) -> (String, Workspace) {
    let day = site.now.at().strftime("%Y%m%d");
    let first = format!(
        "{}/{day}-{}",
        site.settings.workspace_folder(),
        feature_argument(name).replace("--command ", "")
    );
    let mut relative = first.clone();
    let mut n = 1;
    while !workspace(site, name, &relative, id).is_unused(&[REQUEST, PINNED_ROLES]) {
        n += 1;
        relative = format!("{first}-{n}");
    }
    let workspace = workspace(site, name, &relative, id);
    (relative, workspace)
}

/// Workspace that a run's document names.
pub fn run_workspace(site: &Site, document: &Checkpoint) -> Result<Workspace, AppError> {
    let run = document.run.as_ref();
    let relative = run.and_then(|run| run.workspace.as_deref());
    let (Some(run), Some(relative)) = (run, relative) else {
        let of_feature = document.feature.as_deref().map(|name| format!(" --feature {name}"));
        let command = &document.command;
        return Err(AppError::failed("this document was not made by a flow, so it has no workspace").hint(format!(
            "It was written by a script. See what it says: charrette checkpoint show --command {command}{}",
            of_feature.unwrap_or_default()
        )));
    };
    let inside = Path::new(relative).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !inside {
        return Err(AppError::failed("the document names a workspace outside the repository"));
    }
    let command = Command::parse(&document.command);
    let name = command.map(|command| DocumentName::for_feature(command, document.feature.as_deref()));
    let Some(Ok(name)) = name else {
        return Err(AppError::failed("the document names no valid command and feature"));
    };
    Ok(workspace(site, &name, relative, &run.id))
}

/// Folder of the user's state with the scratch of all lanes.
pub(crate) const LANES: &str = "lanes";

fn workspace(site: &Site, name: &DocumentName, relative: &str, run_id: &str) -> Workspace {
    // The id comes from a file that may have been edited; its digest is safe as a folder name.
    let lanes = agent_pool::state_folder(site);
    let lanes = lanes.join(LANES).join(&sha256(run_id.as_bytes())[..16]);
    let specs = site.root.join(spec_folder(site, name));
    Workspace::new(&site.root.join(relative), &lanes).with_specs(&specs).inside(&site.root)
}

/// Specification folder of a feature, relative to the root, with a trailing `/`.
pub fn spec_folder(site: &Site, name: &DocumentName) -> String {
    let feature = name.feature().map(FeaturePath::folder).unwrap_or_default();
    format!("{}/{feature}/", site.settings.specs_folder())
}
