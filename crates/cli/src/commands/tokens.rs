//! `charrette tokens`: counts the words or model tokens of a text.

use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_model::words;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Measure a text in words, the unit of all token limits
#[derive(Debug, Args)]
pub(crate) struct TokensArgs {
    #[command(subcommand)]
    command: TokensCommand,
}

#[derive(Debug, Subcommand)]
enum TokensCommand {
    /// Print the number of words, which all limits count as tokens
    Count {
        /// Estimate model tokens with the o200k BPE vocabulary instead
        #[cfg(feature = "exact-tokens")]
        #[arg(long)]
        exact: bool,
        /// File with the text [default: standard input]
        file: Option<PathBuf>,
    },
    /// Check the length of a context summary: {valid, tokenCount, limit, error?}
    Validate {
        /// Maximum number of words [default: `limits.summary_words`]
        #[arg(long, value_name = "N")]
        max: Option<usize>,
        /// File with the text [default: standard input]
        file: Option<PathBuf>,
    },
}

pub(crate) fn tokens(invocation: &Invocation, args: &TokensArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        #[cfg(feature = "exact-tokens")]
        TokensCommand::Count { exact: true, file } => {
            let text = input::read_text(file.as_deref())?;
            output::note(invocation, "Estimate with o200k_base BPE; models have different tokenizers");
            output::print_line(&bpe_tokens(&text).to_string())?;
        }
        TokensCommand::Count { file, .. } => {
            output::print_line(&words::count(&input::read_text(file.as_deref())?).to_string())?;
        }
        TokensCommand::Validate { max, file } => {
            let text = input::read_text(file.as_deref())?;
            let limit = match max {
                Some(max) => *max,
                None => invocation.plumbing_site()?.settings.summary_words(),
            };
            output::print_json(&words::measure_summary(&text, limit))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts BPE tokens. The large vocabulary is unpacked on first use only.
#[cfg(feature = "exact-tokens")]
fn bpe_tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}
