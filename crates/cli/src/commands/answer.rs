//! `charrette answer`: the questions a run waits for, and the answers to them.

use crate::commands::checkpoint::CommandName;
use crate::here::Here;
use crate::{input, output};
use charrette_app::answer::{self as app_answer, Answered, GateNow, questions, with_a_file};
use charrette_app::answers::{AnswersFile, template};
use charrette_app::{AppError, Site, which};
use charrette_model::checkpoint::{DocumentName, GateState};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the questions a run waits for, or record answers to them
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The feature
    feature: String,
    /// The run of this command, if the feature has several
    #[arg(long, value_name = "COMMAND")]
    command: Option<CommandName>,
    /// The answers, YAML or JSON; standard input for `-`
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn answer(here: &Here, args: &AnswerArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let name = which::run(&site, Some(&args.feature), args.command.map(|command| command.0))?;
    match &args.file {
        None => print_questions(here, &site, &name),
        Some(file) => record(here, &site, &name, &input::answers(file)?),
    }
}

fn print_questions(here: &Here, site: &Site, name: &DocumentName) -> Result<ExitCode, AppError> {
    let open = questions(site, name)?;
    if here.json {
        let gates: Vec<_> =
            open.iter().map(|open| json!({"gate": open.gate, "questions": open.questions})).collect();
        output::json(&json!({"feature": name.feature().map(ToString::to_string), "gates": gates}))?;
    } else if open.is_empty() {
        output::note(here, "Nothing is waiting for an answer.");
    } else {
        output::line(template(&open).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn record(here: &Here, site: &Site, name: &DocumentName, file: &AnswersFile) -> Result<ExitCode, AppError> {
    let gates = match app_answer::record(site, name, file, &with_a_file(site))? {
        Answered::Recorded(gates) => gates,
        Answered::Paused => {
            output::note(here, "One answer says stop: nothing was recorded, the run goes on waiting.");
            return Ok(ExitCode::SUCCESS);
        }
    };
    for GateNow { gate, state, open } in gates {
        let stands = match state {
            GateState::Pending => format!("still open: {}", open.join(", ")),
            GateState::Answered => "answered".to_owned(),
            GateState::Approved => "approved".to_owned(),
            GateState::Rejected => "rejected".to_owned(),
            GateState::Revise => "to be revised".to_owned(),
        };
        output::line(&format!("{gate}: {stands}"))?;
    }
    let feature = name.feature().map(ToString::to_string).unwrap_or_default();
    output::note(here, &format!("To go on: charrette resume {feature}"));
    Ok(ExitCode::SUCCESS)
}
