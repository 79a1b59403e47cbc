//! `charrette status --why`: which steps of a run would be reused or executed again on resume.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::explain::explain;
use charrette_app::{AppError, run_lookup};
use charrette_model::escape::printable;
use serde_json::json;
use std::process::ExitCode;

pub(crate) fn explain_steps(invocation: &Invocation, feature: &str) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let name = run_lookup::find_run(&site, Some(feature), None)?;
    let steps = explain(&site, &name)?;
    if invocation.json {
        output::print_json(&json!({"feature": feature, "command": name.command(), "steps": steps}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = steps
        .iter()
        .map(|step| match &step.why {
            None => format!("  {}/{}: will be reused", step.phase, printable(&step.step)),
            Some(why) => format!("> {}/{}: will run: {}", step.phase, printable(&step.step), printable(why)),
        })
        .collect();
    output::print_line(&if lines.is_empty() {
        "No steps recorded yet.".to_owned()
    } else {
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}
