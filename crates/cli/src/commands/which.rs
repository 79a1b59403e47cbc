//! Which run is meant when a person names a feature, or nothing.

use crate::commands::checkpoint::CommandName;
use crate::error::CommandError;
use crate::site::Site;
use charrette_model::checkpoint::DocumentName;
use charrette_model::feature::name::FeaturePath;
use charrette_store::listing::Row;

/// The one run that fits; several are an error that names them.
pub(crate) fn run(feature: Option<&str>, command: Option<CommandName>) -> Result<DocumentName, CommandError> {
    let feature = feature.map(FeaturePath::parse).transpose().map_err(CommandError::usage)?;
    let fits = |row: &Row| {
        feature.as_ref().is_none_or(|feature| row.name.feature() == Some(feature))
            && command.is_none_or(|command| row.name.command() == command.0.as_str())
    };
    let rows = Site::find()?.documents().list()?;
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
            Err(CommandError::failed(what).hint("See what there is: charrette status"))
        }
        several => {
            let commands: Vec<&str> = several.iter().map(|row| row.name.command()).collect();
            Err(CommandError::usage(format!("several runs for that feature: {}", commands.join(", ")))
                .hint("Say which: --command NAME"))
        }
    }
}
