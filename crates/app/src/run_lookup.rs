//! Finds the run for a feature name typed by the user, or the newest open run.

use crate::deleted_run::{deleted_document, deleted_runs};
use crate::error::AppError;
use crate::site::Site;
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::nearest::did_you_mean;
use charrette_model::spec::resolver::ResolveError;
use charrette_store::listing::RunListing;
use std::collections::BTreeSet;

/// Finds the only run that matches; several are an error that names them.
pub fn find_run(
    site: &Site,
    feature: Option<&str>,
    command: Option<Command>,
) -> Result<DocumentName, AppError> {
    if let Some(only) = feature.and_then(|typed| find_whole_name(site, typed, command)) {
        return Ok(only);
    }
    let rows = site.documents().list()?;
    let feature = feature.map(|typed| resolve_feature(&rows, typed)).transpose()?;
    let fits = |row: &RunListing| {
        feature.as_ref().is_none_or(|feature| row.name.feature() == Some(feature))
            && command.is_none_or(|command| row.name.command() == command.as_str())
    };
    let mut found: Vec<&RunListing> = rows.iter().filter(|row| fits(row)).collect();
    if feature.is_none() {
        // Without a name, the newest that is not complete.
        found.retain(|row| row.overview.as_ref().is_ok_and(|overview| overview.completed_at.is_none()));
        found.truncate(1);
    }
    match found.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => {
            if let Some(deleted) = deleted_runs(site, feature.as_ref(), command)?.first()
                && let Some(error) = deleted_document(site, deleted)?
            {
                return Err(error);
            }
            let Some(feature) = feature else {
                return Err(AppError::failed("no open run here").hint("List all runs: charrette status"));
            };
            let known: BTreeSet<String> =
                rows.iter().filter_map(|row| Some(row.name.feature()?.to_string())).collect();
            let suggestion = did_you_mean(feature.as_str(), known.iter().map(String::as_str));
            Err(AppError::failed(format!("No checkpoint found for \"{feature}\"{suggestion}"))
                .hint("Nothing was changed. List runs: charrette status"))
        }
        several => {
            let commands: Vec<&str> = several.iter().map(|row| row.name.command()).collect();
            Err(AppError::usage(format!("several runs for that feature: {}", commands.join(", ")))
                .hint("Choose one: --command NAME"))
        }
    }
}

/// Finds the only run whose whole name was typed, without reading any document.
fn find_whole_name(site: &Site, typed: &str, command: Option<Command>) -> Option<DocumentName> {
    let feature = FeaturePath::parse(typed).ok()?;
    let folder = site.documents().folder().clone();
    let commands = command.map_or_else(|| Command::ALL.to_vec(), |command| vec![command]);
    let names = commands.into_iter().map(|command| DocumentName::new(command, Some(feature.clone())));
    let mut found = names.filter(|name| folder.document(name).is_file());
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

/// Resolves a feature name: the whole name, or the last part of a nested one if that is unique.
pub fn resolve_feature(rows: &[RunListing], typed: &str) -> Result<FeaturePath, AppError> {
    let name = FeaturePath::parse(typed).map_err(AppError::usage)?;
    let all: Vec<FeaturePath> = rows.iter().filter_map(|row| row.name.feature().cloned()).collect();
    if all.contains(&name) {
        return Ok(name);
    }
    Ok(find_nested(&all, &name)?.unwrap_or(name))
}

/// Finds the nested feature by the last part of its path; several are an error that names them.
pub fn find_nested(all: &[FeaturePath], name: &FeaturePath) -> Result<Option<FeaturePath>, AppError> {
    let matches = all.iter().filter(|path| path.is_nested() && path.last() == name.as_str());
    let matches: BTreeSet<&FeaturePath> = matches.collect();
    if matches.len() > 1 {
        let paths = matches.iter().map(|path| path.folder()).collect();
        let error = ResolveError::Ambiguous { name: name.folder(), paths };
        return Err(AppError::usage(error).hint("Give the whole name, with / between its parts"));
    }
    Ok(matches.into_iter().next().cloned())
}

/// Command line arguments that name a run: its feature, or `--command NAME` if it has none.
pub fn feature_argument(name: &DocumentName) -> String {
    name.feature().map_or_else(|| format!("--command {}", name.command()), ToString::to_string)
}
