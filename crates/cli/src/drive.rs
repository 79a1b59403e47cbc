//! Driving a run from the command line: the lease, the signals, the runtime, the screen, the exit code.

use crate::answers::{AnswersFile, WrittenThenAsked};
use crate::arguments::Global;
use crate::error::{CommandError, ErrorKind};
use crate::progress::{self, Showing};
use crate::room::{self, SiteClock};
use crate::site::Site;
use crate::{answers, env_vars, output};
use charrette_engine::journal::{FileJournal, RunPlace};
use charrette_engine::ports::{Asker, Clock, Journal, Launcher};
use charrette_engine::{EventKind, FlowDefinition, Run, Stop, drive};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Checkpoint, DocumentName, RunRecord};
use charrette_model::feature::name::FeaturePath;
use charrette_store::workspace::sha256;
use charrette_store::{Documents, Lease, Workspace};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
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

/// Begins a run and drives it to its end or its first stop.
pub(crate) fn begin(
    global: &Global,
    extension: Extension,
    beginning: &Beginning<'_>,
) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let documents = site.documents();
    let name = &beginning.name;
    let definition = flow_of(extension, name.command())?;
    let answers = beginning.answers.as_deref().map(answers::read_file).transpose()?.unwrap_or_default();
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
    let (relative, workspace) = unused_workspace(&site, name, &id);
    workspace.prepare().map_err(CommandError::failed)?;
    let request = workspace.put("request.md", beginning.request.as_bytes()).map_err(CommandError::failed)?;
    let record = RunRecord {
        id,
        workspace: Some(relative),
        request: Some(request),
        base: documents.head(),
        charrette: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..RunRecord::default()
    };
    let owner = (name.command(), name.feature().map(FeaturePath::as_str));
    let changed = documents.transition(name, "begin run", site.now, |_, circumstances| {
        begin_run(owner, record.clone(), definition.phases(), circumstances)
    })?;
    let place = RunPlace {
        documents,
        name: name.clone(),
        document: changed.document,
        workspace,
        by: asked_who(&site),
    };
    drive_on(global, definition, place, (lease, answers, false), &site)
}

/// Goes on with a run from wherever it stands.
pub(crate) fn resume(
    global: &Global,
    extension: Extension,
    name: &DocumentName,
    answers: Option<&Path>,
) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let documents = site.documents();
    let definition = flow_of(extension, name.command())?;
    let answers = answers.map(answers::read_file).transpose()?.unwrap_or_default();
    let lease = take_lease(&documents, name)?;
    let Some(loaded) = documents.load(name)? else {
        let feature = shown_feature(name);
        return Err(CommandError::failed(format!("No checkpoint found for \"{feature}\""))
            .hint("See what there is: charrette status"));
    };
    if let Some(stale) = &loaded.stale {
        output::note(global, &format!("Warning: {stale}."));
        output::note(global, "Proceeding with existing checkpoint data.");
    }
    let workspace = workspace_of(&site, &loaded.document)?;
    let place = RunPlace {
        documents,
        name: name.clone(),
        document: loaded.document,
        workspace,
        by: asked_who(&site),
    };
    drive_on(global, definition, place, (lease, answers, true), &site)
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
    while !workspace(site, &relative, id).is_unused() {
        n += 1;
        relative = format!("{first}-{n}");
    }
    let workspace = workspace(site, &relative, id);
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
    Ok(workspace(site, relative, &run.id))
}

fn workspace(site: &Site, relative: &str, run_id: &str) -> Workspace {
    // The id comes from a file that anybody may have edited; its digest is harmless as a folder.
    let lanes = room::state_folder(site);
    Workspace::new(&site.root.join(relative), &lanes.join("lanes").join(&sha256(run_id.as_bytes())[..16]))
}

fn flow_of(extension: Extension, command: &str) -> Result<&'static dyn FlowDefinition, CommandError> {
    let found = extension.flows.iter().copied().find(|flow| flow.command() == command);
    found.ok_or_else(|| {
        CommandError::failed(format!("this version of charrette cannot drive runs of {command}"))
    })
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

fn drive_on(
    global: &Global,
    definition: &'static dyn FlowDefinition,
    place: RunPlace,
    (lease, written, resumed): (Lease, AnswersFile, bool),
    site: &Site,
) -> Result<ExitCode, CommandError> {
    let feature = shown_feature(&place.name);
    let started = EventKind::RunStarted {
        command: place.name.command().to_owned(),
        feature: place.name.feature().map(ToString::to_string),
        resumed,
    };
    let view = progress::view(global, Showing::default());
    let terminal = progress::terminal(global, view.screen());
    let is_attended = terminal.is_some();
    let shelves = shelves(site, &place);
    let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
    let purpose = format!("{} of {feature}", place.name.command());
    let outcome = room::with_agents(async |cancel| {
        let launcher: Arc<dyn Launcher> = Arc::new(room::open(global, site, &purpose, &cancel));
        let person = terminal.map(|terminal| progress::asker(&view, terminal, shelves, cancel.clone()));
        let asker: Arc<dyn Asker> = Arc::new(WrittenThenAsked { written, person });
        let journal: Arc<dyn Journal> = Arc::new(FileJournal::new(place, clock, cancel, view.watcher()));
        journal.tell(started);
        let run = Run::new(journal, launcher, asker, site.settings.parallel());
        Ok(drive(definition, &run).await)
    })?;
    drop(lease);
    match outcome {
        Ok(()) | Err(Stop::Enough) => Ok(ExitCode::SUCCESS),
        Err(Stop::Waiting(waits)) if is_attended => {
            let gates: Vec<&str> = waits.iter().map(|wait| wait.gate.as_str()).collect();
            let gates = gates.join(" and ");
            output::note(
                global,
                &format!(
                    "Paused at {gates}; what was answered is kept. To go on: charrette resume {feature}"
                ),
            );
            Ok(ExitCode::from(3))
        }
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

/// The folders whose files a person may want to see at a question: the deliverable, then the workspace.
fn shelves(site: &Site, place: &RunPlace) -> Vec<PathBuf> {
    let specs = site.settings.all().get("paths.specs").and_then(|setting| setting.value.as_str());
    let specs = site.root.join(specs.unwrap_or("specs"));
    let feature = place.name.feature().map(|feature| specs.join(feature.as_str().replace('.', "/")));
    feature.into_iter().chain([place.workspace.folder().to_owned()]).collect()
}

fn shown_feature(name: &DocumentName) -> String {
    name.feature().map_or_else(|| format!("--command {}", name.command()), ToString::to_string)
}

fn asked_who(site: &Site) -> Box<dyn Fn() -> String + Send + Sync> {
    let root = site.root.clone();
    Box::new(move || who(&root))
}

/// Who is answering: the name git knows, or nobody in particular.
pub(crate) fn who(root: &Path) -> String {
    let output = Command::new("git").args(["config", "user.name"]).current_dir(root).output();
    let name = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}
