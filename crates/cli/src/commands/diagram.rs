//! `charrette diagram`: diagrams checked against the policy, really parsed, and drawn.

use crate::commands::raw::RawArgs;
use crate::here::Here;
use crate::{input, output};
use charrette_app::AppError;
use charrette_app::run_log;
use charrette_model::diagram::command::{Request, Said};
use charrette_model::diagram::single;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check and draw Mermaid diagrams
#[derive(Debug, Args)]
pub(crate) struct DiagramArgs {
    #[command(subcommand)]
    command: DiagramCommand,
}

#[derive(Debug, Subcommand)]
enum DiagramCommand {
    /// Print `STATUS=ok` or `STATUS=rejected` with a `REASON_TOKEN` for every place that breaks renderers
    ///
    /// Reads standard input without --input; as one diagram, or as Markdown with --from-md or if it begins with
    /// a Mermaid fence. --parse lets a real parser have its say. With --warnings-log, a rejection is noted in
    /// that file under `### Warnings`, for the step that --warnings-step names. Exit 0 accepted, 1 rejected,
    /// 2 not looked at. The text of a diagram is never printed.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette diagram check [--input FILE] [--from-md] [--parse]\n         [--warnings-log FILE] [--warnings-step STEP]"
    )]
    Check(RawArgs),
    /// Print a diagram as SVG; exit 1 if it is refused or cannot be drawn
    Svg {
        /// The diagram, or Markdown with one diagram in it; standard input for `-` or nothing
        file: Option<PathBuf>,
    },
}

pub(crate) fn diagram(here: &Here, args: &DiagramArgs) -> Result<ExitCode, AppError> {
    match &args.command {
        DiagramCommand::Check(typed) => check(here, &typed.words()),
        DiagramCommand::Svg { file } => svg(file.as_deref()),
    }
}

fn check(here: &Here, words: &[String]) -> Result<ExitCode, AppError> {
    let said = match Request::read(words) {
        Err(said) => said,
        Ok(request) => {
            let path = request.input.as_deref().map(PathBuf::from);
            let bytes = input::bytes(path.as_deref()).ok();
            let mut parse = |text: &str| charrette_diagram::parse(text).map_err(|error| error.line);
            request.answer(bytes.as_deref(), &mut parse)
        }
    };
    note_in_log(here, &said);
    output::answer(&said.answer)
}

/// The verdict does not depend on its log.
fn note_in_log(here: &Here, said: &Said) {
    let Some(entry) = &said.log else { return };
    let path = PathBuf::from(&entry.path);
    if let Err(error) = run_log::add_warning(&path, &entry.line) {
        output::note(here, &format!("Warning: the warnings log was not written: {error}"));
    }
}

fn svg(file: Option<&Path>) -> Result<ExitCode, AppError> {
    let text = input::text(file)?;
    let diagram = single::diagram(&text).map_err(AppError::failed)?;
    let drawn = charrette_diagram::svg(&diagram).map_err(|error| match &error {
        charrette_diagram::SvgError::Parse(problem) => match problem.line {
            Some(line) => AppError::failed(format!("line {line} of the diagram: {problem}")),
            None => AppError::failed(problem),
        },
        charrette_diagram::SvgError::Layout(_) => AppError::failed(error),
    })?;
    output::line(drawn.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
