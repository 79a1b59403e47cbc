//! `charrette status --why`: what will happen to each step of a run when it is resumed.

use crate::here::Here;
use crate::output;
use charrette_app::explain::explain;
use charrette_app::{AppError, which};
use charrette_model::shown::shown;
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn why(here: &Here, feature: &str) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, Some(feature), None)?;
    let steps = explain(&site, &name)?;
    if here.json {
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
