//! Driving a run from the command line: the lease, the signals, the runtime, the screen, the exit code.

use crate::arguments::Global;
use crate::error::{CommandError, ErrorKind};
use crate::progress::Screen;
use crate::room::{self, SiteClock};
use crate::site::Site;
use crate::studio::StudioHere;
use crate::{answers, designing, env_vars, output};
use charrette_engine::flows::design::{Brief, Design};
use charrette_engine::journal::{FileJournal, RunPlace};
use charrette_engine::ports::{Asker, BoxFuture, Clock, Journal, Launcher};
use charrette_engine::{Cancel, EventKind, Flow, FlowDefinition, Run, Stop, drive};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName, RunRecord};
use charrette_model::feature::name::FeaturePath;
use charrette_store::workspace::sha256;
use charrette_store::{Documents, Lease, Workspace};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// What this binary can drive.
#[derive(Clone, Copy)]
pub struct Extension {
    /// The flows it knows.
    pub flows: &'static [&'static dyn FlowDefinition],
    /// Settings that are laid over all others, as in `charrette.toml`.
    pub settings: Option<fn() -> String>,
}

impl Extension {
    /// What the published binary can drive.
    pub fn product() -> Extension {
        Extension { flows: &[], settings: None }
    }
}

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extension").field("flows", &self.flows.len()).finish_non_exhaustive()
    }
}

/// A run to begin.
#[derive(Debug)]
pub struct Beginning<'a> {
    /// Which run it will be.
    pub name: DocumentName,
    /// What was asked for, word for word.
    pub request: &'a str,
    /// Answers to questions that will come, as a file.
    pub answers: Option<PathBuf>,
}

/// What a run is begun with, besides its name and request.
#[derive(Debug, Default)]
pub(crate) struct Outfit {
    /// The flags it goes by.
    pub(crate) flags: Map<String, Value>,
    /// Files that stand in its workspace from the beginning, by name.
    pub(crate) files: Vec<(String, String)>,
}

/// A flow to be driven.
pub(crate) enum Driven {
    /// One that this binary knows.
    Known(&'static dyn FlowDefinition),
    /// A design, and what the caller says about the branch.
    Design(Box<Brief>, Option<String>),
}

impl Driven {
    /// What a run of that command goes through, when nobody says otherwise.
    fn of(
        extension: Extension,
        site: &Site,
        name: &DocumentName,
        document: &Checkpoint,
    ) -> Result<Driven, CommandError> {
        let known = extension.flows.iter().copied().find(|flow| flow.command() == name.command());
        match (known, name.command()) {
            (Some(flow), _) => Ok(Driven::Known(flow)),
            (None, "design") => {
                let brief = designing::brief(site, name, document, LAST_PHASE)?;
                Ok(Driven::Design(Box::new(brief), None))
            }
            (None, command) => {
                Err(CommandError::failed(format!("this version of charrette cannot drive runs of {command}")))
            }
        }
    }

    /// The flow itself, which listens to `cancel` where it takes its time.
    fn definition(self, site: &Site, name: &DocumentName, cancel: &Cancel) -> Box<dyn FlowDefinition> {
        match self {
            Driven::Known(flow) => Box::new(Known(flow)),
            Driven::Design(brief, branch_info) => {
                let studio = StudioHere::of(site, name, branch_info.as_deref(), cancel);
                Box::new(Design::new(*brief, Arc::new(studio)))
            }
        }
    }
}

/// The last phase of a design.
const LAST_PHASE: &str = "validate";

/// A flow that lives as long as the program.
struct Known(&'static dyn FlowDefinition);

impl FlowDefinition for Known {
    fn command(&self) -> &'static str {
        self.0.command()
    }

    fn phases(&self) -> &'static [&'static str] {
        self.0.phases()
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        self.0.flow(run)
    }
}

/// Begins a run and drives it to its end or its first stop.
pub(crate) fn begin(
    global: &Global,
    extension: Extension,
    beginning: &Beginning<'_>,
) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let name = &beginning.name;
    let Some(known) = extension.flows.iter().copied().find(|flow| flow.command() == name.command()) else {
        return Err(CommandError::failed(format!("this binary has no flow for {}", name.command())));
    };
    let answers = beginning.answers.as_deref().map(answers::read_file).transpose()?.unwrap_or_default();
    let (lease, place) = begin_run_here(&site, beginning, known.phases(), Outfit::default())?;
    let stopped = drive_on(global, Driven::Known(known), place, (lease, answers, false), &site)?;
    ended(global, &beginning.name, stopped)
}

/// Makes the document and the workspace of a run that does not exist yet.
pub(crate) fn begin_run_here(
    site: &Site,
    beginning: &Beginning<'_>,
    phases: &[&str],
    outfit: Outfit,
) -> Result<(Lease, RunPlace), CommandError> {
    let documents = site.documents();
    let name = &beginning.name;
    let lease = take_lease(&documents, name)?;
    if documents.load(name)?.is_some() {
        return Err(CommandError::new(
            ErrorKind::Failed,
            format!("there is a run of {} for {} already", name.command(), shown_feature(name)),
        )
        .hint(format!("Go on with it: charrette resume {}", shown_feature(name)))
        .hint(format!("Or throw it away: charrette abandon {}", shown_feature(name))));
    }
    let id = env_vars::run_id(site.now, &name.stem());
    let (relative, workspace) = unused_workspace(site, name, &id);
    workspace.prepare().map_err(CommandError::failed)?;
    for (file, text) in &outfit.files {
        workspace.put(file, text.as_bytes()).map_err(CommandError::failed)?;
    }
    let request = workspace.put("request.md", beginning.request.as_bytes()).map_err(CommandError::failed)?;
    let record = RunRecord {
        id,
        workspace: Some(relative),
        request: Some(request),
        base: documents.head(),
        flags: outfit.flags,
        charrette: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..RunRecord::default()
    };
    let owner = (name.command(), name.feature().map(FeaturePath::as_str));
    let changed = documents.transition(name, "begin run", site.now, |_, circumstances| {
        begin_run(owner, record.clone(), phases, circumstances)
    })?;
    let document = changed.document;
    Ok((lease, RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) }))
}

/// Goes on with a run from wherever it stands.
pub(crate) fn resume(
    global: &Global,
    extension: Extension,
    name: &DocumentName,
    answers: Option<&Path>,
) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let answers = answers.map(answers::read_file).transpose()?.unwrap_or_default();
    let (lease, place) = reopen(global, &site, name)?;
    let driven = Driven::of(extension, &site, name, &place.document)?;
    let stopped = drive_on(global, driven, place, (lease, answers, true), &site)?;
    ended(global, name, stopped)
}

/// A run that exists, ready to go on.
pub(crate) fn reopen(
    global: &Global,
    site: &Site,
    name: &DocumentName,
) -> Result<(Lease, RunPlace), CommandError> {
    let documents = site.documents();
    let lease = take_lease(&documents, name)?;
    let Some(loaded) = documents.load(name)? else {
        return Err(no_checkpoint(name));
    };
    if let Some(stale) = &loaded.stale {
        output::note(global, &format!("Warning: {stale}."));
        output::note(global, "Proceeding with existing checkpoint data.");
    }
    let workspace = workspace_of(site, &loaded.document)?;
    let document = loaded.document;
    Ok((lease, RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) }))
}

/// There is nothing to go on with.
pub(crate) fn no_checkpoint(name: &DocumentName) -> CommandError {
    let feature = shown_feature(name);
    CommandError::failed(format!(
        "No checkpoint found for \"{feature}\". Run without --resume to start fresh."
    ))
    .hint("See what there is: charrette status")
}

/// A folder named after the day and the feature. What an abandoned run left in one is not mixed with a new run.
fn unused_workspace(site: &Site, name: &DocumentName, id: &str) -> (String, Workspace) {
    let day = site.now.at().strftime("%Y%m%d");
    let first = format!(
        "{}/{day}-{}",
        site.settings.workspace_folder(),
        shown_feature(name).replace("--command ", "")
    );
    let mut relative = first.clone();
    let mut n = 1;
    while !workspace(site, name, (&relative, id)).is_unused() {
        n += 1;
        relative = format!("{first}-{n}");
    }
    let workspace = workspace(site, name, (&relative, id));
    (relative, workspace)
}

/// The workspace of a run, as its document says.
pub(crate) fn workspace_of(site: &Site, document: &Checkpoint) -> Result<Workspace, CommandError> {
    let run = document.run.as_ref();
    let relative = run.and_then(|run| run.workspace.as_deref());
    let (Some(run), Some(relative)) = (run, relative) else {
        return Err(CommandError::failed(
            "this document was not made by a flow, so there is nothing to go on with",
        ));
    };
    let inside = Path::new(relative).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !inside {
        return Err(CommandError::failed("the document names a workspace outside the repository"));
    }
    let command = Command::parse(&document.command);
    let name = command.map(|command| DocumentName::for_feature(command, document.feature.as_deref()));
    let Some(Ok(name)) = name else {
        return Err(CommandError::failed("the document does not say whose it is"));
    };
    Ok(workspace(site, &name, (relative, &run.id)))
}

fn workspace(site: &Site, name: &DocumentName, (relative, run_id): (&str, &str)) -> Workspace {
    // The id comes from a file that anybody may have edited; its digest is harmless as a folder.
    let lanes = room::state_folder(site);
    let lanes = lanes.join("lanes").join(&sha256(run_id.as_bytes())[..16]);
    let specs = site.root.join(designing::spec_folder(site, name));
    Workspace::new(&site.root.join(relative), &lanes).with_specs(&specs)
}

fn take_lease(documents: &Documents, name: &DocumentName) -> Result<Lease, CommandError> {
    documents.lease(name).map_err(|error| {
        let error = CommandError::from(error);
        if error.kind != ErrorKind::Refused {
            return error;
        }
        let holder = Lease::holder(&documents.folder().lease(name)).ok().flatten();
        let by = charrette_store::Holder::described(holder.as_ref());
        CommandError::new(ErrorKind::Refused, format!("{} is being driven{by}", name.stem()))
            .hint("Wait for it to stop, or end that process; what it has done is kept")
    })
}

/// Drives a run to its end or its next stop.
pub(crate) fn drive_on(
    global: &Global,
    driven: Driven,
    place: RunPlace,
    (lease, answers, resumed): (Lease, answers::AnswersFile, bool),
    site: &Site,
) -> Result<Flow<()>, CommandError> {
    let feature = shown_feature(&place.name);
    let started = EventKind::RunStarted {
        command: place.name.command().to_owned(),
        feature: place.name.feature().map(ToString::to_string),
        resumed,
    };
    let screen = Screen::new(global.json, global.quiet);
    let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
    let asker: Arc<dyn Asker> = Arc::new(answers);
    let named = place.name.feature().map(ToString::to_string);
    let purpose = format!("{} of {feature}", place.name.command());
    let outcome = room::with_agents(async |cancel| {
        let launcher: Arc<dyn Launcher> = Arc::new(room::open(global, site, (&purpose, named), &cancel));
        let definition = driven.definition(site, &place.name, &cancel);
        let journal: Arc<dyn Journal> = Arc::new(FileJournal::new(place, clock, cancel, screen.watcher()));
        journal.tell(started);
        let run = Run::new(journal, launcher, asker, site.settings.parallel());
        Ok(drive(&*definition, &run).await)
    })?;
    drop(lease);
    Ok(outcome)
}

/// What is left to say about how a run stopped, and the exit code.
pub(crate) fn ended(
    global: &Global,
    name: &DocumentName,
    outcome: Flow<()>,
) -> Result<ExitCode, CommandError> {
    let feature = shown_feature(name);
    match outcome {
        Ok(()) | Err(Stop::Enough) => Ok(ExitCode::SUCCESS),
        Err(Stop::Waiting(waits)) => {
            for wait in &waits {
                let keys: Vec<&str> = wait.questions.iter().map(|question| question.key.as_str()).collect();
                output::note(global, &format!("Waiting at {}: {}", wait.gate, keys.join(", ")));
            }
            output::note(global, &format!("To see the questions: charrette answer {feature}"));
            output::note(
                global,
                &format!(
                    "To answer and go on: charrette answer {feature} --file FILE && charrette resume {feature}"
                ),
            );
            Ok(ExitCode::from(3))
        }
        Err(Stop::Refused(message)) => Err(CommandError::new(ErrorKind::Refused, message)
            .hint(format!("To answer differently: charrette answer {feature} --file FILE"))),
        Err(Stop::Interrupted | Stop::Again) => {
            output::log(&format!("Interrupted; what was done is kept. To go on: charrette resume {feature}"));
            Ok(ExitCode::from(130))
        }
        Err(Stop::Failed(message)) => Err(CommandError::failed(message)
            .hint(format!("What was done is kept. To try again: charrette resume {feature}"))),
    }
}

pub(crate) fn shown_feature(name: &DocumentName) -> String {
    name.feature().map_or_else(|| format!("--command {}", name.command()), ToString::to_string)
}

fn asked_who(site: &Site) -> Box<dyn Fn() -> String + Send + Sync> {
    let root = site.root.clone();
    Box::new(move || who(&root))
}

/// Who is answering: the name git knows, or nobody in particular.
pub(crate) fn who(root: &Path) -> String {
    let output = std::process::Command::new("git").args(["config", "user.name"]).current_dir(root).output();
    let name = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}
