//! What git and the configuration say about branches in a work tree, found with two git processes.

use charrette_git::{Git, GitError};
use charrette_model::branch::{BranchState, MainBranch, Surroundings, user_prefix};
use charrette_model::config::{Settings, integrations};
use charrette_store::integrations::integrations_text;
use std::io;
use std::path::Path;

/// Branches, which of them is checked out, and what the remote's HEAD points to.
const REFS: [&str; 4] =
    ["for-each-ref", "--format=%(HEAD)%00%(refname)%00%(symref)", "refs/heads", "refs/remotes/origin/HEAD"];

/// The settings of git's that matter here. Git prints keys in lower case.
const SETTINGS: [&str; 4] =
    ["config", "--null", "--get-regexp", r"^(user\.name|remote\.origin\.url|core\.sshcommand)$"];

/// What git and the configuration say about branches in a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The branch that is checked out; empty if HEAD is detached.
    pub current: String,
    /// All local branches. One without commits is not really there, but it counts as long as it is checked out.
    pub branches: Vec<String>,
    /// Whether any branch has a commit.
    pub has_commits: bool,
    /// The main branch.
    pub main: String,
    /// What the branches of this user start with.
    pub user_prefix: String,
    /// What the tracker's branches start with; empty if there is no tracker.
    pub branch_prefix: String,
    /// What is wrong with the tracker's configuration.
    pub problem: Option<String>,
    /// Whether there is a remote called origin.
    pub has_origin: bool,
    /// Whether git's configuration names the program that reaches remotes.
    pub has_ssh_command: bool,
    refs: Refs,
}

/// Why the facts could not be found.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// Git could not say.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The file of integrations could not be read.
    #[error(transparent)]
    Integrations(#[from] io::Error),
}

impl Facts {
    /// Asks at the top of a work tree.
    pub fn find(root: &Path, settings: &Settings) -> Result<Facts, FactsError> {
        Facts::with(root, settings, Refs::read(Git::new(root))?)
    }

    /// The same facts if no branch has moved since they were found, which takes one git process; otherwise new ones.
    pub fn renewed(self, root: &Path, settings: &Settings) -> Result<Facts, FactsError> {
        let refs = Refs::read(Git::new(root))?;
        if refs == self.refs { Ok(self) } else { Facts::with(root, settings, refs) }
    }

    fn with(root: &Path, settings: &Settings, refs: Refs) -> Result<Facts, FactsError> {
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
        Ok(Facts {
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

    /// The same, for the rules. `made_here` are the branches that charrette made for this feature.
    pub fn surroundings<'a>(&'a self, made_here: &'a [&'a str]) -> Surroundings<'a> {
        Surroundings {
            main: &self.main,
            user_prefix: &self.user_prefix,
            branch_prefix: &self.branch_prefix,
            made_here,
        }
    }

    /// What the current branch is.
    pub fn state(&self, made_here: &[&str]) -> BranchState {
        BranchState::of(&self.current, &self.surroundings(made_here))
    }
}

/// The branches of a repository, as git lists them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Refs {
    /// Empty if HEAD is detached.
    current: String,
    /// Those with commits.
    branches: Vec<String>,
    /// As `origin/main`.
    origin_head: Option<String>,
}

impl Refs {
    fn read(git: Git<'_>) -> Result<Refs, GitError> {
        let listed = git.print(&REFS)?;
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
            refs.current = git.print(&["branch", "--show-current"])?;
        }
        Ok(refs)
    }
}

/// What git's own configuration says, in the repository and elsewhere.
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
            Err(error @ GitError::NotRun(_)) => return Err(error),
        };
        let mut settings = GitSettings::default();
        for entry in String::from_utf8_lossy(&listed).split('\0') {
            // The last one counts, and one without a value says nothing.
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

/// What the tracker's branches start with, if there is a tracker; and what is wrong with its configuration.
fn branch_prefix(root: &Path) -> io::Result<(String, Option<String>)> {
    Ok(match integrations::read(integrations_text(root)?.as_deref()) {
        Ok((integrations, _)) if integrations.linear.enabled => (integrations.linear.branch_prefix, None),
        Ok(_) => (String::new(), None),
        Err(problem) => (String::new(), Some(problem.to_string())),
    })
}
