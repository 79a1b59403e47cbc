//! What git and the configuration say about branches here.

use crate::commands::config::integrations_text;
use crate::error::CommandError;
use crate::git::Git;
use charrette_model::branch::{BranchState, MainBranch, Surroundings, user_prefix};
use charrette_model::config::{Settings, integrations};
use std::path::Path;

/// What git and the configuration say about branches in a work tree.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// The branch that is checked out; empty if HEAD is detached.
    pub(crate) current: String,
    /// All local branches. One without commits is not really there, but it counts as long as it is checked out.
    pub(crate) branches: Vec<String>,
    /// Whether any branch has a commit.
    pub(crate) has_commits: bool,
    pub(crate) main: String,
    pub(crate) user_prefix: String,
    pub(crate) branch_prefix: String,
    /// What is wrong with the tracker's configuration.
    pub(crate) problem: Option<String>,
}

impl Facts {
    /// Asks at the top of a work tree.
    pub(crate) fn find(root: &Path, settings: &Settings) -> Result<Facts, CommandError> {
        let git = Git(root);
        let current = git.print(&["branch", "--show-current"])?;
        let listed = git.print(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"])?;
        let mut branches: Vec<String> = listed.lines().map(str::to_owned).collect();
        let has_commits = !branches.is_empty();
        // In a new repository it is the only one there is.
        if !current.is_empty() && !branches.contains(&current) {
            branches.push(current.clone());
        }
        let origin_head = git.find(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
        let names: Vec<&str> = branches.iter().map(String::as_str).collect();
        let main = MainBranch {
            configured: settings.main_branch(),
            origin_head: origin_head.as_deref().and_then(|head| head.strip_prefix("refs/remotes/")),
            branches: &names,
        };
        let main = main.name().to_owned();
        let user_name = git.find(&["config", "user.name"]).unwrap_or_default();
        let (branch_prefix, problem) = branch_prefix(root)?;
        let user_prefix = user_prefix(&user_name);
        Ok(Facts { current, branches, has_commits, main, user_prefix, branch_prefix, problem })
    }

    /// The same, for the rules. `made_here` are the branches that charrette made for this feature.
    pub(crate) fn surroundings<'a>(&'a self, made_here: &'a [&'a str]) -> Surroundings<'a> {
        Surroundings {
            main: &self.main,
            user_prefix: &self.user_prefix,
            branch_prefix: &self.branch_prefix,
            made_here,
        }
    }

    /// What the current branch is.
    pub(crate) fn state(&self, made_here: &[&str]) -> BranchState {
        BranchState::of(&self.current, &self.surroundings(made_here))
    }
}

/// What the tracker's branches start with, if there is a tracker; and what is wrong with its configuration.
fn branch_prefix(root: &Path) -> Result<(String, Option<String>), CommandError> {
    Ok(match integrations::read(integrations_text(root)?.as_deref()) {
        Ok((integrations, _)) if integrations.linear.enabled => (integrations.linear.branch_prefix, None),
        Ok(_) => (String::new(), None),
        Err(problem) => (String::new(), Some(problem.to_string())),
    })
}
