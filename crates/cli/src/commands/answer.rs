//! `charrette answer`: the questions a run waits for, and the answers to them.

use crate::answers::{self, AnswersFile};
use crate::arguments::Global;
use crate::commands::checkpoint::CommandName;
use crate::commands::which;
use crate::drive::who;
use crate::error::CommandError;
use crate::output;
use crate::site::Site;
use charrette_model::checkpoint::gate::{Question, is_pause};
use charrette_model::checkpoint::progress::{answer_gate, open_questions};
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateRecord, GateState, TransitionError};
use charrette_store::Documents;
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

pub(crate) fn answer(global: &Global, args: &AnswerArgs) -> Result<ExitCode, CommandError> {
    let name = which::run(Some(&args.feature), args.command)?;
    let site = Site::open(global)?;
    let documents = site.documents();
    match &args.file {
        None => print_questions(global, &documents, &name),
        Some(file) => record(global, &site, &documents, &name, &answers::read_file(file)?),
    }
}

fn open_gates(document: &Checkpoint) -> Vec<(String, Vec<Question>)> {
    let open = document.gates.iter().map(|(gate, record)| (gate.clone(), open_questions(record)));
    open.filter(|(_, questions)| !questions.is_empty()).collect()
}

fn loaded(documents: &Documents, name: &DocumentName) -> Result<Checkpoint, CommandError> {
    let loaded = documents.load(name)?;
    Ok(loaded.ok_or_else(|| CommandError::failed(format!("no document {}", name.stem())))?.document)
}

fn print_questions(
    global: &Global,
    documents: &Documents,
    name: &DocumentName,
) -> Result<ExitCode, CommandError> {
    let open = open_gates(&loaded(documents, name)?);
    if global.json {
        let gates: Vec<_> =
            open.iter().map(|(gate, questions)| json!({"gate": gate, "questions": questions})).collect();
        output::json(&json!({"feature": name.feature().map(ToString::to_string), "gates": gates}))?;
    } else if open.is_empty() {
        output::note(global, "Nothing is waiting for an answer.");
    } else {
        output::line(answers::template(&open).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Records what answers a gate the run has come to; all of it in one change, or none.
fn record(
    global: &Global,
    site: &Site,
    documents: &Documents,
    name: &DocumentName,
    file: &AnswersFile,
) -> Result<ExitCode, CommandError> {
    let document = loaded(documents, name)?;
    let is_meant = |(gate, found): &(&String, &GateRecord)| {
        let sort = answers::sort_of(gate);
        file.0.contains_key(*gate) || (found.state == GateState::Pending && file.0.contains_key(sort))
    };
    let known: Vec<&String> = document.gates.iter().filter(is_meant).map(|(gate, _)| gate).collect();
    let unknown = file
        .0
        .keys()
        .filter(|name| !known.iter().any(|gate| *gate == *name || answers::sort_of(gate) == *name));
    for gate in unknown {
        output::note(
            global,
            &format!(
                "Warning: the run has not come to {}; its answers were left out",
                charrette_model::shown::shown(gate)
            ),
        );
    }
    if known.iter().any(|gate| file.for_gate(gate).values().any(is_pause)) {
        output::note(global, "One answer says stop: nothing was recorded, the run goes on waiting.");
        return Ok(ExitCode::SUCCESS);
    }
    if known.is_empty() {
        return Err(CommandError::failed("nothing in that file answers a question of this run").hint(
            format!(
                "See the questions: charrette answer {}",
                name.feature().map(ToString::to_string).unwrap_or_default()
            ),
        ));
    }
    let by = who(&site.root);
    let changed = documents.transition(name, "answer", site.now, |on_disk, circumstances| {
        let mut document = on_disk.ok_or(TransitionError::Gone)?;
        for gate in &known {
            document = answer_gate(document, gate, file.for_gate(gate), &by, circumstances)?;
        }
        Ok(document)
    })?;
    for gate in known {
        let found = &changed.document.gates[gate];
        let open: Vec<String> = open_questions(found).into_iter().map(|question| question.key).collect();
        let stands = match found.state {
            GateState::Pending => format!("still open: {}", open.join(", ")),
            GateState::Answered => "answered".to_owned(),
            GateState::Approved => "approved".to_owned(),
            GateState::Rejected => "rejected".to_owned(),
            GateState::Revise => "to be revised".to_owned(),
        };
        output::line(&format!("{gate}: {stands}"))?;
    }
    let feature = name.feature().map(ToString::to_string).unwrap_or_default();
    output::note(global, &format!("To go on: charrette resume {feature}"));
    Ok(ExitCode::SUCCESS)
}
