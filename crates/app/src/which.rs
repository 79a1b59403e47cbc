//! Which run is meant when a person names a feature, or nothing.

use crate::error::AppError;
use crate::site::Site;
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::spec::resolver::ResolveError;
use charrette_store::listing::Row;
use std::collections::BTreeSet;

/// The one run that fits; several are an error that names them.
pub fn run(site: &Site, feature: Option<&str>, command: Option<Command>) -> Result<DocumentName, AppError> {
    let rows = site.documents().list()?;
    let feature = feature.map(|typed| named(&rows, typed)).transpose()?;
    let fits = |row: &Row| {
        feature.as_ref().is_none_or(|feature| row.name.feature() == Some(feature))
            && command.is_none_or(|command| row.name.command() == command.as_str())
    };
    let mut found: Vec<&Row> = rows.iter().filter(|row| fits(row)).collect();
    if feature.is_none() {
        // Without a name, the newest that is not complete.
        found.retain(|row| row.glance.as_ref().is_ok_and(|glance| glance.completed_at.is_none()));
        found.truncate(1);
    }
    match found.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => {
            let what = feature.map_or_else(
                || "no open run here".to_owned(),
                |feature| format!("No checkpoint found for \"{feature}\""),
            );
            Err(AppError::failed(what).hint("See what there is: charrette status"))
        }
        several => {
            let commands: Vec<&str> = several.iter().map(|row| row.name.command()).collect();
            Err(AppError::usage(format!("several runs for that feature: {}", commands.join(", ")))
                .hint("Say which: --command NAME"))
        }
    }
}

/// What a person calls a feature: its whole name, or the last part of a nested one where no other is called so.
pub fn named(rows: &[Row], typed: &str) -> Result<FeaturePath, AppError> {
    let name = FeaturePath::parse(typed).map_err(AppError::usage)?;
    let all: Vec<FeaturePath> = rows.iter().filter_map(|row| row.name.feature().cloned()).collect();
    if all.contains(&name) {
        return Ok(name);
    }
    Ok(nested(&all, &name)?.unwrap_or(name))
}

/// The one of `all` that a person means by the last part of its path; several are an error that names them.
pub fn nested(all: &[FeaturePath], name: &FeaturePath) -> Result<Option<FeaturePath>, AppError> {
    let called = all.iter().filter(|path| path.is_nested() && path.last() == name.as_str());
    let called: BTreeSet<&FeaturePath> = called.collect();
    if called.len() > 1 {
        let paths = called.iter().map(|path| path.folder()).collect();
        let error = ResolveError::Ambiguous { name: name.folder(), paths };
        return Err(AppError::usage(error).hint("Give the whole name, with / between its parts"));
    }
    Ok(called.into_iter().next().cloned())
}

/// A run, as people call it on the command line.
pub fn shown_feature(name: &DocumentName) -> String {
    name.feature().map_or_else(|| format!("--command {}", name.command()), ToString::to_string)
}
