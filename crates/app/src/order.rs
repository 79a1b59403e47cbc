//! What was asked of a command, and what is meant by it: which run, how far, and from where.

use crate::error::{AppError, ErrorKind};
use crate::places::{self, Nest};
use crate::site::Site;
use crate::which::shown_feature;
use crate::workspaces::{spec_folder, workspace_of};
use charrette_engine::FlowSpec;
use charrette_engine::explain::forecast;
use charrette_engine::flow::PhaseGuard;
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateState, PhaseStatus};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::names::REQUEST;
use charrette_model::shown::shown;
use charrette_model::spec::resolver::Level;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};

/// What was asked of a command.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// The command.
    pub flow: &'static FlowSpec,
    /// What was typed: a request, or the name of a run that exists.
    pub typed: Option<String>,
    /// The name of the feature, instead of one made from the request.
    pub name: Option<String>,
    /// What it is in the tree of specifications.
    pub level: Option<Level>,
    /// What it belongs to there.
    pub parent: Option<String>,
    /// Only this phase.
    pub phase: Option<String>,
    /// Go on with a run that exists.
    pub resume: bool,
    /// Do everything again: the phase, else the whole run.
    pub fresh: bool,
    /// The flags the run goes by.
    pub flags: Map<String, Value>,
}

impl StartRequest {
    /// A request to this command, and nothing else said.
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
            flags: Map::new(),
        }
    }

    fn command(&self) -> &'static str {
        self.flow.command.as_str()
    }
}

/// What a command is to do.
#[derive(Debug, Clone)]
pub struct RunOrder {
    /// The command.
    pub flow: &'static FlowSpec,
    /// The run.
    pub name: DocumentName,
    /// How it goes about it.
    pub way: Way,
    /// The last phase to go through.
    pub until: &'static str,
    /// The run that is there already.
    pub existing: Option<Checkpoint>,
    /// The flags the run goes by.
    pub flags: Map<String, Value>,
    /// What it is in the tree of specifications.
    pub level: Level,
    /// It begins, lies in nothing, and its level was given.
    pub is_standalone: bool,
}

/// Where a run starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// From the beginning. A run that is there is archived.
    Begin {
        /// What was asked for, word for word.
        request: String,
    },
    /// From wherever it stopped.
    GoOn,
    /// From a phase, again.
    Again {
        /// Which.
        phase: &'static str,
        /// Everything in it, and not only what the command says.
        all: bool,
    },
}

/// Finds out what is meant.
pub fn read(site: &Site, request: &StartRequest) -> Result<RunOrder, AppError> {
    if site.repository.is_none() {
        let message = format!("{} is not in a git repository", site.root.display());
        return Err(AppError::failed(message).hint("Begin one: git init"));
    }
    let flow = request.flow;
    let phase = request.phase.as_deref().map(|typed| known_phase(flow, typed)).transpose()?;
    let nest = Nest::here(site, request.command())?;
    let (name, level) = run_meant(site, request, &nest)?;
    let existing = site.documents().load(&name)?.map(|loaded| loaded.document);
    let until = phase.unwrap_or(flow.last_phase());
    let level = level_of(&name, existing.as_ref(), level)?;
    let wanted = || match &request.typed {
        Some(typed) if !is_description(&name, typed) => {
            name.feature().and_then(|path| nest.request(path)).map_or_else(|| described(request), Ok)
        }
        _ => described(request),
    };
    let way = match (&existing, phase) {
        (None, _) if request.resume => return Err(no_checkpoint(&name)),
        (None, Some(phase)) if phase != flow.phases[0] => return Err(too_early(flow, phase)),
        (None, _) => Way::Begin { request: wanted()? },
        (Some(document), phase) if request.resume => {
            resumable(site, request, &name, document, phase)?;
            Way::GoOn
        }
        (Some(document), Some(phase)) => {
            may_do_again(site, flow, &name, document, phase)?;
            Way::Again { phase, all: request.fresh }
        }
        (Some(document), None) => match request.typed.as_deref() {
            // Named, not described: what was asked for is on record.
            Some(typed) if !is_description(&name, typed) => {
                Way::Begin { request: kept_request(site, document)? }
            }
            _ => Way::Begin { request: wanted()? },
        },
    };
    let begins = matches!(way, Way::Begin { .. });
    let path = name.feature();
    if let (true, true, Some(path)) = (begins, flow.in_spec_tree, path) {
        nest.no_collision(path, level)?;
    }
    let is_standalone = begins
        && flow.in_spec_tree
        && request.level.is_some_and(|level| level != Level::Project)
        && path.is_some_and(|path| !path.is_nested());
    let flags = with_level(request.flags.clone(), level);
    Ok(RunOrder { flow, name, way, until, existing, flags, level, is_standalone })
}

/// The flag that says what something is in the tree of specifications; a specification if it is not there.
const LEVEL: &str = "level";

fn with_level(mut flags: Map<String, Value>, level: Level) -> Map<String, Value> {
    if level != Level::Spec {
        flags.insert(LEVEL.to_owned(), Value::from(level.as_str()));
    }
    flags
}

/// The flags a run was begun with, and those that are asked for now as well.
pub fn flags_now(document: &Checkpoint, more: &Map<String, Value>) -> Map<String, Value> {
    let mut flags = document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    for (name, value) in more {
        let is_set = value.as_bool() != Some(false) && name != LEVEL;
        if is_set {
            flags.insert(name.clone(), value.clone());
        }
    }
    flags
}

/// What a document says its run is in the tree of specifications.
fn level_in(document: &Checkpoint) -> Level {
    let flags = document.run.as_ref().map(|run| &run.flags);
    let level = flags.and_then(|flags| flags.get(LEVEL)).and_then(Value::as_str).and_then(Level::named);
    level.unwrap_or_default()
}

/// The level of a run: what it was begun as, else what is asked for now.
fn level_of(
    name: &DocumentName,
    existing: Option<&Checkpoint>,
    asked: Option<Level>,
) -> Result<Level, AppError> {
    let begun = existing.map(level_in);
    match (begun, asked, name.feature()) {
        (Some(begun), Some(asked), Some(path)) if begun != asked => Err(places::collision(path, begun)),
        (begun, asked, _) => Ok(begun.or(asked).unwrap_or_default()),
    }
}

fn known_phase(flow: &FlowSpec, typed: &str) -> Result<&'static str, AppError> {
    flow.phase(typed).ok_or_else(|| {
        let valid = flow.phases.join(", ");
        AppError::usage(format!("Invalid phase \"{}\". Valid values: {valid}", shown(typed)))
    })
}

/// A phase cannot begin before those that come first are through.
fn too_early(flow: &FlowSpec, phase: &str) -> AppError {
    let before = || {
        let before = flow.phases.iter().take_while(|name| **name != phase).last().copied();
        format!("{} phase must complete before {phase}.", capitalised(before.unwrap_or_default()))
    };
    let message = flow.guard(phase).map_or_else(before, |guard| guard.missing.to_owned());
    AppError::failed(message).hint("Run it from the beginning: leave out --phase")
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// What was asked for, word for word.
fn described(request: &StartRequest) -> Result<String, AppError> {
    let typed = request.typed.as_deref().unwrap_or_default();
    if typed.trim().is_empty() {
        let command = request.command();
        return Err(AppError::usage(format!("say what you want to {command}"))
            .hint(format!("For example: charrette {command} \"{}\"", request.flow.example)));
    }
    Ok(format!("{}\n", typed.trim_end_matches('\n')))
}

fn is_description(name: &DocumentName, typed: &str) -> bool {
    let Ok(typed) = FeaturePath::parse(typed.trim()) else { return true };
    // A path, or its last part.
    name.feature().is_none_or(|path| *path != typed && path.last() != typed.as_str())
}

fn kept_request(site: &Site, document: &Checkpoint) -> Result<String, AppError> {
    let workspace = workspace_of(site, document)?;
    let kept = workspace.read(REQUEST, None).map_err(AppError::failed)?;
    let kept =
        kept.ok_or_else(|| AppError::failed("the request of that run is gone; describe the feature again"))?;
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// The run that is meant: by its name, by its description, or the one that changed last; and its level, as far as that
/// is said.
fn run_meant(
    site: &Site,
    request: &StartRequest,
    nest: &Nest,
) -> Result<(DocumentName, Option<Level>), AppError> {
    let typed = request.typed.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    if typed.is_none() && request.name.is_none() {
        if !request.resume && request.phase.is_none() {
            described(request)?;
        }
        return Ok((newest(site, request)?, request.level));
    }
    let of_command = |name: FeaturePath| DocumentName::new(request.flow.command, Some(name));
    let documents = site.documents();
    // The same request goes on under its name; another one that would be called the same gets a number.
    let is_anothers = |path: &FeaturePath, digest: &str| {
        let Ok(Some(loaded)) = documents.load(&of_command(path.clone())) else { return false };
        loaded.document.run.and_then(|run| run.request).is_none_or(|request| request != digest)
    };
    let derived = |parent: Option<&FeaturePath>| {
        let digest = sha256(described(request)?.as_bytes());
        places::derive(typed.unwrap_or_default(), parent, |path| is_anothers(path, &digest))
            .map_err(AppError::usage)
    };
    if !request.flow.in_spec_tree {
        let named = request.name.as_deref().map(FeaturePath::parse).transpose().map_err(AppError::usage)?;
        let known = || -> Result<Option<FeaturePath>, AppError> {
            let Ok(typed) = FeaturePath::parse(typed.unwrap_or_default()) else { return Ok(None) };
            Ok(places::runs(site, request)?.contains(&typed).then_some(typed))
        };
        let path = match named {
            Some(path) => path,
            None => known()?.map_or_else(|| derived(None), Ok)?,
        };
        return Ok((of_command(path), None));
    }
    let place = places::meant(site, request, nest, typed.unwrap_or_default(), derived)?;
    Ok((of_command(place.path), place.level))
}

/// The run that is meant, whatever it is to do.
pub fn named(site: &Site, request: &StartRequest) -> Result<DocumentName, AppError> {
    let nest = Nest::here(site, request.command())?;
    Ok(run_meant(site, request, &nest)?.0)
}

/// The run of this command that changed last.
fn newest(site: &Site, request: &StartRequest) -> Result<DocumentName, AppError> {
    let command = request.command();
    let rows = site.documents().list()?;
    let newest = rows.into_iter().find(|row| row.name.command() == command);
    newest.map(|row| row.name).ok_or_else(|| {
        AppError::failed(format!("there is no {command} here yet"))
            .hint(format!("Begin one: charrette {command} \"what you want\""))
    })
}

fn phase_is(document: &Checkpoint, phase: &str, status: PhaseStatus) -> bool {
    document.phases.get(phase).is_some_and(|found| found.status == status)
}

/// There is nothing to go on with.
pub fn no_checkpoint(name: &DocumentName) -> AppError {
    let feature = shown_feature(name);
    AppError::failed(format!("No checkpoint found for \"{feature}\". Run without --resume to start fresh."))
        .hint("See what there is: charrette status")
}

/// Going on has nothing to do for a run that is complete, unless something was changed since; nor for a phase that is.
fn resumable(
    site: &Site,
    request: &StartRequest,
    name: &DocumentName,
    document: &Checkpoint,
    phase: Option<&'static str>,
) -> Result<(), AppError> {
    let feature = shown_feature(name);
    let steps = forecast(document, &workspace_of(site, document)?);
    let changed = steps.iter().any(|step| step.why.is_some());
    if document.completed_at.is_some() && !changed {
        let command = capitalised(request.command());
        return Err(AppError::new(
            ErrorKind::AlreadyComplete,
            format!("{command} for \"{feature}\" is already complete. Run without --resume to start fresh."),
        ));
    }
    match phase {
        Some(phase) if phase_is(document, phase, PhaseStatus::Complete) => Err(AppError::failed(format!(
            "Phase {phase} of \"{feature}\" is already complete. Run without --resume to do it again."
        ))),
        Some(phase) => earlier_phases_are_complete(request.flow, document, phase),
        None => Ok(()),
    }
}

fn earlier_phases_are_complete(
    flow: &FlowSpec,
    document: &Checkpoint,
    phase: &'static str,
) -> Result<(), AppError> {
    let mut earlier = flow.phases.iter().take_while(|name| **name != phase);
    if earlier.all(|name| phase_is(document, name, PhaseStatus::Complete)) {
        return Ok(());
    }
    Err(too_early(flow, phase))
}

fn may_do_again(
    site: &Site,
    flow: &FlowSpec,
    name: &DocumentName,
    document: &Checkpoint,
    phase: &'static str,
) -> Result<(), AppError> {
    let Some(PhaseGuard { gate, unless, refusal, .. }) = flow.guard(phase) else {
        return earlier_phases_are_complete(flow, document, phase);
    };
    let flags = document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let folder = site.root.join(spec_folder(site, name));
    if !flow.files(&flags).first().is_some_and(|(file, _)| folder.join(file).exists()) {
        return Err(too_early(flow, phase));
    }
    let approved = document.gates.get(*gate).is_some_and(|gate| gate.state == GateState::Approved);
    let is_unasked = flags.get(*unless).and_then(Value::as_bool).unwrap_or_default();
    if approved || is_unasked {
        return earlier_phases_are_complete(flow, document, phase);
    }
    let (feature, command) = (shown_feature(name), flow.command.as_str());
    Err(AppError::new(ErrorKind::Refused, refusal)
        .hint(format!("Go to the gate: charrette {command} {feature} --resume")))
}
