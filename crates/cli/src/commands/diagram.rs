//! `charrette diagram`: checks Mermaid diagrams against the policy, parses them, and renders them as SVG.

use crate::commands::raw::RawArgs;
use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::run_log;
use charrette_model::diagram::command::{DiagramCheckOutcome, DiagramCheckRequest};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[cfg_attr(feature = "svg", doc = "Check Mermaid diagrams, or render them as SVG")]
#[cfg_attr(not(feature = "svg"), doc = "Check Mermaid diagrams")]
#[derive(Debug, Args)]
pub(crate) struct DiagramArgs {
    #[command(subcommand)]
    command: DiagramCommand,
}

#[derive(Debug, Subcommand)]
enum DiagramCommand {
    /// Print `STATUS=ok`, or `STATUS=rejected` with a `REASON_TOKEN` for each syntax that breaks renderers
    ///
    /// Reads --input, else standard input, as one diagram; as Markdown with --from-md or if it begins with a Mermaid
    /// fence. --parse also runs a full Mermaid parser. With --warnings-log, a rejection is appended to that file under
    /// `### Warnings`, labelled with --warnings-step. Exit 0 accepted, 1 rejected, 2 not checked. The text of a diagram
    /// is never printed.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette diagram check [--input FILE] [--from-md] [--parse]\n         [--warnings-log FILE] [--warnings-step STEP]"
    )]
    Check(RawArgs),
    #[cfg(feature = "svg")]
    /// Print a diagram as SVG; exit 1 if it is rejected or cannot be rendered
    Svg {
        /// File with a diagram, or Markdown with one diagram [default: standard input]
        file: Option<PathBuf>,
    },
}

pub(crate) fn diagram(invocation: &Invocation, args: &DiagramArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        DiagramCommand::Check(raw) => check(invocation, &raw.words()),
        #[cfg(feature = "svg")]
        DiagramCommand::Svg { file } => svg(file.as_deref()),
    }
}

fn check(invocation: &Invocation, words: &[String]) -> Result<ExitCode, AppError> {
    let outcome = match DiagramCheckRequest::parse(words) {
        Err(outcome) => outcome,
        Ok(request) => {
            let path = request.input.as_deref().map(PathBuf::from);
            let bytes = input::read_bytes(path.as_deref()).ok();
            let mut parse = |text: &str| charrette_diagram::parse(text).map_err(|error| error.line);
            request.answer(bytes.as_deref(), &mut parse)
        }
    };
    log_rejection(invocation, &outcome);
    output::print_answer(&outcome.answer)
}

/// Appends a rejection to the warnings log. A failure to write is only a warning.
fn log_rejection(invocation: &Invocation, outcome: &DiagramCheckOutcome) {
    let Some(entry) = &outcome.log else { return };
    let path = PathBuf::from(&entry.path);
    if let Err(error) = run_log::add_warning(&path, &entry.line) {
        output::note(invocation, &format!("Warning: cannot write the warnings log: {error}"));
    }
}

#[cfg(feature = "svg")]
fn svg(file: Option<&std::path::Path>) -> Result<ExitCode, AppError> {
    let text = input::read_text(file)?;
    let diagram = charrette_model::diagram::single::diagram(&text).map_err(AppError::failed)?;
    let drawn = charrette_diagram::svg(&diagram).map_err(|error| match &error {
        charrette_diagram::SvgError::Parse(problem) => match problem.line {
            Some(line) => AppError::failed(format!("line {line} of the diagram: {problem}")),
            None => AppError::failed(problem),
        },
        charrette_diagram::SvgError::Layout(_) => AppError::failed(error),
    })?;
    output::print_line(drawn.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
