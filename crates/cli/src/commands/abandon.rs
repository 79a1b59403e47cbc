//! `charrette abandon`: archives a run and frees its name.

use crate::commands::checkpoint::CommandName;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::{agent_pool, run_lookup};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

/// Archive a run and free its name
///
/// Specification files are not touched. Fails if a process is driving the run.
#[derive(Debug, Args)]
pub(crate) struct AbandonArgs {
    /// Name of the feature; omit it with --command for a run without a feature
    #[arg(required_unless_present = "command")]
    feature: Option<String>,
    /// Command of the run [default: all runs of the feature]
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
}

pub(crate) fn abandon(invocation: &Invocation, args: &AbandonArgs) -> Result<ExitCode, AppError> {
    let commands = match args.command {
        Some(CommandName(command)) => vec![command],
        None => Command::ALL.to_vec(),
    };
    let site = invocation.site()?;
    agent_pool::end_orphans(&site);
    let documents = site.documents();
    let rows = documents.list()?;
    let feature =
        args.feature.as_deref().map(|typed| run_lookup::resolve_feature(&rows, typed)).transpose()?;
    let mut archives = Vec::new();
    for command in commands {
        let name = DocumentName::new(command, feature.clone());
        if let Some(archive) = charrette_app::abandon::abandon(&site, &name)? {
            archives.push((name, archive));
        }
    }
    if archives.is_empty() {
        let feature = args.feature.as_deref().unwrap_or("this command");
        return Err(AppError::failed(format!(
            "no run found for {}",
            charrette_model::escape::printable(feature)
        ))
        .hint("List runs: charrette status"));
    }
    if invocation.json {
        let archived: Vec<_> = archives
            .iter()
            .map(|(name, archive)| json!({"command": name.command(), "feature": name.feature().map(FeaturePath::as_str), "archive": archive}))
            .collect();
        output::print_json(&json!({ "abandoned": archived }))?;
    } else {
        for (name, archive) in &archives {
            output::print_line(&format!(
                "{}: archived in {}",
                name.stem(),
                site.relative(archive).display()
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
