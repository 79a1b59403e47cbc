//! Installs hooks, the MCP server and skills into the configuration of clients, and takes them out again.

use crate::agent_pool::state_folder;
use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::plugin;
use crate::site::Site;
use charrette_hosts::{
    ApplyError, Client, ClientParts, HOOK_PROGRAM, Part, Plan, Receipts, SERVER_PROGRAM, Scope, Selection,
    apply as apply_plan, files_of, installed_plugin, plan_installation, plan_removal, plugin_parts,
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
    /// Parts by name; without any, all.
    pub parts: Vec<Part>,
    /// Take out instead of put in.
    pub remove: bool,
}

/// Changes to be shown and then made.
#[derive(Debug, Clone)]
pub struct InitPlan {
    pub options: InitOptions,
    /// Clients whose files the plan is about.
    pub clients: Vec<Client>,
    /// Everything that was looked at.
    selection: Selection,
    pub plan: Plan,
    /// Clients that have the plug-in, whose parts are not installed a second time.
    pub plugins: Vec<PluginFound>,
    /// Programs that clients start and that are not on `PATH`.
    pub missing_programs: Vec<&'static str>,
}

/// The plug-in in a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFound {
    pub client: Client,
    /// Selected parts that come from it.
    pub parts: Vec<Part>,
    /// The file or folder that says so.
    pub path: PathBuf,
    /// True if a copy that `init` made before is still there.
    pub has_second_copy: bool,
}

impl InitPlan {
    /// Everything that the user must still do for the installation to work, one sentence each.
    pub fn remaining_steps(&self) -> Vec<String> {
        let mut steps = Vec::new();
        if !self.options.remove {
            for program in &self.missing_programs {
                let what = if *program == HOOK_PROGRAM { "the hooks do" } else { "the server does" };
                steps.push(format!("Put {program} on PATH. Until then {what} nothing."));
            }
            for parts in &self.selection.clients {
                steps.extend(client_steps(parts, !self.options.user));
            }
        }
        let labels: Vec<&str> = self.clients.iter().map(|client| client.label()).collect();
        if !labels.is_empty() {
            steps.push(format!(
                "Restart open sessions of {}: they read their configuration when they start.",
                labels.join(", ")
            ));
        }
        if !self.options.remove && self.selects(Part::Hooks) {
            steps.push("Prove that the hooks hold: charrette doctor --prove-hooks".to_owned());
        }
        steps
    }

    /// Entries and files that were left as they are, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for plugin in &self.plugins {
            let client = plugin.client;
            let parts: Vec<&str> = plugin.parts.iter().map(|part| part.label()).collect();
            let mut note = format!(
                "{} has the plug-in of charrette ({}), which brings {}: not installed a second time.",
                client.label(),
                printable(&plugin.path.display().to_string()),
                parts.join(", ")
            );
            if plugin.has_second_copy {
                let user = if self.options.user { " --user" } else { "" };
                let command = format!("charrette init{user} --client {} --remove", client.name());
                note.extend([" To take the copy out that init made before: ", &command]);
            }
            notes.push(note);
        }
        for path in &self.plan.taken {
            notes.push(format!(
                "{} has a server charrette that runs something else: left as it is.",
                printable(&path.display().to_string())
            ));
        }
        notes
    }

    fn selects(&self, part: Part) -> bool {
        self.selection.clients.iter().any(|client| client.parts.contains(&part))
    }
}

/// Steps that a client leaves to its user: trust, a restart.
fn client_steps(selected: &ClientParts, is_in_repository: bool) -> Option<String> {
    let (hooks, server) = (selected.parts.contains(&Part::Hooks), selected.parts.contains(&Part::Mcp));
    let label = selected.client.label();
    let step = match selected.client {
        Client::Claude if server && is_in_repository => {
            "approve the server charrette of .mcp.json when it asks.".to_owned()
        }
        Client::Codex if hooks => format!(
            "{}open /hooks and trust both hooks. Codex skips untrusted hooks without a word.",
            if is_in_repository { "trust this repository, then " } else { "" }
        ),
        Client::Codex if server && is_in_repository => {
            "trust this repository; it skips servers of untrusted ones.".to_owned()
        }
        Client::Gemini if (hooks || server) && is_in_repository => {
            "trust this folder when it asks; it skips hooks and servers of untrusted folders.".to_owned()
        }
        Client::Cursor if server => "approve the server charrette when it asks.".to_owned(),
        _ => return None,
    };
    Some(format!("{label}: {step}"))
}

/// Compares the configuration with what is wanted. Nothing is written.
pub fn plan(site: &Site, options: &InitOptions) -> Result<InitPlan, AppError> {
    refuse_inside_agent(site, "change the configuration of its client")?;
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
    let parts = if options.parts.is_empty() { Part::ALL.to_vec() } else { options.parts.clone() };
    let all_clients = clients.iter().map(|client| ClientParts { client: *client, parts: parts.clone() });
    let mut selection = Selection {
        scope,
        clients: all_clients.collect(),
        has_formats: parts.contains(&Part::Formats),
        skills: plugin::skills(),
    };
    let plugins =
        if options.remove { Vec::new() } else { leave_plugins_alone(site, &mut selection, &receipts) };
    let plan = make_plan(&selection, options.remove, &receipts);
    let clients = if options.remove { changed_clients(&clients, &selection, &plan) } else { clients };
    let selects = |part: Part| selection.clients.iter().any(|client| client.parts.contains(&part));
    let programs = [(Part::Hooks, HOOK_PROGRAM), (Part::Mcp, SERVER_PROGRAM)];
    let missing_programs = programs
        .into_iter()
        .filter(|(part, program)| selects(*part) && site.environment.find_program(program).is_none())
        .map(|(_, program)| program)
        .collect();
    Ok(InitPlan { options: options.clone(), clients, selection, plan, plugins, missing_programs })
}

/// Takes those parts out of a selection that come from a plug-in.
fn leave_plugins_alone(site: &Site, selection: &mut Selection, receipts: &Receipts) -> Vec<PluginFound> {
    let Some(folders) = site.environment.client_folders() else { return Vec::new() };
    let mut found = Vec::new();
    let Selection { scope, clients, skills, .. } = selection;
    for ClientParts { client, parts } in clients {
        let Some(path) = installed_plugin(*client, scope, &folders) else { continue };
        let brought = plugin_parts(*client);
        let (skipped, rest): (Vec<Part>, Vec<Part>) = parts.iter().partition(|part| brought.contains(part));
        if skipped.is_empty() {
            continue;
        }
        *parts = rest;
        let copy = Selection {
            scope: scope.clone(),
            clients: vec![ClientParts { client: *client, parts: skipped.clone() }],
            has_formats: false,
            skills: skills.clone(),
        };
        let has_second_copy = !plan_removal(&copy, receipts).changes.is_empty();
        found.push(PluginFound { client: *client, parts: skipped, path, has_second_copy });
    }
    found
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
    let plan = make_plan(&init.selection, init.options.remove, &receipts);
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

fn make_plan(selection: &Selection, remove: bool, receipts: &Receipts) -> Plan {
    if remove { plan_removal(selection, receipts) } else { plan_installation(selection, receipts) }
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
fn changed_clients(clients: &[Client], selection: &Selection, plan: &Plan) -> Vec<Client> {
    let is_changed = |client: &&Client| {
        let files = files_of(**client, selection);
        files.iter().any(|file| plan.changes.iter().any(|change| change.path == *file))
    };
    clients.iter().filter(is_changed).copied().collect()
}
