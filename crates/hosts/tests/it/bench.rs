//! A home and a repository to install into.

use charrette_hosts::{
    Client, ClientParts, Part, Plan, Receipts, Scope, Selection, Skill, UserFolders, apply,
    plan_installation, plan_removal,
};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

pub(crate) struct Bench {
    pub(crate) sandbox: Sandbox,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench { sandbox: Sandbox::new() }
    }

    pub(crate) fn repository(&self) -> Scope {
        Scope::Repository(self.root())
    }

    pub(crate) fn user(&self) -> Scope {
        Scope::User(UserFolders::below(&self.sandbox.home().canonicalize().unwrap()))
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.sandbox.work().canonicalize().unwrap()
    }

    fn state(&self) -> PathBuf {
        self.sandbox.home().join("state")
    }

    fn receipts(&self) -> Receipts {
        Receipts::read(&self.state()).unwrap()
    }

    /// Plans the installation of hooks and of the pages about formats.
    pub(crate) fn plan(&self, client: Client, scope: &Scope) -> Plan {
        self.plan_parts(&[client], scope, &HOOKS)
    }

    pub(crate) fn plan_parts(&self, clients: &[Client], scope: &Scope, parts: &[Part]) -> Plan {
        plan_installation(&selection(clients, scope, parts), &self.receipts())
    }

    /// Installs hooks and pages and returns the number of changed files.
    pub(crate) fn install(&self, client: Client, scope: &Scope) -> usize {
        self.carry_out(&self.plan(client, scope))
    }

    pub(crate) fn install_parts(&self, clients: &[Client], scope: &Scope, parts: &[Part]) -> usize {
        self.carry_out(&self.plan_parts(clients, scope, parts))
    }

    pub(crate) fn remove(&self, client: Client, scope: &Scope) -> usize {
        self.remove_parts(&[client], scope, &Part::ALL)
    }

    pub(crate) fn remove_parts(&self, clients: &[Client], scope: &Scope, parts: &[Part]) -> usize {
        self.carry_out(&plan_removal(&selection(clients, scope, parts), &self.receipts()))
    }

    pub(crate) fn carry_out(&self, plan: &Plan) -> usize {
        assert_eq!(plan.problems, [], "the plan has no problems");
        apply(plan, &mut self.receipts(), &self.state()).unwrap();
        plan.changes.len()
    }
}

const HOOKS: [Part; 2] = [Part::Hooks, Part::Formats];

/// Everything of these parts, with two skills.
pub(crate) fn selection(clients: &[Client], scope: &Scope, parts: &[Part]) -> Selection {
    let skill = |name: &str| Skill {
        name: name.to_owned(),
        text: format!("---\nname: {name}\ndescription: About {name}.\n---\n\n# {name}\n"),
    };
    Selection {
        scope: scope.clone(),
        clients: clients
            .iter()
            .map(|client| ClientParts { client: *client, parts: parts.to_vec() })
            .collect(),
        has_formats: parts.contains(&Part::Formats),
        skills: vec![skill("design"), skill("status")],
    }
}

/// All files below a folder with their contents; links as their target.
pub(crate) fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            found.push((path.clone(), b"folder".to_vec()));
            found.extend(snapshot(&path));
        } else if meta.is_symlink() {
            found.push((
                path.clone(),
                fs_err::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
            ));
        } else {
            found.push((path.clone(), fs_err::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
