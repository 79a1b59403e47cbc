//! The main branch and its remote: fetch, rebase of the local one, and new branches from it.

use crate::facts::BranchFacts;
use charrette_git::{CallError, Git, GitError, RemoteCallOptions};
use charrette_model::branch::create::{CreateError, is_safe_ref};
use charrette_model::checkpoint::CheckoutMove;
use std::path::Path;
use std::time::Duration;

/// Timeout of a fetch.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Main branch of a work tree. Its name is a safe ref: git cannot take it for an option or a path.
#[derive(Debug, Clone, Copy)]
pub struct Mainline<'a> {
    git: Git<'a>,
    facts: &'a BranchFacts,
}

impl<'a> Mainline<'a> {
    /// The main branch that the facts name; an error if the name is not a safe ref.
    pub fn new(root: &'a Path, facts: &'a BranchFacts) -> Result<Mainline<'a>, CreateError> {
        if is_safe_ref(&facts.main) {
            Ok(Mainline { git: Git::new(root), facts })
        } else {
            Err(CreateError::NotAName(facts.main.clone()))
        }
    }

    /// Fetches main. No other branch, no tag and no submodule is fetched.
    pub fn fetch(self, options: RemoteCallOptions<'_>) -> Result<(), CallError> {
        // Without a remote of that name, git would take the word for a path.
        if !self.facts.has_origin {
            return Err(CallError::Failed("there is no remote called origin".to_owned()));
        }
        let refspec = format!("+refs/heads/{}:{}", self.facts.main, self.remote());
        let flags = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc"];
        let args: Vec<&str> = ["fetch"].into_iter().chain(flags).chain(["origin", &refspec]).collect();
        let has_custom_ssh = options.has_custom_ssh || self.facts.has_ssh_command;
        self.git.call(&args, RemoteCallOptions { has_custom_ssh, ..options })
    }

    /// Move that brings the local main, which is checked out, up to date with the remote's as last fetched; none if it is.
    pub fn pending_move(self) -> Result<Option<CheckoutMove>, GitError> {
        let remote = self.remote();
        if self.git.succeeds(&["merge-base", "--is-ancestor", &remote, "HEAD"]) {
            return Ok(None);
        }
        self.move_to(&remote).map(Some)
    }

    /// The move from the commit that is checked out to another one.
    pub fn move_to(self, target: &str) -> Result<CheckoutMove, GitError> {
        let commit = |name: &str| self.git.text(&["rev-parse", "--verify", &format!("{name}^{{commit}}")]);
        Ok(CheckoutMove { from: commit("HEAD")?, to: commit(target)? })
    }

    /// Brings the local main, which is checked out, up to date with the remote's: by fast-forward if it has no commits of
    /// its own, else by a rebase. A rebase that fails is aborted.
    pub fn update(self) -> Result<(), GitError> {
        let remote = self.remote();
        if self.git.succeeds(&["merge-base", "--is-ancestor", "HEAD", &remote]) {
            return self.git.act(&["merge", "--quiet", "--ff-only", &remote]);
        }
        let rebased = self.git.act(&["rebase", "--quiet", &remote]);
        if rebased.is_err() {
            // If the rebase did not start, there is nothing to abort, and git says so.
            let _ = self.git.act(&["rebase", "--abort"]);
        }
        rebased
    }

    /// Start point of a new branch: the remote's main, else the local one; none without commits.
    pub fn start_point(self) -> Option<String> {
        let exists = |reference: &String| {
            self.git.succeeds(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])
        };
        [self.remote(), self.local()].into_iter().find(exists)
    }

    /// Number of commits that only the local main has, as text; none if there are none.
    pub fn unpublished_commits(self) -> Option<String> {
        let range = format!("{}..{}", self.remote(), self.local());
        self.git.find(&["rev-list", "--count", &range]).filter(|count| count != "0")
    }

    /// Creates a branch and switches to it, without visiting main. Git refuses if changes would be lost.
    pub fn create_branch(self, name: &str, start: &str) -> Result<(), GitError> {
        self.git.act(&["switch", "--quiet", "--no-track", "--create", name, start])
    }

    fn local(self) -> String {
        format!("refs/heads/{}", self.facts.main)
    }

    fn remote(self) -> String {
        format!("refs/remotes/origin/{}", self.facts.main)
    }
}
