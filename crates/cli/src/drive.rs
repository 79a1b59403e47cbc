//! Driving a run from the command line: the lease, the signals, the runtime, the screen, the exit code.

use crate::answers::{AnswersFile, WrittenThenAsked};
use crate::arguments::Global;
use crate::designing::{screens, spec_folder};
use crate::driven::Driven;
use crate::error::{CommandError, ErrorKind};
use crate::git::Git;
use crate::nesting::Around;
use crate::progress;
use crate::room::{self, SiteClock};
use crate::site::Site;
use crate::stage_marks::marking;
use crate::stopping::{Stopped, ended};
use crate::workspaces::{unused_workspace, workspace_of};
use crate::{answers, env_vars, output, webhooks};
use charrette_engine::journal::{FileJournal, RunPlace};
use charrette_engine::ports::{Asker, Clock, Journal};
use charrette_engine::{EventKind, FlowDefinition, Run, drive};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Checkpoint, DocumentName, RunRecord};
use charrette_model::feature::name::FeaturePath;
use charrette_store::{Documents, Lease};
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

/// How many lines say what was committed since.
const MOVED: usize = 10;

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
    let stopped = drive_on(global, Driven::Known(known), place, (Some(lease), answers, false), &site)?;
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
    let has_pages = driven.has_pages();
    let stopped = drive_on(global, driven, place, (Some(lease), answers, true), &site)?;
    if has_pages {
        screens::closing(global, &site, name, &stopped)?;
    }
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
        if progress::style(global).is_tty {
            say_what_moved(global, site, &loaded.document);
        }
    }
    let workspace = workspace_of(site, &loaded.document)?;
    let document = loaded.document;
    Ok((lease, RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) }))
}

/// A run that somebody else has the lease of, for a process that works for them; and the folder of its artifacts.
pub(crate) fn open_place(
    site: &Site,
    name: &DocumentName,
    documents: Documents,
) -> Result<(PathBuf, RunPlace), CommandError> {
    let document = documents.load(name)?.ok_or_else(|| no_checkpoint(name))?.document;
    let workspace = workspace_of(site, &document)?;
    let folder = workspace.folder().to_owned();
    Ok((folder, RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) }))
}

/// What was committed since the checkpoint was saved, as a person would look at it.
fn say_what_moved(global: &Global, site: &Site, document: &Checkpoint) {
    let Some(saved) = document.head_commit.as_deref().filter(|id| id.bytes().all(|b| b.is_ascii_hexdigit()))
    else {
        return;
    };
    let range = format!("{saved}..HEAD");
    let stat = Git(&site.root).find(&["diff", "--stat=80", "--no-ext-diff", "--no-color", &range]);
    let lines: Vec<&str> = stat.as_deref().unwrap_or_default().lines().collect();
    for line in &lines[lines.len().saturating_sub(MOVED)..] {
        output::note(global, line);
    }
}

/// There is nothing to go on with.
pub(crate) fn no_checkpoint(name: &DocumentName) -> CommandError {
    let feature = shown_feature(name);
    CommandError::failed(format!(
        "No checkpoint found for \"{feature}\". Run without --resume to start fresh."
    ))
    .hint("See what there is: charrette status")
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

/// Drives a run to its end or its next stop. Without a lease, the process we work for has it.
pub(crate) fn drive_on(
    global: &Global,
    driven: Driven,
    place: RunPlace,
    (lease, written, resumed): (Option<Lease>, AnswersFile, bool),
    site: &Site,
) -> Result<Stopped, CommandError> {
    let feature = shown_feature(&place.name);
    let started = EventKind::RunStarted {
        command: place.name.command().to_owned(),
        feature: place.name.feature().map(ToString::to_string),
        resumed,
    };
    let nesting = driven.nesting();
    let view = progress::view(global, nesting.showing());
    let terminal = progress::terminal(global, view.screen());
    let is_attended = terminal.is_some();
    let shelves = shelves(site, &place);
    let workspace = Arc::new(workspace_of(site, &place.document)?);
    let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
    let named = place.name.feature().map(ToString::to_string);
    let purpose = format!("{} of {feature}", place.name.command());
    let outcome = room::with_agents(async |cancel| {
        let room = Arc::new(room::open(global, site, (&purpose, named), &cancel));
        let person = terminal.map(|terminal| progress::asker(&view, terminal, shelves, cancel.clone()));
        let asker: Arc<dyn Asker> = Arc::new(WrittenThenAsked::new(written, person));
        nesting.enter(&room);
        let ledgers = nesting.ledgers(place.workspace.folder());
        let watcher = nesting.watching(&room, marking(ledgers, clock.clone(), view.watcher()));
        let name = place.name.clone();
        let messenger = webhooks::Messenger::begin(site, &name).unwrap_or_else(|problem| {
            webhooks::say(global, &problem);
            None
        });
        let watcher = match &messenger {
            Some(messenger) => messenger.watching(watcher),
            None => watcher,
        };
        let journal: Arc<dyn Journal> = Arc::new(FileJournal::new(place, clock, cancel.clone(), watcher));
        journal.tell(started);
        // Going on may need nobody; those who are needed are asked then whether they work.
        for message in driven.missing(&room, !resumed).await {
            journal.tell(EventKind::Warning { message });
        }
        nesting.tell_health(&room);
        let around = Around {
            global,
            site,
            name: &name,
            workspace: &workspace,
            lease: lease.as_ref(),
            room: &room,
            cancel: &cancel,
        };
        let definition = driven.definition(&around);
        let run = Run::new(journal, room, asker, site.settings.parallel());
        let outcome = drive(&*definition, &run).await;
        if let Some(messenger) = messenger
            && let Some(problem) = messenger.end().await
        {
            webhooks::say(global, &problem);
        }
        Ok(outcome)
    })?;
    drop(lease);
    Ok(Stopped { outcome, warnings: view.warnings(), is_attended })
}

/// The folders whose files a person may want to see at a question: the deliverable, then the workspace.
fn shelves(site: &Site, place: &RunPlace) -> Vec<PathBuf> {
    let specs = site.root.join(spec_folder(site, &place.name));
    vec![specs, place.workspace.folder().to_owned()]
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
