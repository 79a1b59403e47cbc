//! Main and its remote: fetching it, bringing the local one up to date, and making branches from it.

use crate::facts::Facts;
use charrette_git::{CallError, CallLimits, Git, GitError};
use charrette_model::branch::create::{CreateError, is_safe_ref};
use std::path::Path;
use std::time::Duration;

/// How long a remote may take to answer.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// The main branch of a work tree. Its name is one that nothing takes for an option or a path.
#[derive(Debug, Clone, Copy)]
pub struct Mainline<'a> {
    git: Git<'a>,
    facts: &'a Facts,
}

impl<'a> Mainline<'a> {
    /// The main branch that these facts name; refused if its name is none.
    pub fn new(root: &'a Path, facts: &'a Facts) -> Result<Mainline<'a>, CreateError> {
        if is_safe_ref(&facts.main) {
            Ok(Mainline { git: Git::new(root), facts })
        } else {
            Err(CreateError::NotAName(facts.main.clone()))
        }
    }

    /// Asks the remote what it has. No other branch, no tag and no submodule is fetched.
    pub fn fetch(self, limits: CallLimits<'_>) -> Result<(), CallError> {
        // Without a remote of that name, git would take the word for a path.
        if !self.facts.has_origin {
            return Err(CallError::Failed("there is no remote called origin".to_owned()));
        }
        let what = format!("+refs/heads/{}:{}", self.facts.main, self.remote());
        let options = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc"];
        let args: Vec<&str> = ["fetch"].into_iter().chain(options).chain(["origin", &what]).collect();
        let ssh_is_chosen = limits.ssh_is_chosen || self.facts.has_ssh_command;
        self.git.call(&args, CallLimits { ssh_is_chosen, ..limits })
    }

    /// Puts what is on the local main, which is checked out, on top of what the remote had when it was last asked.
    /// True if anything moved. If it does not go, everything is as before.
    pub fn catch_up(self) -> Result<bool, GitError> {
        let remote = self.remote();
        if self.git.agrees(&["merge-base", "--is-ancestor", &remote, "HEAD"]) {
            return Ok(false);
        }
        let done = self.git.act(&["rebase", "--quiet", &remote]);
        if done.is_err() {
            // If it did not even begin, there is nothing to abort, and git says so.
            let _ = self.git.act(&["rebase", "--abort"]);
        }
        done.map(|()| true)
    }

    /// Where a new branch starts: the remote's main, else the local one; none without commits.
    pub fn start(self) -> Option<String> {
        let is_there = |reference: &String| {
            self.git.agrees(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])
        };
        [self.remote(), self.local()].into_iter().find(is_there)
    }

    /// The commits that are on the local main only, as far as there is one: `3`.
    pub fn unpublished(self) -> Option<String> {
        let range = format!("{}..{}", self.remote(), self.local());
        self.git.find(&["rev-list", "--count", &range]).filter(|count| count != "0")
    }

    /// Makes a branch and goes there, without visiting main. Git refuses if changes would be lost.
    pub fn fork(self, name: &str, start: &str) -> Result<(), GitError> {
        self.git.act(&["switch", "--quiet", "--no-track", "--create", name, start])
    }

    fn local(self) -> String {
        format!("refs/heads/{}", self.facts.main)
    }

    fn remote(self) -> String {
        format!("refs/remotes/origin/{}", self.facts.main)
    }
}
