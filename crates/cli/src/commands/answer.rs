//! `charrette answer`: prints the open questions of a run and records answers.

use crate::commands::checkpoint::CommandName;
use crate::invocation::Invocation;
use crate::{input, output};
use charrette_app::answer::{self as app_answer, AnswerOutcome, GateStatus, answering_with_file, questions};
use charrette_app::answers_file::{AnswersFile, template};
use charrette_app::{AppError, Site, run_lookup};
use charrette_model::checkpoint::{DocumentName, GateState};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the open questions of a run, or record answers
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Name of the feature
    feature: String,
    /// Command of the run, if the feature has several runs
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// File with answers, YAML or JSON; `-` for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn answer(invocation: &Invocation, args: &AnswerArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let name = run_lookup::find_run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    match &args.file {
        None => print_questions(invocation, &site, &name),
        Some(file) => record(invocation, &site, &name, &input::read_answers(file)?),
    }
}

fn print_questions(invocation: &Invocation, site: &Site, name: &DocumentName) -> Result<ExitCode, AppError> {
    let open = questions(site, name)?;
    if invocation.json {
        let gates: Vec<_> =
            open.iter().map(|open| json!({"gate": open.gate, "questions": open.questions})).collect();
        output::print_json(&json!({"feature": name.feature().map(ToString::to_string), "gates": gates}))?;
    } else if open.is_empty() {
        output::note(invocation, "No open questions.");
    } else {
        output::print_line(template(&open).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn record(
    invocation: &Invocation,
    site: &Site,
    name: &DocumentName,
    file: &AnswersFile,
) -> Result<ExitCode, AppError> {
    let gates = match app_answer::record(site, name, file, &answering_with_file(site))? {
        AnswerOutcome::Recorded(gates) => gates,
        AnswerOutcome::Paused => {
            output::note(
                invocation,
                "Nothing recorded: one of the answers is stop or cancel. The run stays paused.",
            );
            return Ok(ExitCode::SUCCESS);
        }
    };
    for GateStatus { gate, state, open } in gates {
        let status = match state {
            GateState::Pending => format!("still open: {}", open.join(", ")),
            GateState::Answered => "answered".to_owned(),
            GateState::Approved => "approved".to_owned(),
            GateState::Rejected => "rejected".to_owned(),
            GateState::Revise => "to be revised".to_owned(),
        };
        output::print_line(&format!("{gate}: {status}"))?;
    }
    let feature = name.feature().map(ToString::to_string).unwrap_or_default();
    output::note(invocation, &format!("Resume: charrette resume {feature}"));
    Ok(ExitCode::SUCCESS)
}
