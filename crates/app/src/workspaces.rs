//! Where the artifacts of a run are: a folder in the repository, and one of the user's for what is not collected.

use crate::error::AppError;
use crate::room;
use crate::site::Site;
use crate::which::shown_feature;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::names::REQUEST;
use charrette_store::Workspace;
use charrette_store::workspace::sha256;
use std::path::Path;

/// Where the roles of a run are pinned, in its workspace.
pub(crate) const PINNED: &str = "roles";

/// A folder named after the day and the feature. What an abandoned run left in one is not mixed with a new run.
pub fn unused_workspace(site: &Site, name: &DocumentName, id: &str) -> (String, Workspace) {
    let day = site.now.at().strftime("%Y%m%d");
    let first = format!(
        "{}/{day}-{}",
        site.settings.workspace_folder(),
        shown_feature(name).replace("--command ", "")
    );
    let mut relative = first.clone();
    let mut n = 1;
    while !workspace(site, name, (&relative, id)).is_unused(&[REQUEST, PINNED]) {
        n += 1;
        relative = format!("{first}-{n}");
    }
    let workspace = workspace(site, name, (&relative, id));
    (relative, workspace)
}

/// The workspace of a run, as its document says.
pub fn workspace_of(site: &Site, document: &Checkpoint) -> Result<Workspace, AppError> {
    let run = document.run.as_ref();
    let relative = run.and_then(|run| run.workspace.as_deref());
    let (Some(run), Some(relative)) = (run, relative) else {
        return Err(AppError::failed(
            "this document was not made by a flow, so there is nothing to go on with",
        ));
    };
    let inside = Path::new(relative).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !inside {
        return Err(AppError::failed("the document names a workspace outside the repository"));
    }
    let command = Command::parse(&document.command);
    let name = command.map(|command| DocumentName::for_feature(command, document.feature.as_deref()));
    let Some(Ok(name)) = name else {
        return Err(AppError::failed("the document does not say whose it is"));
    };
    Ok(workspace(site, &name, (relative, &run.id)))
}

fn workspace(site: &Site, name: &DocumentName, (relative, run_id): (&str, &str)) -> Workspace {
    // The id comes from a file that anybody may have edited; its digest is harmless as a folder.
    let lanes = room::state_folder(site);
    let lanes = lanes.join("lanes").join(&sha256(run_id.as_bytes())[..16]);
    let specs = site.root.join(spec_folder(site, name));
    Workspace::new(&site.root.join(relative), &lanes).with_specs(&specs)
}

/// The folder of a feature's specification, from the root of the repository, with `/` at the end.
pub fn spec_folder(site: &Site, name: &DocumentName) -> String {
    let feature = name.feature().map(FeaturePath::folder).unwrap_or_default();
    format!("{}/{feature}/", site.settings.specs_folder())
}
