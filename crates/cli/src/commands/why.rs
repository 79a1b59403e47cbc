//! `charrette status --why`: what will happen to each step of a run when it is resumed.

use crate::arguments::Global;
use crate::commands::which;
use crate::error::CommandError;
use crate::output;
use crate::site::Site;
use crate::workspaces::workspace_of;
use charrette_engine::explain::forecast;
use charrette_model::shown::shown;
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn why(global: &Global, feature: &str) -> Result<ExitCode, CommandError> {
    let name = which::run(Some(feature), None)?;
    let site = Site::open(global)?;
    let Some(loaded) = site.documents().load(&name)? else {
        return Err(CommandError::failed(format!("no document {}", name.stem())));
    };
    let steps = forecast(&loaded.document, &workspace_of(&site, &loaded.document)?);
    if global.json {
        output::json(&json!({"feature": feature, "command": name.command(), "steps": steps}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = steps
        .iter()
        .map(|step| match &step.why {
            None => format!("  {}/{}: will be reused", step.phase, shown(&step.step)),
            Some(why) => format!("> {}/{}: will run: {}", step.phase, shown(&step.step), shown(why)),
        })
        .collect();
    output::line(&if lines.is_empty() { "No step is on record yet.".to_owned() } else { lines.join("\n") })?;
    Ok(ExitCode::SUCCESS)
}
