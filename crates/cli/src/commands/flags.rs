//! `charrette flags`: parses flags in a prompt.

use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::feature::flags as rules;
use clap::Args;
use std::process::ExitCode;

/// Parse the flags in a prompt and print them as a JSON object
#[derive(Debug, Args)]
pub(crate) struct FlagsArgs {
    /// Flag definitions: `{"resume": "boolean", "phase": {"type": "string", "values": ["research", "write"]}}`
    #[arg(long, value_name = "JSON")]
    define: String,
    /// Text of the prompt; `-` for standard input
    #[arg(allow_hyphen_values = true)]
    prompt: String,
}

pub(crate) fn flags(invocation: &Invocation, args: &FlagsArgs) -> Result<ExitCode, AppError> {
    let definitions = rules::parse_definitions(&args.define)
        .map_err(|error| AppError::usage(format!("--define: {error}")))?;
    let prompt = if args.prompt == "-" { input::read_text(None)? } else { args.prompt.clone() };
    let flags = rules::parse(&prompt, &definitions);
    for warning in &flags.warnings {
        output::note(invocation, warning);
    }
    output::print_json(&flags.values)?;
    Ok(ExitCode::SUCCESS)
}
