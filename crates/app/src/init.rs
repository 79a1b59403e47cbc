//! Installs hooks into the configuration of clients, and takes them out again.

use crate::agent_pool::state_folder;
use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use charrette_hosts::{
    ApplyError, Client, HOOK_PROGRAM, Plan, Receipts, Scope, apply as apply_plan, plan_installation,
    plan_removal,
};
use charrette_model::escape::printable;
use charrette_store::lock::DocumentLock;
use std::path::PathBuf;

/// Scope and clients of an installation or a removal.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// In the configuration of the user instead of the repository.
    pub user: bool,
    /// Clients by name; without any, those that are found.
    pub clients: Vec<Client>,
    /// Take out instead of put in.
    pub remove: bool,
}

/// Changes to be shown and then made.
#[derive(Debug, Clone)]
pub struct InitPlan {
    pub options: InitOptions,
    /// Clients whose files the plan is about.
    pub clients: Vec<Client>,
    /// Clients whose files were looked at.
    planned: Vec<Client>,
    pub scope: Scope,
    pub plan: Plan,
    /// Path of the hook's program; none if it is not on `PATH`.
    pub hook_program: Option<PathBuf>,
}

impl InitPlan {
    /// Everything that the user must still do for the hooks to work, one sentence each.
    pub fn remaining_steps(&self) -> Vec<String> {
        let mut steps = Vec::new();
        if self.hook_program.is_none() && !self.options.remove {
            steps.push(format!(
                "Put {HOOK_PROGRAM} on PATH: it comes with charrette. Until then the hooks do nothing."
            ));
        }
        for client in &self.clients {
            let label = client.label();
            let is_in_repository = !self.options.user;
            match client {
                _ if self.options.remove => {}
                Client::Codex if is_in_repository => steps.push(format!(
                    "{label}: trust this repository, then open /hooks and trust both hooks. Codex skips untrusted hooks without a word."
                )),
                Client::Codex => steps.push(format!(
                    "{label}: open /hooks and trust both hooks. Codex skips untrusted hooks without a word."
                )),
                Client::Gemini if is_in_repository => {
                    steps.push(format!("{label}: trust this folder when it asks; it skips hooks of untrusted folders."));
                }
                _ => {}
            }
        }
        let labels: Vec<&str> = self.clients.iter().map(|client| client.label()).collect();
        if !labels.is_empty() {
            steps.push(format!(
                "Restart open sessions of {}: they read hooks when they start.",
                labels.join(", ")
            ));
        }
        if !self.options.remove {
            steps.push("Prove that the hooks hold: charrette doctor --prove-hooks".to_owned());
        }
        steps
    }
}

/// Compares the configuration with what is wanted. Nothing is written.
pub fn plan(site: &Site, options: &InitOptions) -> Result<InitPlan, AppError> {
    refuse_inside_agent(site, "change the hooks of its client")?;
    let scope = scope(site, options.user)?;
    let clients = match (options.clients.is_empty(), options.remove) {
        (false, _) => options.clients.clone(),
        // The files decide, not the installed programs.
        (true, true) => Client::ALL.to_vec(),
        (true, false) => found_clients(site),
    };
    if clients.is_empty() {
        let names: Vec<&str> = Client::ALL.iter().map(|client| client.name()).collect();
        return Err(AppError::failed(format!("found none of the clients {}", names.join(", ")))
            .hint("Name one to prepare for it: charrette init --client claude"));
    }
    let receipts = Receipts::read(&state_folder(site)).map_err(AppError::failed)?;
    let plan = make_plan(&clients, &scope, options.remove, &receipts);
    let hook_program = site.environment.find_program(HOOK_PROGRAM);
    let planned = clients.clone();
    let clients = if options.remove { changed_clients(&clients, &scope, &plan) } else { clients };
    Ok(InitPlan { options: options.clone(), clients, planned, scope, plan, hook_program })
}

/// Refuses a plan with files that cannot be changed.
pub fn check_problems(init: &InitPlan) -> Result<(), AppError> {
    let Some((first, rest)) = init.plan.problems.split_first() else { return Ok(()) };
    let line = |problem: &charrette_hosts::Problem| printable(&problem.to_string()).to_string();
    let mut error = AppError::failed(line(first));
    for problem in rest {
        error = error.more(line(problem));
    }
    Err(error
        .hint("Nothing was changed. Repair that file, or leave its client out: charrette init --client NAME"))
}

/// Makes the changes that were shown, all or none.
pub fn apply(site: &Site, init: &InitPlan) -> Result<(), AppError> {
    check_problems(init)?;
    let folder = state_folder(site);
    fs_err::create_dir_all(&folder).map_err(AppError::failed)?;
    let _lock = DocumentLock::acquire(&folder.join("installed.lock"), &site.holder())?;
    let mut receipts = Receipts::read(&folder).map_err(AppError::failed)?;
    let plan = make_plan(&init.planned, &init.scope, init.options.remove, &receipts);
    let again = if init.options.remove { "charrette init --remove" } else { "charrette init" };
    if plan.changes != init.plan.changes || !plan.problems.is_empty() {
        return Err(AppError::new(
            ErrorKind::Refused,
            "a file has changed since it was shown; nothing was changed",
        )
        .hint(format!("Look again: {again}")));
    }
    apply_plan(&plan, &mut receipts, &folder).map_err(|error| match error {
        ApplyError::Changed(_) => {
            AppError::new(ErrorKind::Refused, error).hint(format!("Look again: {again}"))
        }
        ApplyError::Io(_) => {
            AppError::failed(error).hint(format!("Free the file or the folder, then: {again}"))
        }
        ApplyError::Torn { .. } => AppError::failed(error)
            .hint(format!("Its former content is in {}", folder.join("installed.json").display())),
    })
}

fn make_plan(clients: &[Client], scope: &Scope, remove: bool, receipts: &Receipts) -> Plan {
    if remove { plan_removal(clients, scope, receipts) } else { plan_installation(clients, scope, receipts) }
}

fn scope(site: &Site, user: bool) -> Result<Scope, AppError> {
    if user {
        let folders = site.environment.client_folders();
        return folders.map(Scope::User).ok_or_else(|| {
            AppError::failed("HOME is not set, so the user's configuration cannot be found")
                .hint("export HOME=FOLDER")
        });
    }
    match &site.repository {
        Some(_) => Ok(Scope::Repository(site.root.clone())),
        None => Err(AppError::failed("not in a git repository")
            .hint("Change to a repository, or install into your own configuration: charrette init --user")),
    }
}

/// Clients whose program is on `PATH` or that have a folder in the user's home.
pub fn found_clients(site: &Site) -> Vec<Client> {
    let folders = site.environment.client_folders();
    let is_found = |client: &Client| {
        client.programs().iter().any(|program| site.environment.find_program(program).is_some())
            || folders.as_ref().is_some_and(|folders| folders.folder(*client).is_dir())
    };
    Client::ALL.into_iter().filter(is_found).collect()
}

/// Clients that have a file in the plan.
fn changed_clients(clients: &[Client], scope: &Scope, plan: &Plan) -> Vec<Client> {
    let is_changed = |client: &&Client| {
        let files = charrette_hosts::hook_files(**client, scope);
        files.iter().any(|file| plan.changes.iter().any(|change| change.path == file.path))
    };
    clients.iter().filter(is_changed).copied().collect()
}
