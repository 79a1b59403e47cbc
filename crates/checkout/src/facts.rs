//! Branch facts of a work tree from git and the configuration, read with two git processes.

use charrette_git::{Git, GitError};
use charrette_model::branch::{BranchContext, BranchState, MainBranch, user_prefix};
use charrette_model::config::{Settings, integrations};
use charrette_store::integrations::integrations_text;
use std::io;
use std::path::Path;

/// Lists the branches, the one checked out, and the target of the remote's HEAD.
const REFS: [&str; 4] =
    ["for-each-ref", "--format=%(HEAD)%00%(refname)%00%(symref)", "refs/heads", "refs/remotes/origin/HEAD"];

/// Reads the git settings in use here. Git prints keys in lower case.
const SETTINGS: [&str; 4] =
    ["config", "--null", "--get-regexp", r"^(user\.name|remote\.origin\.url|core\.sshcommand)$"];

/// Branch facts of a work tree, from git and the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchFacts {
    /// The branch that is checked out; empty if HEAD is detached.
    pub current: String,
    /// All local branches, including a checked-out one without commits.
    pub branches: Vec<String>,
    /// True if any branch has a commit.
    pub has_commits: bool,
    pub main: String,
    /// Prefix of this user's branches.
    pub user_prefix: String,
    /// Prefix of the tracker's branches; empty without a tracker.
    pub branch_prefix: String,
    /// Problem in the tracker's configuration.
    pub problem: Option<String>,
    /// True if there is a remote called origin.
    pub has_origin: bool,
    /// True if git's configuration sets `core.sshCommand`.
    pub has_ssh_command: bool,
    refs: Refs,
}

/// Failure to read the branch facts.
#[derive(Debug, thiserror::Error)]
pub enum BranchFactsError {
    #[error(transparent)]
    Git(#[from] GitError),
    /// The integrations file could not be read.
    #[error(transparent)]
    Integrations(#[from] io::Error),
}

impl BranchFacts {
    /// Reads the facts at the root of a work tree.
    pub fn read(root: &Path, settings: &Settings) -> Result<BranchFacts, BranchFactsError> {
        BranchFacts::from_refs(root, settings, Refs::read(Git::new(root))?)
    }

    /// Keeps the facts if no branch has moved, which takes one git process; otherwise reads them again.
    pub fn refresh(self, root: &Path, settings: &Settings) -> Result<BranchFacts, BranchFactsError> {
        let refs = Refs::read(Git::new(root))?;
        if refs == self.refs { Ok(self) } else { BranchFacts::from_refs(root, settings, refs) }
    }

    fn from_refs(root: &Path, settings: &Settings, refs: Refs) -> Result<BranchFacts, BranchFactsError> {
        let git = GitSettings::read(Git::new(root))?;
        let (branch_prefix, problem) = branch_prefix(root)?;
        let has_commits = !refs.branches.is_empty();
        let mut branches = refs.branches.clone();
        // In a new repository it is the only one there is.
        if !refs.current.is_empty() && !branches.contains(&refs.current) {
            branches.push(refs.current.clone());
        }
        let names: Vec<&str> = branches.iter().map(String::as_str).collect();
        let main = MainBranch {
            configured: settings.main_branch(),
            origin_head: refs.origin_head.as_deref(),
            branches: &names,
        };
        let main = main.name().to_owned();
        Ok(BranchFacts {
            current: refs.current.clone(),
            branches,
            has_commits,
            main,
            user_prefix: user_prefix(&git.user_name),
            branch_prefix,
            problem,
            has_origin: git.has_origin,
            has_ssh_command: git.has_ssh_command,
            refs,
        })
    }

    /// The facts as input for the branch rules. `created_for_feature` are the branches that charrette created.
    pub fn branch_context<'a>(&'a self, created_for_feature: &'a [&'a str]) -> BranchContext<'a> {
        BranchContext {
            main: &self.main,
            user_prefix: &self.user_prefix,
            branch_prefix: &self.branch_prefix,
            created_for_feature,
        }
    }

    /// State of the current branch.
    pub fn state(&self, created_for_feature: &[&str]) -> BranchState {
        BranchState::new(&self.current, &self.branch_context(created_for_feature))
    }
}

/// Branches of a repository, as git lists them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Refs {
    /// Empty if HEAD is detached.
    current: String,
    /// Branches with commits.
    branches: Vec<String>,
    /// For example `origin/main`.
    origin_head: Option<String>,
}

impl Refs {
    fn read(git: Git<'_>) -> Result<Refs, GitError> {
        let listed = git.text(&REFS)?;
        let mut refs = Refs::default();
        for line in listed.lines() {
            let mut fields = line.split('\0');
            let (mark, name, target) = (fields.next(), fields.next(), fields.next());
            match name.map(|name| name.strip_prefix("refs/heads/").ok_or(name)) {
                Some(Ok(branch)) => {
                    if mark == Some("*") {
                        branch.clone_into(&mut refs.current);
                    }
                    refs.branches.push(branch.to_owned());
                }
                Some(Err(_)) => {
                    refs.origin_head =
                        target.and_then(|target| target.strip_prefix("refs/remotes/")).map(str::to_owned);
                }
                None => {}
            }
        }
        // HEAD is detached, or on a branch without commits, which is in no list.
        if refs.current.is_empty() {
            refs.current = git.text(&["branch", "--show-current"])?;
        }
        Ok(refs)
    }
}

/// Git's own configuration, from the repository, the user and the system.
#[derive(Debug, Default)]
struct GitSettings {
    user_name: String,
    has_origin: bool,
    has_ssh_command: bool,
}

impl GitSettings {
    fn read(git: Git<'_>) -> Result<GitSettings, GitError> {
        let listed = match git.bytes(&SETTINGS) {
            Ok(listed) => listed,
            // None of them is set.
            Err(GitError::Failed { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut settings = GitSettings::default();
        for entry in String::from_utf8_lossy(&listed).split('\0') {
            // The last one counts; one without a value counts as empty.
            let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
            match key {
                "user.name" => value.clone_into(&mut settings.user_name),
                "remote.origin.url" => settings.has_origin = !value.is_empty(),
                "core.sshcommand" => settings.has_ssh_command = !value.is_empty(),
                _ => {}
            }
        }
        Ok(settings)
    }
}

/// Prefix of the tracker's branches, and the problem in its configuration, if any.
fn branch_prefix(root: &Path) -> io::Result<(String, Option<String>)> {
    Ok(match integrations::read(integrations_text(root)?.as_deref()) {
        Ok((integrations, _)) if integrations.linear.enabled => (integrations.linear.branch_prefix, None),
        Ok(_) => (String::new(), None),
        Err(problem) => (String::new(), Some(problem.to_string())),
    })
}
