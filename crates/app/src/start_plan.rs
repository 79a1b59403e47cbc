//! Resolves a start request to a plan: which run, from where, and up to which phase.

use crate::closing::was_closing_page_shown;
use crate::deleted_run::deleted_document;
use crate::error::{AppError, ErrorKind};
use crate::missing_repository::no_repository;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::spec_choice::{choose_spec, request_of_spec};
use crate::spec_location::{self, SpecLocator};
use crate::workspaces::{run_workspace, spec_folder};
use charrette_engine::FlowSpec;
use charrette_engine::explain::forecast;
use charrette_engine::flow::PhaseGuard;
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateState, PhaseStatus};
use charrette_model::escape::printable;
use charrette_model::feature::name::FeaturePath;
use charrette_model::nearest::nearest;
use charrette_model::panel::file_names::REQUEST;
use charrette_model::spec::resolver::SpecLevel;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};

/// Request to start, resume or redo a run, as typed.
#[derive(Debug, Clone)]
pub struct StartRequest {
    pub flow: &'static FlowSpec,
    /// A description, or the name of an existing run.
    pub typed: Option<String>,
    /// Name of the feature, instead of one derived from the description.
    pub name: Option<String>,
    pub level: Option<SpecLevel>,
    /// Name of the parent in the specification tree.
    pub parent: Option<String>,
    /// Run only this phase.
    pub phase: Option<String>,
    /// Resume an existing run.
    pub resume: bool,
    /// Start over: the phase if one is given, else the whole run.
    pub fresh: bool,
    /// Refuse an existing run instead of archiving it.
    pub must_be_new: bool,
    pub flags: Map<String, Value>,
}

impl StartRequest {
    /// Request without options.
    pub fn new(flow: &'static FlowSpec, typed: Option<&str>) -> StartRequest {
        StartRequest {
            flow,
            typed: typed.map(str::to_owned),
            name: None,
            level: None,
            parent: None,
            phase: None,
            resume: false,
            fresh: false,
            must_be_new: false,
            flags: Map::new(),
        }
    }

    fn command(&self) -> &'static str {
        self.flow.command.as_str()
    }
}

/// Resolved start request.
#[derive(Debug, Clone)]
pub struct StartPlan {
    pub flow: &'static FlowSpec,
    pub name: DocumentName,
    pub mode: StartMode,
    /// The last phase to run.
    pub until: &'static str,
    /// Document of a run that exists already.
    pub existing: Option<Checkpoint>,
    pub flags: Map<String, Value>,
    pub level: SpecLevel,
    /// True if the run is new, has no parent, and its level was given.
    pub is_standalone: bool,
    /// Refuse an existing run instead of archiving it.
    pub must_be_new: bool,
}

/// Starting point of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartMode {
    /// New run. An existing run is archived.
    New {
        /// The request, verbatim.
        request: String,
    },
    /// Resume where the run stopped.
    Resume,
    /// Redo a phase.
    RedoPhase { phase: &'static str, scope: RedoScope },
}

/// Steps of a phase that are redone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedoScope {
    /// All of them.
    WholePhase,
    /// Those that the flow selects.
    SelectedSteps,
}

/// Resolves a request to a plan.
pub fn resolve(site: &Site, request: &StartRequest) -> Result<StartPlan, AppError> {
    if site.repository.is_none() {
        return Err(no_repository(site));
    }
    let flow = request.flow;
    let phase = request.phase.as_deref().map(|typed| known_phase(flow, typed)).transpose()?;
    let locator = SpecLocator::open(site, request.command())?;
    let (name, level) = resolve_run(site, request, &locator)?;
    let existing = site.documents().load(&name)?.map(|loaded| loaded.document);
    let until = phase.unwrap_or(flow.last_phase());
    let level = effective_level(&name, existing.as_ref(), level)?;
    let new_request = || match &request.typed {
        _ if flow.needs_spec => Ok(request_of_spec(site, &name)),
        Some(typed) if !is_description(&name, typed) => name
            .feature()
            .and_then(|path| locator.manifest_request(path))
            .map_or_else(|| request_text(request), Ok),
        _ => request_text(request),
    };
    let mode = match (&existing, phase) {
        (None, _) if request.resume => return Err(no_checkpoint(site, &name)),
        (None, Some(phase)) if phase != flow.phases[0] => return Err(missing_phase_error(flow, phase)),
        (None, _) => StartMode::New { request: new_request()? },
        (Some(document), phase) if request.resume => {
            check_resumable(site, request, &name, document, phase)?;
            StartMode::Resume
        }
        (Some(document), Some(phase)) => {
            check_redo(site, flow, &name, document, phase)?;
            let scope = if request.fresh { RedoScope::WholePhase } else { RedoScope::SelectedSteps };
            StartMode::RedoPhase { phase, scope }
        }
        (Some(_), None) if flow.needs_spec => StartMode::New { request: new_request()? },
        (Some(document), None) => match request.typed.as_deref() {
            // Named, not described: the recorded request is used again.
            Some(typed) if !is_description(&name, typed) => {
                StartMode::New { request: recorded_request(site, document)? }
            }
            _ => StartMode::New { request: new_request()? },
        },
    };
    let begins = matches!(mode, StartMode::New { .. });
    let path = name.feature();
    if let (true, true, Some(path)) = (begins, flow.in_spec_tree, path) {
        locator.check_collision(path, level)?;
    }
    let is_standalone = begins
        && flow.in_spec_tree
        && request.level.is_some_and(|level| level != SpecLevel::Project)
        && path.is_some_and(|path| !path.is_nested());
    let flags = with_level(request.flags.clone(), level);
    let must_be_new = request.must_be_new;
    Ok(StartPlan { flow, name, mode, until, existing, flags, level, is_standalone, must_be_new })
}

/// Flag with the level in the specification tree; absent for a specification.
const LEVEL: &str = "level";

fn with_level(mut flags: Map<String, Value>, level: SpecLevel) -> Map<String, Value> {
    if level != SpecLevel::Spec {
        flags.insert(LEVEL.to_owned(), Value::from(level.as_str()));
    }
    flags
}

/// Recorded flags of a run, merged with those given now.
pub fn merged_flags(document: &Checkpoint, more: &Map<String, Value>) -> Map<String, Value> {
    let mut flags = document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    for (name, value) in more {
        let is_set = value.as_bool() != Some(false) && name != LEVEL;
        if is_set {
            flags.insert(name.clone(), value.clone());
        }
    }
    flags
}

/// Level recorded in a document.
fn recorded_level(document: &Checkpoint) -> SpecLevel {
    let flags = document.run.as_ref().map(|run| &run.flags);
    let level =
        flags.and_then(|flags| flags.get(LEVEL)).and_then(Value::as_str).and_then(SpecLevel::from_name);
    level.unwrap_or_default()
}

/// Level of a run: the recorded one, else the requested one.
fn effective_level(
    name: &DocumentName,
    existing: Option<&Checkpoint>,
    requested: Option<SpecLevel>,
) -> Result<SpecLevel, AppError> {
    let recorded = existing.map(recorded_level);
    match (recorded, requested, name.feature()) {
        (Some(recorded), Some(requested), Some(path)) if recorded != requested => {
            Err(spec_location::collision(path, recorded))
        }
        (recorded, requested, _) => Ok(recorded.or(requested).unwrap_or_default()),
    }
}

fn known_phase(flow: &FlowSpec, typed: &str) -> Result<&'static str, AppError> {
    flow.phase(typed).ok_or_else(|| {
        let valid = flow.phases.join(", ");
        let error = AppError::usage(format!("Invalid phase \"{}\". Valid values: {valid}", printable(typed)));
        match nearest(typed, flow.phases.iter().copied()) {
            Some(near) => error.hint(format!("Nothing was changed. Did you mean --phase={near}?")),
            None => error,
        }
    })
}

/// Error for a phase whose earlier phases are not complete.
fn missing_phase_error(flow: &FlowSpec, phase: &str) -> AppError {
    let before = || {
        let before = flow.phases.iter().take_while(|name| **name != phase).last().copied();
        format!("{} phase must complete before {phase}.", capitalised(before.unwrap_or_default()))
    };
    let message = flow.guard(phase).map_or_else(before, |guard| guard.missing_files.to_owned());
    AppError::failed(message).hint("Run it from the beginning: leave out --phase")
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The request that was typed, verbatim, ending in one line break.
fn request_text(request: &StartRequest) -> Result<String, AppError> {
    let typed = request.typed.as_deref().unwrap_or_default();
    if typed.trim().is_empty() {
        let command = request.command();
        return Err(AppError::usage(format!("say what you want to {command}"))
            .hint(format!("For example: charrette {command} \"{}\"", request.flow.example)));
    }
    if is_placeholder(typed) {
        let command = request.command();
        return Err(AppError::usage(format!(
            "\"{}\" says nothing about what to {command}",
            printable(typed.trim())
        ))
        .hint(format!("Describe it, for example: charrette {command} \"{}\"", request.flow.example)));
    }
    Ok(format!("{}\n", typed.trim_end_matches('\n')))
}

/// Words that stand for a description in manuals and templates.
const PLACEHOLDERS: [&str; 13] = [
    "what you want",
    "what you want to build",
    "your feature",
    "your feature here",
    "your request",
    "my feature",
    "feature description",
    "description",
    "describe your feature",
    "topic",
    "your topic",
    "todo",
    "tbd",
];

/// True if a description is still the placeholder of a manual.
fn is_placeholder(typed: &str) -> bool {
    let typed = typed.trim();
    let is_marked = [('<', '>'), ('{', '}')].iter().any(|(open, close)| {
        typed.len() > 1
            && typed.starts_with(*open)
            && typed.ends_with(*close)
            && !typed[1..typed.len() - 1].contains(*open)
    });
    let bare = typed.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    is_marked || PLACEHOLDERS.contains(&bare.as_str())
}

fn is_description(name: &DocumentName, typed: &str) -> bool {
    let Ok(typed) = FeaturePath::parse(typed.trim()) else { return true };
    // A path, or its last part.
    name.feature().is_none_or(|path| *path != typed && path.last() != typed.as_str())
}

fn recorded_request(site: &Site, document: &Checkpoint) -> Result<String, AppError> {
    let workspace = run_workspace(site, document)?;
    let kept = workspace.read(REQUEST, None).map_err(AppError::failed)?;
    let kept = kept
        .ok_or_else(|| AppError::failed("request.md of that run is missing; describe the feature again"))?;
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// Resolves the run by its name, by its description, or to the one that changed last; with its level, if known.
fn resolve_run(
    site: &Site,
    request: &StartRequest,
    locator: &SpecLocator,
) -> Result<(DocumentName, Option<SpecLevel>), AppError> {
    let typed = request.typed.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    let of_command = |name: FeaturePath| DocumentName::new(request.flow.command, Some(name));
    let goes_on = request.resume || request.phase.is_some();
    if request.flow.needs_spec && (typed.is_some() || !goes_on) {
        return Ok((of_command(choose_spec(site, request, locator)?), Some(SpecLevel::Spec)));
    }
    if typed.is_none() && request.name.is_none() {
        if !goes_on {
            request_text(request)?;
        }
        return Ok((newest_run(site, request)?, request.level));
    }
    let documents = site.documents();
    // The same request keeps its name; another one that would get the same name gets a number.
    let belongs_to_another = |path: &FeaturePath, digest: &str| {
        let Ok(Some(loaded)) = documents.load(&of_command(path.clone())) else { return false };
        loaded.document.run.and_then(|run| run.request).is_none_or(|request| request != digest)
    };
    let derived = |parent: Option<&FeaturePath>| {
        let digest = sha256(request_text(request)?.as_bytes());
        spec_location::derive(typed.unwrap_or_default(), parent, |path| belongs_to_another(path, &digest))
            .map_err(AppError::usage)
    };
    if !request.flow.in_spec_tree {
        let named = request.name.as_deref().map(FeaturePath::parse).transpose().map_err(AppError::usage)?;
        let known = || -> Result<Option<FeaturePath>, AppError> {
            let Ok(typed) = FeaturePath::parse(typed.unwrap_or_default()) else { return Ok(None) };
            Ok(spec_location::features_with_runs(site, request)?.contains(&typed).then_some(typed))
        };
        let path = match named {
            Some(path) => path,
            None => known()?.map_or_else(|| derived(None), Ok)?,
        };
        return Ok((of_command(path), None));
    }
    let place = spec_location::locate(site, request, locator, typed.unwrap_or_default(), derived)?;
    Ok((of_command(place.path), place.level))
}

/// Resolves only the name of the run.
pub fn run_name(site: &Site, request: &StartRequest) -> Result<DocumentName, AppError> {
    let locator = SpecLocator::open(site, request.command())?;
    Ok(resolve_run(site, request, &locator)?.0)
}

/// Run of this command that changed last.
fn newest_run(site: &Site, request: &StartRequest) -> Result<DocumentName, AppError> {
    let command = request.command();
    let rows = site.documents().list()?;
    let newest = rows.into_iter().find(|row| row.name.command() == command);
    newest.map(|row| row.name).ok_or_else(|| {
        AppError::failed(format!("no {command} run here yet"))
            .hint(format!("Start one: charrette {command} \"what you want\""))
    })
}

fn has_status(document: &Checkpoint, phase: &str, status: PhaseStatus) -> bool {
    document.phases.get(phase).is_some_and(|found| found.status == status)
}

/// Error for a run that does not exist, or whose document was deleted.
pub fn no_checkpoint(site: &Site, name: &DocumentName) -> AppError {
    if let Ok(Some(error)) = deleted_document(site, name) {
        return error;
    }
    let feature = feature_argument(name);
    AppError::failed(format!("No checkpoint found for \"{feature}\". Run without --resume to start fresh."))
        .hint("List runs: charrette status")
}

/// Fails if there is nothing to resume: the run is complete and unchanged, or the phase is complete.
fn check_resumable(
    site: &Site,
    request: &StartRequest,
    name: &DocumentName,
    document: &Checkpoint,
    phase: Option<&'static str>,
) -> Result<(), AppError> {
    let feature = feature_argument(name);
    let steps = forecast(document, &run_workspace(site, document)?);
    let changed = steps.iter().any(|step| step.why.is_some()) || asks_for_more(request, document);
    if document.completed_at.is_some() && !changed && was_closing_page_shown(site, document) {
        let command = capitalised(request.command());
        return Err(AppError::new(
            ErrorKind::AlreadyComplete,
            format!("{command} for \"{feature}\" is already complete. Run without --resume to start fresh."),
        )
        .hint(format!("Or see its last page again: charrette resume {feature}")));
    }
    match phase {
        Some(phase) if has_status(document, phase, PhaseStatus::Complete) => Err(AppError::failed(format!(
            "Phase {phase} of \"{feature}\" is already complete. Run without --resume to do it again."
        ))),
        Some(phase) => check_earlier_phases(request.flow, document, phase),
        None => Ok(()),
    }
}

/// True if the request has a switch that the run does not have yet, and that a complete run may be given.
fn asks_for_more(request: &StartRequest, document: &Checkpoint) -> bool {
    let recorded = document.run.as_ref().map(|run| &run.flags);
    let is_set = |flags: &Map<String, Value>, name: &str| flags.get(name) == Some(&Value::Bool(true));
    let mut late = request.flow.late_options.iter();
    late.any(|name| is_set(&request.flags, name) && !recorded.is_some_and(|flags| is_set(flags, name)))
}

fn check_earlier_phases(flow: &FlowSpec, document: &Checkpoint, phase: &'static str) -> Result<(), AppError> {
    let mut earlier = flow.phases.iter().take_while(|name| **name != phase);
    if earlier.all(|name| has_status(document, name, PhaseStatus::Complete)) {
        return Ok(());
    }
    Err(missing_phase_error(flow, phase))
}

fn check_redo(
    site: &Site,
    flow: &FlowSpec,
    name: &DocumentName,
    document: &Checkpoint,
    phase: &'static str,
) -> Result<(), AppError> {
    let Some(PhaseGuard { gate, override_flag, not_approved, .. }) = flow.guard(phase) else {
        return check_earlier_phases(flow, document, phase);
    };
    let flags = document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let folder = site.root.join(spec_folder(site, name));
    if !flow.files(&flags).first().is_some_and(|(file, _)| folder.join(file).exists()) {
        return Err(missing_phase_error(flow, phase));
    }
    let approved = document.gates.get(*gate).is_some_and(|gate| gate.state == GateState::Approved);
    let is_gate_skipped = flags.get(*override_flag).and_then(Value::as_bool).unwrap_or_default();
    if approved || is_gate_skipped {
        return check_earlier_phases(flow, document, phase);
    }
    let (feature, command) = (feature_argument(name), flow.command.as_str());
    Err(AppError::new(ErrorKind::Refused, not_approved)
        .hint(format!("Continue to the gate: charrette {command} {feature} --resume")))
}
