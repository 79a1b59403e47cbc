//! Files of runs as resources: `charrette://FEATURE/plan.txt`.

use charrette_app::file_pages::{self, FilePage, PageRequest};
use charrette_app::look::{self, RunLine};
use charrette_app::{AppError, Site};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

/// Start of every address.
const SCHEME: &str = "charrette://";
/// Maximum number of resources in a list.
const MAX_LISTED: usize = 200;
/// Maximum number of runs whose files are listed.
const MAX_RUNS: usize = 10;

/// Files of the newest runs.
pub(crate) fn list(site: &Site) -> Result<Vec<Resource>, AppError> {
    let (runs, _) = look::list(site)?;
    let mut listed = Vec::new();
    for RunLine { command, feature, .. } in runs.into_iter().take(MAX_RUNS) {
        let Some(feature) = feature else { continue };
        // A document that cannot be read has no files.
        let Ok(name) = look::find(site, Some(&feature), Some(&command)) else { continue };
        let Ok(files) = file_pages::files(site, &name) else { continue };
        for entry in files.files {
            let title = format!("{} of {command} {feature}", entry.file);
            let mut resource = Resource::new(format!("{SCHEME}{feature}/{}", entry.file), entry.file);
            resource.title = Some(title);
            resource.size = Some(entry.size);
            listed.push(resource);
        }
    }
    listed.truncate(MAX_LISTED);
    Ok(listed)
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{SCHEME}{{feature}}/{{file}}"), "file of a run");
    vec![template]
}

/// Reads a whole file, in as many parts as it has pages.
pub(crate) fn read(site: &Site, uri: &str) -> Result<ReadResourceResult, AppError> {
    let path =
        uri.strip_prefix(SCHEME).ok_or_else(|| AppError::usage("addresses start with charrette://"))?;
    let missing = || AppError::failed("no run has this file").hint("List the resources");
    // Names of features may have slashes, and so may names of files.
    let splits = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    for (feature, file) in splits {
        for flow in site.registry.all() {
            let Ok(name) = look::find(site, Some(feature), Some(flow.command.as_str())) else { continue };
            let request = PageRequest { file: file.to_owned(), ..PageRequest::default() };
            if let Ok(first) = file_pages::page(site, &name, &request) {
                return whole(site, &name, uri, first);
            }
        }
    }
    Err(missing())
}

fn whole(
    site: &Site,
    name: &look::RunName,
    uri: &str,
    first: FilePage,
) -> Result<ReadResourceResult, AppError> {
    let mut page = first;
    let mut text = std::mem::take(&mut page.text);
    while let Some(offset) = page.next_offset {
        let request = PageRequest { file: page.file.clone(), offset, digest: Some(page.digest.clone()) };
        page = file_pages::page(site, name, &request)?;
        text.push_str(&page.text);
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}
