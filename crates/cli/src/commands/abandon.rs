//! `charrette abandon`: throw a run away, keeping what it left.

use crate::commands::checkpoint::CommandName;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::{room, which};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// Throw a run away: archived, and its name is free again
///
/// The files of the specification are not touched. A run that a process is driving is refused.
#[derive(Debug, Args)]
pub(crate) struct AbandonArgs {
    /// The feature; may be left out with --command for the run that has none
    #[arg(required_unless_present = "command")]
    feature: Option<String>,
    /// Only the run of this command; otherwise all runs for the feature
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn abandon(here: &Here, args: &AbandonArgs) -> Result<ExitCode, AppError> {
    let commands = match args.command {
        Some(CommandName(command)) => vec![command],
        None => Command::ALL.to_vec(),
    };
    let site = here.site()?;
    room::end_strays(&site);
    let documents = site.documents();
    let rows = documents.list()?;
    let feature = args.feature.as_deref().map(|typed| which::named(&rows, typed)).transpose()?;
    let mut archives = Vec::new();
    for command in commands {
        let name = DocumentName::new(command, feature.clone());
        if let Some(archive) = documents.abandon(&name, site.now)? {
            archives.push((name, archive));
        }
    }
    if archives.is_empty() {
        let what = args.feature.as_deref().unwrap_or("that command");
        return Err(AppError::failed(format!("no run found for {}", charrette_model::shown::shown(what)))
            .hint("See what there is: charrette status"));
    }
    if here.json {
        let archived: Vec<_> = archives
            .iter()
            .map(|(name, archive)| json!({"command": name.command(), "feature": name.feature().map(FeaturePath::as_str), "archive": archive}))
            .collect();
        output::json(&json!({ "abandoned": archived }))?;
    } else {
        for (name, archive) in &archives {
            output::line(&format!("{}: archived in {}", name.stem(), site.relative(archive).display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
