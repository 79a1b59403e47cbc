//! A home and a repository to install into.

use charrette_hosts::{Client, Plan, Receipts, Scope, UserFolders, apply, plan_installation, plan_removal};
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

    pub(crate) fn plan(&self, client: Client, scope: &Scope) -> Plan {
        plan_installation(&[client], scope, &self.receipts())
    }

    pub(crate) fn plan_removal(&self, client: Client, scope: &Scope) -> Plan {
        plan_removal(&[client], scope, &self.receipts())
    }

    /// Installs and returns the number of changed files.
    pub(crate) fn install(&self, client: Client, scope: &Scope) -> usize {
        self.carry_out(&self.plan(client, scope))
    }

    pub(crate) fn remove(&self, client: Client, scope: &Scope) -> usize {
        self.carry_out(&self.plan_removal(client, scope))
    }

    pub(crate) fn carry_out(&self, plan: &Plan) -> usize {
        assert_eq!(plan.problems, [], "the plan has no problems");
        apply(plan, &mut self.receipts(), &self.state()).unwrap();
        plan.changes.len()
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
