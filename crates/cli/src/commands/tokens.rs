//! `charrette tokens`: how long a text is.

use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::words;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Count the words of a text, or check the length of a summary
#[derive(Debug, Args)]
pub(crate) struct TokensArgs {
    #[command(subcommand)]
    command: TokensCommand,
}

#[derive(Debug, Subcommand)]
enum TokensCommand {
    /// Print the number of words, the "tokens" of every limit
    Count {
        /// Estimate model tokens instead, by the o200k BPE vocabulary
        #[arg(long)]
        exact: bool,
        /// The text; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
    /// Print whether a context summary may be kept: {valid, tokenCount, limit, error?}
    Validate {
        /// The limit, if not the configured one
        #[arg(long, value_name = "N")]
        max: Option<usize>,
        /// The text; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
}

pub(crate) fn tokens(here: &Here, args: &TokensArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        TokensCommand::Count { exact: false, file } => {
            output::line(&words::count(&input::text(file.as_deref())?).to_string())?;
        }
        TokensCommand::Count { exact: true, file } => {
            let text = input::text(file.as_deref())?;
            output::note(here, "an estimate: o200k_base BPE tokens; each model counts in its own way");
            output::line(&bpe_tokens(&text).to_string())?;
        }
        TokensCommand::Validate { max, file } => {
            let text = input::text(file.as_deref())?;
            let limit = match max {
                Some(max) => *max,
                None => here.site()?.settings.summary_words(),
            };
            output::json(&words::measure_summary(&text, limit))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The vocabulary is large, so it is only unpacked when it is asked for.
fn bpe_tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}
