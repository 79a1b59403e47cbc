//! `charrette flags`: the flags inside a prompt.

use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::feature::flags as rules;
use clap::Args;
use std::process::ExitCode;

/// Find flags in a prompt and print them as a JSON object
#[derive(Debug, Args)]
pub(crate) struct FlagsArgs {
    /// The flags to look for: `{"resume": "boolean", "phase": {"type": "string", "values": ["research", "write"]}}`
    #[arg(long, value_name = "JSON")]
    define: String,
    /// The prompt; standard input for `-`
    #[arg(allow_hyphen_values = true)]
    prompt: String,
}

pub(crate) fn flags(here: &Here, args: &FlagsArgs) -> Result<ExitCode, AppError> {
    let definitions =
        rules::definitions(&args.define).map_err(|error| AppError::usage(format!("--define: {error}")))?;
    let prompt = if args.prompt == "-" { input::text(None)? } else { args.prompt.clone() };
    let found = rules::parse(&prompt, &definitions);
    for warning in &found.warnings {
        output::note(here, warning);
    }
    output::json(&found.values)?;
    Ok(ExitCode::SUCCESS)
}
