//! Opens a run: creates it, resumes it or redoes a phase, up to the moment it is driven.

use crate::abandon::abandon;
use crate::agent_pool;
use crate::checkout_lease::{has_branch, lease_checkout, require_branch};
use crate::deleted_run;
use crate::edit_backup;
use crate::enclosure::refuse_inside_agent;
use crate::error::AppError;
use crate::missing_repository::no_repository;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::start_facts::recorded_approval;
use crate::start_plan::{RedoScope, StartMode, StartPlan, merged_flags, no_checkpoint};
use crate::trust::{self, template_files};
use crate::workspaces::{LANES, PINNED_ROLES, run_workspace, spec_folder, unused_workspace};
use charrette_agents::pool::drivers_folder;
use charrette_agents::profile::Roster;
use charrette_engine::explain::is_by_this_version;
use charrette_engine::journal::RunStorage;
use charrette_engine::roles::{PinnedRoles, ROLE_FOLDER, Roles};
use charrette_engine::{FlowSpec, RunOrder};
use charrette_git::Git;
use charrette_model::checkpoint::progress::{begin_run, forget_steps, set_flags};
use charrette_model::checkpoint::{
    Checkpoint, DocumentName, ParentRun, RunRecord, StepStatus, TransitionError,
};
use charrette_model::panel::file_names::REQUEST;
use charrette_store::documents::StaleHead;
use charrette_store::layout::{check_file, check_folder};
use charrette_store::{Documents, Lease, Workspace};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of `git diff --stat` lines shown for a stale run.
const MAX_DIFF_LINES: usize = 10;

/// Run that is ready to be driven.
pub struct OpenRun {
    pub flow: &'static FlowSpec,
    pub storage: RunStorage,
    /// Held while the run is driven; none in a worker process.
    pub lease: Option<Lease>,
    /// Held while a run that moves HEAD or writes outside its workspace is driven; children share it.
    pub checkout: Option<Lease>,
    /// True if the run continues from an earlier stop.
    pub resumed: bool,
    /// The last phase to run; none for all.
    pub until: Option<String>,
}

/// Parameters of a new run.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub flow: &'static FlowSpec,
    pub name: DocumentName,
    /// The request, verbatim.
    pub request: String,
    pub flags: Map<String, Value>,
    /// The parent of a child run.
    pub parent: Option<ParentRun>,
}

/// Opens a run as planned.
pub fn open(site: &Site, plan: &StartPlan) -> Result<OpenRun, AppError> {
    refuse_inside_agent(site, "drive a run")?;
    trust::require(site)?;
    check_state_folder(site)?;
    let opened = match &plan.mode {
        StartMode::New { request } => start_new(site, plan, request)?,
        StartMode::Resume => resume(site, plan, Work::WhatIsDue)?,
        StartMode::RedoPhase { phase, scope } => redo_phase(site, plan, phase, *scope)?,
    };
    Ok(OpenRun { until: Some(plan.until.to_owned()), ..opened })
}

/// Checks that the folders of the user's state that a run needs can be written, before anything is created or driven.
fn check_state_folder(site: &Site) -> Result<(), AppError> {
    let folder = agent_pool::state_folder(site);
    for needed in [drivers_folder(&folder), folder.join(LANES)] {
        probe_folder(&needed).map_err(|error| {
            AppError::failed(format!("cannot write to the state folder {}: {error}", needed.display()))
                .hint("Nothing was started. Make room there and make it writable, or set XDG_STATE_HOME to a folder that is")
        })?;
    }
    Ok(())
}

/// Writes a file to a folder and removes it.
fn probe_folder(folder: &Path) -> io::Result<()> {
    /// A full disk takes an empty file, but not this one.
    const PROBE: [u8; 16 << 10] = [b'x'; 16 << 10];
    // One name for all processes: what a killed one leaves is removed by the next.
    let probe = folder.join(".probe");
    let written = fs_err::create_dir_all(folder).and_then(|()| fs_err::write(&probe, PROBE));
    let removed = match fs_err::remove_file(&probe) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    written.and(removed)
}

/// Creates a new run and takes the checkout for it, if its flow needs that.
pub fn create_in_checkout(site: &Site, new_run: NewRun) -> Result<OpenRun, AppError> {
    refuse_inside_agent(site, "drive a run")?;
    trust::require(site)?;
    let feature = feature_argument(&new_run.name);
    let documents = site.documents();
    let checkout = take_checkout(site, new_run.flow, &documents, Some(&feature))?;
    Ok(OpenRun { checkout, ..create_with(site, documents, new_run)? })
}

/// Opens an existing run and takes the checkout for it, if its flow needs that.
pub fn reopen_in_checkout(site: &Site, name: &DocumentName) -> Result<OpenRun, AppError> {
    refuse_inside_agent(site, "drive a run")?;
    trust::require(site)?;
    check_state_folder(site)?;
    open_existing(site, name, Place::OwnCheckout(Work::WhatIsDue))
}

/// Takes the checkout for a flow that moves HEAD or writes outside its workspace: one run at a time.
fn take_checkout(
    site: &Site,
    flow: &FlowSpec,
    documents: &Documents,
    feature: Option<&str>,
) -> Result<Option<Lease>, AppError> {
    if flow.moves_head { lease_checkout(site, documents, feature).map(Some) } else { Ok(None) }
}

/// Creates a new run. An existing one is archived first.
fn start_new(site: &Site, plan: &StartPlan, request: &str) -> Result<OpenRun, AppError> {
    // Before anything is created or archived, which would take away what is left of a deleted run.
    deleted_run::refuse_over_deleted(site, &plan.name)?;
    check_folder(&site.root, &site.root.join(spec_folder(site, &plan.name)))?;
    let documents = site.documents();
    let checkout = take_checkout(site, plan.flow, &documents, Some(&feature_argument(&plan.name)))?;
    if !plan.must_be_new
        && let Some(archive) = abandon(site, &plan.name)?
    {
        site.notices.problem(format!(
            "The existing run is archived in {}; its workspace is kept.",
            site.relative(&archive).display()
        ));
        edit_backup::back_up_edits(site, plan, &archive)?;
    }
    let new_run = NewRun {
        flow: plan.flow,
        name: plan.name.clone(),
        request: request.to_owned(),
        flags: plan.flags.clone(),
        parent: None,
    };
    Ok(OpenRun { checkout, ..create_with(site, documents, new_run)? })
}

/// Creates the document and the workspace of a new run in a checkout that its parent holds.
pub fn create(site: &Site, new_run: NewRun) -> Result<OpenRun, AppError> {
    create_with(site, site.documents(), new_run)
}

/// Creates a run whose leases are taken by these documents.
fn create_with(site: &Site, documents: Documents, new_run: NewRun) -> Result<OpenRun, AppError> {
    let NewRun { flow, name, request, flags, parent } = new_run;
    let roles = role_texts(site)?;
    let lease = documents.lease(&name)?;
    if documents.load_to_drive(&name)?.is_some() {
        let feature = feature_argument(&name);
        return Err(AppError::failed(format!("a {} run for {feature} already exists", name.command()))
            .hint(format!("Resume it: charrette resume {feature}"))
            .hint(format!("Or discard it: charrette abandon {feature}")));
    }
    deleted_run::refuse_over_deleted(site, &name)?;
    let id = site.environment.run_id(site.now, &name.stem());
    let (relative, workspace) = unused_workspace(site, &name, &id);
    workspace.check_links()?;
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
        trust: site.trust.digest_in_use().map(str::to_owned),
        parent,
        ..RunRecord::default()
    };
    let changed = documents.transition(&name, "begin run", site.now, |_, context| {
        begin_run(name.key(), record.clone(), flow.phases, context)
    })?;
    let storage = RunStorage {
        documents,
        name,
        document: changed.document,
        workspace,
        user_name: lazy_user_name(site),
    };
    Ok(OpenRun { flow, storage, lease: Some(lease), checkout: None, resumed: false, until: None })
}

/// Work that a run is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Steps that are not done yet; perhaps none.
    WhatIsDue,
    /// Steps that were done are done again.
    Again,
}

/// Checkout of a run that is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is taken for the run.
    OwnCheckout(Work),
    /// The parent of the run holds it.
    OfTheParent,
}

/// Resumes a run with its recorded flags, merged with those of the plan.
fn resume(site: &Site, plan: &StartPlan, work: Work) -> Result<OpenRun, AppError> {
    let mut opened = open_existing(site, &plan.name, Place::OwnCheckout(work))?;
    let storage = &mut opened.storage;
    let before = storage.document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let now = merged_flags(&storage.document, &plan.flags);
    if now != before {
        // More is wanted of a complete run than its closing page: such as its approval.
        if opened.flow.moves_head && has_branch(site, &storage.document) {
            require_branch(site, &plan.name, &storage.document)?;
        }
        let changed =
            storage.documents.transition(&storage.name, "flags", site.now, |on_disk, context| {
                set_flags(on_disk.ok_or(TransitionError::Gone)?, now.clone(), context)
            })?;
        storage.document = changed.document;
    }
    Ok(opened)
}

/// Redoes steps of a phase, and those of later phases that the flow selects.
fn redo_phase(
    site: &Site,
    plan: &StartPlan,
    phase: &'static str,
    scope: RedoScope,
) -> Result<OpenRun, AppError> {
    let mut opened = resume(site, plan, Work::Again)?;
    let (flow, storage) = (opened.flow, &mut opened.storage);
    let changed = storage.documents.transition(&storage.name, "again", site.now, |on_disk, context| {
        let mut document = on_disk.ok_or(TransitionError::Gone)?;
        for name in flow.phases.iter().skip_while(|name| **name != phase) {
            let is_whole = scope == RedoScope::WholePhase && *name == phase;
            let is_redone = |step: &str| is_whole || (flow.redo)(phase, name, step);
            document = forget_steps(document, name, is_redone, context)?;
        }
        Ok(document)
    })?;
    storage.document = changed.document;
    Ok(opened)
}

/// Opens an existing run in a checkout that its parent holds, and takes its lease.
pub fn reopen(site: &Site, name: &DocumentName) -> Result<OpenRun, AppError> {
    open_existing(site, name, Place::OfTheParent)
}

/// Opens an existing run: takes its lease and the checkout before anything is looked at or changed. The document is read under
/// its lock, so that what others were told is recorded is in it.
fn open_existing(site: &Site, name: &DocumentName, place: Place) -> Result<OpenRun, AppError> {
    let documents = site.documents();
    let flow = flow_for(site, name)?;
    let lease = documents.lease(name)?;
    let Some(loaded) = documents.load_to_drive(name)? else {
        return Err(no_checkpoint(site, name));
    };
    if site.repository.is_none() && loaded.document.head_commit.is_some() {
        return Err(no_repository(site));
    }
    let checkout = match place {
        Place::OwnCheckout(_) => take_checkout(site, flow, &documents, None)?,
        Place::OfTheParent => None,
    };
    let is_due = loaded.document.completed_at.is_none() || place == Place::OwnCheckout(Work::Again);
    // A run that was killed before it had switched does so when it is resumed.
    if flow.moves_head && done_steps(&loaded.document).contains(FlowSpec::BRANCH_STEP) {
        let document = &loaded.document;
        if is_due || lacks_delivered_files(site, name, document) && has_branch(site, document) {
            require_branch(site, name, document)?;
        }
    }
    if let Some(stale) = &loaded.stale {
        report_stale_head(site, stale, &loaded.document);
    }
    report_changed_trust(site, &loaded.document);
    let workspace = run_workspace(site, &loaded.document)?;
    workspace.check_links()?;
    deleted_run::require_workspace(site, name, &loaded.document)?;
    let document = loaded.document;
    let storage =
        RunStorage { documents, name: name.clone(), document, workspace, user_name: lazy_user_name(site) };
    Ok(OpenRun { flow, storage, lease: Some(lease), checkout, resumed: true, until: None })
}

/// True if a file of the specification that a step delivered is not in this tree: the flow would write it again.
fn lacks_delivered_files(site: &Site, name: &DocumentName, document: &Checkpoint) -> bool {
    let folder = site.root.join(spec_folder(site, name));
    let steps = document.phases.values().filter_map(|phase| phase.steps.as_ref()).flatten();
    let done = steps.filter(|(_, step)| step.status == StepStatus::Done);
    let mut delivered =
        done.flat_map(|(_, step)| step.outputs.keys()).filter_map(|it| it.strip_prefix("specs/"));
    delivered.any(|file| !folder.join(file).is_file())
}

/// Opens a run whose lease another process holds, for its worker; with the folder of its artifacts.
pub fn open_for_worker(site: &Site, name: &DocumentName) -> Result<(PathBuf, OpenRun), AppError> {
    let documents = site.documents();
    let flow = flow_for(site, name)?;
    let document = documents.load(name)?.ok_or_else(|| no_checkpoint(site, name))?.document;
    let workspace = run_workspace(site, &document)?;
    let folder = workspace.folder().to_owned();
    let storage =
        RunStorage { documents, name: name.clone(), document, workspace, user_name: lazy_user_name(site) };
    Ok((folder, OpenRun { flow, storage, lease: None, checkout: None, resumed: true, until: None }))
}

/// Flow of a run's command.
pub fn flow_for(site: &Site, name: &DocumentName) -> Result<&'static FlowSpec, AppError> {
    site.registry.get(name.command()).ok_or_else(|| {
        AppError::failed(format!("this version of charrette cannot drive runs of {}", name.command()))
    })
}

/// Reports that the run began with other settings of this repository than those that are trusted now.
fn report_changed_trust(site: &Site, document: &Checkpoint) {
    let began_with = document.run.as_ref().and_then(|run| run.trust.as_deref());
    if began_with.is_some() && began_with != site.trust.digest_in_use() {
        site.notices.note(
            "Warning: what this repository makes charrette run or send has changed since this run began. Steps that are \
             still to be done use what is trusted now: charrette trust --show",
        );
    }
}

/// Reports that HEAD has moved since the run was saved, with the diff stat.
fn report_stale_head(site: &Site, stale: &StaleHead, document: &Checkpoint) {
    site.notices.note(format!("Warning: {stale}."));
    site.notices.note("Proceeding with existing checkpoint data.");
    let is_commit = |id: &&str| id.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(saved) = document.head_commit.as_deref().filter(is_commit) else { return };
    let range = format!("{saved}..HEAD");
    let stat = Git::new(&site.root).find(&["diff", "--stat=80", "--no-ext-diff", "--no-color", &range]);
    let lines: Vec<&str> = stat.as_deref().unwrap_or_default().lines().collect();
    for line in &lines[lines.len().saturating_sub(MAX_DIFF_LINES)..] {
        site.notices.detail(*line);
    }
}

/// Current texts of the roles that the team overrides, to be pinned in a new run's workspace.
fn role_texts(site: &Site) -> Result<Vec<(String, String)>, AppError> {
    let folder = site.root.join(ROLE_FOLDER);
    check_folder(&site.root, &folder).map_err(AppError::from)?;
    for entry in fs_err::read_dir(&folder).into_iter().flatten().flatten() {
        check_file(&site.root, &entry.path()).map_err(AppError::from)?;
    }
    let roles = Roles::with_overrides(&site.texts.roles, &site.registry.seats());
    if let Some(problem) = roles.problems().first() {
        return Err(AppError::failed(problem).hint("See all roles: charrette roles list"));
    }
    Ok(roles.own_files().map(|(name, text)| (format!("{PINNED_ROLES}/{name}"), text.to_owned())).collect())
}

/// Order that the flow of a run is driven with.
pub fn run_order(site: &Site, storage: &RunStorage, until: Option<String>) -> Result<RunOrder, AppError> {
    let RunStorage { name, document, workspace, .. } = storage;
    Ok(RunOrder { until, ..order_of(site, name, document, workspace)? })
}

/// Order of a run, driven or not.
pub(crate) fn order_of(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    workspace: &Workspace,
) -> Result<RunOrder, AppError> {
    let folder = spec_folder(site, name);
    let started =
        document.started_at.as_ref().map_or_else(|| agent_pool::timestamp(site), ToString::to_string);
    let (roster, _) = Roster::from_settings(&site.settings);
    let vendors =
        agent_pool::configured_candidates(&roster).into_iter().map(|agent| (agent.name, agent.vendor));
    let is_current = is_by_this_version(document);
    // The texts of another version belong to its own seats.
    let roles = if is_current {
        let pinned = workspace.folder().join(PINNED_ROLES);
        PinnedRoles::in_folder(site.root.clone(), pinned, site.registry.seats())
    } else {
        PinnedRoles::with_overrides(site.texts.roles.clone(), site.registry.seats())
    };
    Ok(RunOrder {
        feature: name.feature().map(ToString::to_string).unwrap_or_default(),
        spec_path: format!("{}/", site.root.join(folder.trim_end_matches('/')).display()),
        spec_folder: folder,
        date: started.chars().take(10).collect(),
        flags: document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default(),
        until: None,
        summary_words: site.settings.summary_words(),
        roles,
        templates: templates(site)?,
        settings: site.settings.clone(),
        vendors: vendors.collect(),
        recorded_approval: recorded_approval(site, name),
        steps_of_other_version: if is_current { BTreeSet::new() } else { done_steps(document) },
    })
}

fn done_steps(document: &Checkpoint) -> BTreeSet<String> {
    let steps = document.phases.values().filter_map(|phase| phase.steps.as_ref()).flatten();
    steps.filter(|(_, step)| step.status == StepStatus::Done).map(|(id, _)| id.clone()).collect()
}

/// A team's own templates: path and text, as they were when the site was opened.
fn templates(site: &Site) -> Result<Vec<(String, String)>, AppError> {
    for path in template_files(&site.root, site.settings.specs_folder()) {
        let exists = check_file(&site.root, &path).map_err(AppError::from)?;
        let name = site.relative(&path).display().to_string();
        if exists && site.trust.is_trusted() && site.texts.templates.iter().all(|(known, _)| *known != name) {
            // It could not be read; the error says why. One that came later is not used.
            fs_err::read_to_string(&path).map_err(AppError::failed)?;
        }
    }
    Ok(site.texts.templates.clone())
}

fn lazy_user_name(site: &Site) -> Box<dyn Fn() -> String + Send + Sync> {
    let root = site.root.clone();
    let known: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    Box::new(move || known.get_or_init(|| user_name(&root)).clone())
}

/// The user's name from git's configuration, or `unknown`.
pub fn user_name(root: &Path) -> String {
    Git::new(root).find(&["config", "user.name"]).unwrap_or_else(|| "unknown".to_owned())
}
