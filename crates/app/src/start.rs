//! Beginning a run, going on with one, and doing a phase again: everything up to the moment it is driven.

use crate::error::{AppError, ErrorKind};
use crate::kept_edits;
use crate::order::{RunOrder, Way, flags_now, no_checkpoint};
use crate::room;
use crate::site::Site;
use crate::which::shown_feature;
use crate::workspaces::{PINNED, spec_folder, unused_workspace, workspace_of};
use charrette_agents::profile::Roster;
use charrette_engine::deliverable::Templates;
use charrette_engine::journal::RunPlace;
use charrette_engine::roles::{PinnedRoles, ROLE_FOLDER, Roles};
use charrette_engine::{FlowSpec, Order};
use charrette_git::Git;
use charrette_model::checkpoint::progress::{begin_run, forget_steps, set_flags};
use charrette_model::checkpoint::{Checkpoint, DocumentName, ParentRun, RunRecord, TransitionError};
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::names::REQUEST;
use charrette_store::documents::Stale;
use charrette_store::{Documents, Lease};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Where a team keeps its own templates, below the folder of specifications.
const TEMPLATES: &str = "templates";
/// How many lines say what was committed since.
const MOVED: usize = 10;

/// A run that is ready to be driven.
pub struct OpenRun {
    /// The command.
    pub flow: &'static FlowSpec,
    /// Where its record is kept.
    pub place: RunPlace,
    /// Held while it is driven; a process that works for another has none.
    pub lease: Option<Lease>,
    /// Whether it goes on from an earlier stop.
    pub resumed: bool,
    /// The last phase to go through; all of them if that is not said.
    pub until: Option<String>,
}

/// What a run is begun with.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// The command.
    pub flow: &'static FlowSpec,
    /// Which run it will be.
    pub name: DocumentName,
    /// What was asked for, word for word.
    pub request: String,
    /// The flags it goes by.
    pub flags: Map<String, Value>,
    /// The run it belongs to.
    pub parent: Option<ParentRun>,
}

/// Does what an order says, up to the moment the run is driven.
pub fn open(site: &Site, order: &RunOrder) -> Result<OpenRun, AppError> {
    let opened = match &order.way {
        Way::Begin { request } => begin_again(site, order, request)?,
        Way::GoOn => go_on(site, order)?,
        Way::Again { phase, all } => redo_phase(site, order, phase, *all)?,
    };
    Ok(OpenRun { until: Some(order.until.to_owned()), ..opened })
}

/// Begins a run. One that is there already is archived first.
fn begin_again(site: &Site, order: &RunOrder, request: &str) -> Result<OpenRun, AppError> {
    if let Some(archive) = site.documents().abandon(&order.name, site.now)? {
        site.notices.problem(format!(
            "The run that was there is archived in {}; its workspace is kept.",
            site.relative(&archive).display()
        ));
        kept_edits::keep(site, order, &archive)?;
    }
    begin(
        site,
        Beginning {
            flow: order.flow,
            name: order.name.clone(),
            request: request.to_owned(),
            flags: order.flags.clone(),
            parent: None,
        },
    )
}

/// Makes the document and the workspace of a run that does not exist yet.
pub fn begin(site: &Site, beginning: Beginning) -> Result<OpenRun, AppError> {
    let Beginning { flow, name, request, flags, parent } = beginning;
    let roles = role_texts(site)?;
    let documents = site.documents();
    let lease = take_lease(&documents, &name)?;
    if documents.load(&name)?.is_some() {
        let feature = shown_feature(&name);
        return Err(AppError::failed(format!("there is a run of {} for {feature} already", name.command()))
            .hint(format!("Go on with it: charrette resume {feature}"))
            .hint(format!("Or throw it away: charrette abandon {feature}")));
    }
    let id = site.environment.run_id(site.now, &name.stem());
    let (relative, workspace) = unused_workspace(site, &name, &id);
    workspace.prepare().map_err(AppError::failed)?;
    let mut files: Vec<(&str, &[u8])> =
        roles.iter().map(|(file, text)| (file.as_str(), text.as_bytes())).collect();
    files.push((REQUEST, request.as_bytes()));
    let digests = workspace.put_all(&files).map_err(AppError::failed)?;
    let record = RunRecord {
        id,
        workspace: Some(relative),
        request: digests.last().cloned(),
        base: documents.head(),
        flags,
        charrette: Some(env!("CARGO_PKG_VERSION").to_owned()),
        parent,
        ..RunRecord::default()
    };
    let owner = (name.command(), name.feature().map(FeaturePath::as_str));
    let changed = documents.transition(&name, "begin run", site.now, |_, circumstances| {
        begin_run(owner, record.clone(), flow.phases, circumstances)
    })?;
    let place = RunPlace { documents, name, document: changed.document, workspace, by: asked_who(site) };
    Ok(OpenRun { flow, place, lease: Some(lease), resumed: false, until: None })
}

/// Goes on with a run, as it was asked for then and as it is asked for now.
fn go_on(site: &Site, order: &RunOrder) -> Result<OpenRun, AppError> {
    let mut opened = reopen(site, &order.name)?;
    let place = &mut opened.place;
    let before = place.document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let now = flags_now(&place.document, &order.flags);
    if now != before {
        let changed =
            place.documents.transition(&place.name, "flags", site.now, |on_disk, circumstances| {
                set_flags(on_disk.ok_or(TransitionError::Gone)?, now.clone(), circumstances)
            })?;
        place.document = changed.document;
    }
    Ok(opened)
}

/// Does a phase again: all of it, or what the command says.
fn redo_phase(site: &Site, order: &RunOrder, phase: &'static str, all: bool) -> Result<OpenRun, AppError> {
    let mut opened = go_on(site, order)?;
    let (flow, place) = (opened.flow, &mut opened.place);
    let changed = place.documents.transition(&place.name, "again", site.now, |on_disk, circumstances| {
        let mut document = on_disk.ok_or(TransitionError::Gone)?;
        for name in flow.phases.iter().skip_while(|name| **name != phase) {
            let whole = all && *name == phase;
            let is_meant = |step: &str| whole || (flow.redo)(phase, name, step);
            document = forget_steps(document, name, is_meant, circumstances)?;
        }
        Ok(document)
    })?;
    place.document = changed.document;
    Ok(opened)
}

/// A run that exists, ready to go on.
pub fn reopen(site: &Site, name: &DocumentName) -> Result<OpenRun, AppError> {
    let documents = site.documents();
    let flow = flow_of(site, name)?;
    let lease = take_lease(&documents, name)?;
    let Some(loaded) = documents.load(name)? else {
        return Err(no_checkpoint(name));
    };
    if let Some(stale) = &loaded.stale {
        say_stale(site, stale, &loaded.document);
    }
    let workspace = workspace_of(site, &loaded.document)?;
    let document = loaded.document;
    let place = RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) };
    Ok(OpenRun { flow, place, lease: Some(lease), resumed: true, until: None })
}

/// A run that another process has the lease of, for one that works for it; and the folder of its artifacts.
pub fn open_for_another(site: &Site, name: &DocumentName) -> Result<(PathBuf, OpenRun), AppError> {
    let documents = site.documents();
    let flow = flow_of(site, name)?;
    let document = documents.load(name)?.ok_or_else(|| no_checkpoint(name))?.document;
    let workspace = workspace_of(site, &document)?;
    let folder = workspace.folder().to_owned();
    let place = RunPlace { documents, name: name.clone(), document, workspace, by: asked_who(site) };
    Ok((folder, OpenRun { flow, place, lease: None, resumed: true, until: None }))
}

/// The flow of a run's command.
pub fn flow_of(site: &Site, name: &DocumentName) -> Result<&'static FlowSpec, AppError> {
    site.registry.get(name.command()).ok_or_else(|| {
        AppError::failed(format!("this version of charrette cannot drive runs of {}", name.command()))
    })
}

/// HEAD has moved since the run was saved: what was committed meanwhile, as a person would look at it.
fn say_stale(site: &Site, stale: &Stale, document: &Checkpoint) {
    site.notices.note(format!("Warning: {stale}."));
    site.notices.note("Proceeding with existing checkpoint data.");
    let is_commit = |id: &&str| id.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(saved) = document.head_commit.as_deref().filter(is_commit) else { return };
    let range = format!("{saved}..HEAD");
    let stat = Git::new(&site.root).find(&["diff", "--stat=80", "--no-ext-diff", "--no-color", &range]);
    let lines: Vec<&str> = stat.as_deref().unwrap_or_default().lines().collect();
    for line in &lines[lines.len().saturating_sub(MOVED)..] {
        site.notices.detail(*line);
    }
}

fn take_lease(documents: &Documents, name: &DocumentName) -> Result<Lease, AppError> {
    documents.lease(name).map_err(|error| {
        let error = AppError::from(error);
        if error.kind != ErrorKind::Refused {
            return error;
        }
        let holder = Lease::holder(&documents.folder().lease(name)).ok().flatten();
        let by = charrette_store::Holder::described(holder.as_ref());
        AppError::new(ErrorKind::Refused, format!("{} is being driven{by}", name.stem()))
            .hint(format!("Wait for it to stop, or stop it: charrette stop {}", shown_feature(name)))
    })
}

/// The texts of all roles as they are now, to be pinned for a run.
fn role_texts(site: &Site) -> Result<Vec<(String, String)>, AppError> {
    let roles = Roles::load(&site.root, &site.root.join(ROLE_FOLDER), &site.registry.seats());
    if let Some(problem) = roles.problems().first() {
        return Err(AppError::failed(problem).hint("See all roles: charrette roles list"));
    }
    Ok(roles.files().map(|(name, text)| (format!("{PINNED}/{name}"), text.to_owned())).collect())
}

/// What a run was asked for, and what its flow must know about this place.
pub fn order_of(site: &Site, place: &RunPlace, until: Option<String>) -> Result<Order, AppError> {
    let RunPlace { name, document, workspace, .. } = place;
    let folder = spec_folder(site, name);
    let started = document.started_at.as_ref().map_or_else(|| room::at_present(site), ToString::to_string);
    let (roster, _) = Roster::configured(&site.settings);
    let vendors = room::known(&roster).into_iter().map(|agent| (agent.name, agent.vendor));
    Ok(Order {
        feature: name.feature().map(ToString::to_string).unwrap_or_default(),
        spec_path: format!("{}/", site.root.join(folder.trim_end_matches('/')).display()),
        spec_folder: folder,
        date: started.chars().take(10).collect(),
        flags: document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default(),
        until,
        summary_words: site.settings.summary_words(),
        roles: PinnedRoles::in_folder(site.root.clone(), pinned(workspace.folder()), site.registry.seats()),
        templates: templates(site)?,
        vendors: vendors.collect(),
    })
}

fn pinned(workspace: &Path) -> PathBuf {
    workspace.join(PINNED)
}

/// The team's own templates: path and text.
fn templates(site: &Site) -> Result<Vec<(String, String)>, AppError> {
    let folder = site.root.join(site.settings.specs_folder()).join(TEMPLATES);
    let mut own = Vec::new();
    for name in Templates::files() {
        let path = folder.join(format!("{name}.jinja"));
        match fs_err::read_to_string(&path) {
            Ok(text) => own.push((site.relative(&path).display().to_string(), text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(AppError::failed(error)),
        }
    }
    Ok(own)
}

fn asked_who(site: &Site) -> Box<dyn Fn() -> String + Send + Sync> {
    let root = site.root.clone();
    let known: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    Box::new(move || known.get_or_init(|| who(&root)).clone())
}

/// Who is answering: the name git knows, or nobody in particular.
pub fn who(root: &Path) -> String {
    Git::new(root).find(&["config", "user.name"]).unwrap_or_else(|| "unknown".to_owned())
}
