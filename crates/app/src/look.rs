//! A look at one run: its standing, what is at work, what it asks. Read from its document, its lease and its workspace.

use crate::error::AppError;
use crate::run_lookup::find_run;
use crate::site::Site;
use crate::workspaces::{run_workspace, spec_folder};
use charrette_engine::gate::page_file;
pub use charrette_model::checkpoint::Standing;
use charrette_model::checkpoint::gate::GateQuestion;
use charrette_model::checkpoint::progress::answerable_questions;
use charrette_model::checkpoint::shown::{choices, shown_mark};
use charrette_model::checkpoint::{
    Checkpoint, Command, DocumentName, GateRecord, GateState, StepStatus, StopRecord,
};
use charrette_store::workspace::sha256;
use charrette_store::{Holder, Lease, Workspace};
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of a page in a look, in characters. The whole page is in its file.
const MAX_PAGE: usize = 12_000;
/// Maximum number of steps at work in a look.
const MAX_AT_WORK: usize = 20;
/// Maximum number of runs in a list.
const MAX_LISTED: usize = 50;
/// Digits of a mark.
const MARK_DIGITS: usize = 16;

/// State of one run, as another program sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Look {
    /// Id of the run.
    pub run: String,
    pub command: String,
    /// Name of the run.
    pub feature: String,
    pub state: Standing,
    /// Current or next phase; none when the run is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Steps at work, with their agents.
    pub at_work: Vec<String>,
    /// Steps done so far.
    pub steps_done: usize,
    /// Gates that wait for answers.
    pub gates: Vec<GateLook>,
    /// Reason why the last driver stopped early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Folder of the run's files, relative to the repository.
    pub workspace: String,
    /// Files for people that exist, relative to the repository.
    pub files: Vec<String>,
    pub started_at: String,
    pub updated_at: String,
    /// Mark of this look; it changes with state, phase, gates and stop.
    pub mark: String,
}

/// A gate that waits for answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GateLook {
    pub gate: String,
    /// Round and digest of what is shown; an answer names it.
    pub shown: String,
    pub round: u32,
    /// Page to read before answering; cut if it is long.
    pub page: String,
    /// File with the whole page.
    pub page_file: String,
    pub questions: Vec<QuestionLook>,
}

/// An open question of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuestionLook {
    pub key: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Accepted answers; any text if empty.
    pub choices: Vec<String>,
    /// True if only a person answers it, unless the user's settings let models approve.
    pub approval: bool,
}

/// One line about a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunLine {
    pub command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// State of the run; none if its document cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Standing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// Looks at a run.
pub fn look(site: &Site, name: &DocumentName) -> Result<Look, AppError> {
    let documents = site.documents();
    // The lease first: a driver that ends in between has left its last change in the document.
    let is_driven = driver(site, name)?.is_some();
    let Some(loaded) = documents.load(name)? else {
        return Err(AppError::failed(format!("no run {}", name.stem()))
            .hint("It was abandoned or never started. List runs: charrette status"));
    };
    look_at(site, name, &loaded.document, is_driven)
}

/// The process that drives a run.
pub fn driver(site: &Site, name: &DocumentName) -> Result<Option<Holder>, AppError> {
    Lease::holder(&site.documents().folder().lease(name)).map_err(AppError::failed)
}

/// True if another process is changing the document of a run at this moment, so that a change has to wait for it.
pub fn is_being_changed(site: &Site, name: &DocumentName) -> bool {
    Lease::holder(&site.documents().folder().lock(name)).is_ok_and(|holder| holder.is_some())
}

fn look_at(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    is_driven: bool,
) -> Result<Look, AppError> {
    let run = document.run.clone().unwrap_or_default();
    let workspace = run_workspace(site, document)?;
    let state = Standing::of(document, is_driven);
    let steps = || document.phases.values().filter_map(|phase| phase.steps.as_ref()).flatten();
    let at_work =
        steps().filter(|(_, step)| state == Standing::Working && step.status == StepStatus::Running);
    let at_work = at_work.map(|(id, step)| match &step.agent {
        Some(agent) => format!("{id} ({agent})"),
        None => id.clone(),
    });
    let gates: Vec<GateLook> = if matches!(state, Standing::Waiting | Standing::Rejected) {
        let open = document.gates.iter().filter(|(_, gate)| is_asked(gate, state));
        open.map(|(name, gate)| gate_look(name, gate, &workspace)).collect()
    } else {
        Vec::new()
    };
    let is_reason = matches!(state, Standing::Stopped | Standing::Rejected);
    let stopped = run.stopped.filter(|_| is_reason).map(|StopRecord { message, .. }| message);
    let phase =
        document.state.current_phase.clone().or_else(|| document.state.pending_phases.first().cloned());
    let phase = phase.filter(|_| state != Standing::Complete);
    let asked: Vec<String> = gates
        .iter()
        .map(|gate| {
            let keys: Vec<&str> = gate.questions.iter().map(|question| question.key.as_str()).collect();
            format!("{} {} {}", gate.gate, gate.shown, keys.join(","))
        })
        .collect();
    let news = format!("{} {state:?} {phase:?} {asked:?} {stopped:?}", run.id);
    let stamp = |stamp: &Option<charrette_model::stamp::Stamp>| {
        stamp.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    Ok(Look {
        run: run.id,
        command: name.command().to_owned(),
        feature: name.feature().map(ToString::to_string).unwrap_or_default(),
        state,
        phase,
        at_work: at_work.take(MAX_AT_WORK).collect(),
        steps_done: steps().filter(|(_, step)| step.status == StepStatus::Done).count(),
        gates,
        stopped,
        workspace: run.workspace.unwrap_or_default(),
        files: deliverables(site, name, &run.flags),
        started_at: stamp(&document.started_at),
        updated_at: stamp(&document.updated_at),
        mark: sha256(news.as_bytes())[..MARK_DIGITS].to_owned(),
    })
}

/// True if a gate asks something in this standing: rejected gates count only if nothing else is open.
fn is_asked(gate: &GateRecord, state: Standing) -> bool {
    let wanted = if state == Standing::Rejected { GateState::Rejected } else { GateState::Pending };
    gate.state == wanted && !answerable_questions(gate).is_empty()
}

fn gate_look(name: &str, gate: &GateRecord, workspace: &Workspace) -> GateLook {
    let round = gate.round.unwrap_or(1);
    let file = page_file(name, round);
    let bytes = workspace.read(&file, None).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut page: String = text.chars().take(MAX_PAGE).collect();
    if page.len() < text.len() {
        page.push_str("\n[cut; the whole page is in the file]\n");
    }
    let questions = answerable_questions(gate).into_iter().map(|question| question_look(question, round));
    GateLook {
        gate: name.to_owned(),
        shown: shown_mark(gate),
        round,
        page,
        page_file: file,
        questions: questions.collect(),
    }
}

fn question_look(question: GateQuestion, round: u32) -> QuestionLook {
    let choices = choices(&question, round);
    let GateQuestion { key, text, recommended, approval, .. } = question;
    QuestionLook { key, text, recommended, choices, approval }
}

/// Files for people that a run has written so far, relative to the repository.
fn deliverables(
    site: &Site,
    name: &DocumentName,
    flags: &serde_json::Map<String, serde_json::Value>,
) -> Vec<String> {
    let Some(flow) = site.registry.get(name.command()) else { return Vec::new() };
    let folder = spec_folder(site, name);
    let paths = flow.files(flags).into_iter().map(|(file, _)| format!("{folder}{file}"));
    paths.filter(|path| site.root.join(path).is_file()).collect()
}

/// Finds a run by its feature and the name of its command.
pub fn find(site: &Site, feature: Option<&str>, command: Option<&str>) -> Result<DocumentName, AppError> {
    let command = command.map(|typed| parse_command(site, typed)).transpose()?;
    find_run(site, feature, command)
}

/// Parses the name of a command that can be driven here.
pub fn parse_command(site: &Site, typed: &str) -> Result<Command, AppError> {
    site.registry.get(typed).map(|flow| flow.command).ok_or_else(|| {
        let known: Vec<&str> = site.registry.all().map(|flow| flow.command.as_str()).collect();
        let typed = charrette_model::escape::printable(typed);
        AppError::usage(format!("unknown command {typed}; known: {}", known.join(", ")))
            .hint("Nothing was changed")
    })
}

/// Finds a run by its id.
pub fn find_by_id(site: &Site, id: &str) -> Result<Option<DocumentName>, AppError> {
    let rows = site.documents().list()?;
    let found = rows.into_iter().find(|row| {
        row.overview.as_ref().is_ok_and(|overview| overview.run_id().is_some_and(|run| run == id))
    });
    Ok(found.map(|row| row.name))
}

/// All runs of a site, newest first, and how many more there are.
pub fn list(site: &Site) -> Result<(Vec<RunLine>, usize), AppError> {
    let rows = site.documents().list()?;
    let lines: Vec<RunLine> = rows
        .iter()
        .take(MAX_LISTED)
        .map(|row| {
            let overview = row.overview.as_ref().ok();
            RunLine {
                command: row.name.command().to_owned(),
                feature: row.name.feature().map(ToString::to_string),
                state: overview.map(|overview| Standing::of_overview(overview, row.driver.is_some())),
                updated_at: overview
                    .and_then(|overview| overview.updated_at.as_ref())
                    .map(ToString::to_string),
            }
        })
        .collect();
    let more = rows.len() - lines.len();
    Ok((lines, more))
}

/// Name of a run's document.
pub type RunName = DocumentName;
