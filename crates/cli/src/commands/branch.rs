//! `charrette branch`: what the current branch is, and a new one from main.

use crate::arguments::Global;
use crate::commands::config::integrations_text;
use crate::error::CommandError;
use crate::git::Git;
use crate::output;
use crate::site::Site;
use charrette_model::branch::create::{self, CreateError, is_safe_ref};
use charrette_model::branch::{BranchState, MainBranch, Surroundings, user_prefix};
use charrette_model::config::integrations;
use charrette_model::shown::shown;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Look at the current branch, or make one
#[derive(Debug, Args)]
pub(crate) struct BranchArgs {
    #[command(subcommand)]
    command: BranchCommand,
}

#[derive(Debug, Subcommand)]
enum BranchCommand {
    /// Print `CURRENT_BRANCH`, `IS_MAIN`, `IS_USER_BRANCH` and `USER_PREFIX`, each as `KEY=VALUE`
    Check,
    /// Make a branch from the remote's main, go there, and print `BRANCH_NAME` and `ACTION=created`
    ///
    /// Exit 1 if there is such a branch already, 2 if the name does not start with the user's prefix or git
    /// refuses. Uncommitted changes come along; git refuses if they would be lost.
    Create {
        /// The name, which starts with the user's prefix and a slash
        #[arg(allow_hyphen_values = true)]
        name: String,
    },
}

pub(crate) fn branch(global: &Global, args: &BranchArgs) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let facts = Facts::find(global, &site)?;
    match &args.command {
        BranchCommand::Check => {
            output::answer(&BranchState::of(&facts.current, &facts.surroundings()).answer())
        }
        BranchCommand::Create { name } => {
            output::answer(&create::answer(name, make(global, &site, &facts, name)))
        }
    }
}

/// What git and the configuration say about branches here.
struct Facts {
    current: String,
    branches: Vec<String>,
    main: String,
    user_prefix: String,
    branch_prefix: String,
}

impl Facts {
    fn find(global: &Global, site: &Site) -> Result<Facts, CommandError> {
        if site.repository.is_none() {
            let message = format!("{} is not in a git repository", site.root.display());
            return Err(CommandError::failed(message).hint("Begin one: git init"));
        }
        let git = Git(&site.root);
        let current = git.print(&["branch", "--show-current"])?;
        let listed = git.print(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"])?;
        let mut branches: Vec<String> = listed.lines().map(str::to_owned).collect();
        // A branch without commits is not listed, but in a new repository it is the only one there is.
        if !current.is_empty() && !branches.contains(&current) {
            branches.push(current.clone());
        }
        let origin_head = git.find(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
        let names: Vec<&str> = branches.iter().map(String::as_str).collect();
        let main = MainBranch {
            configured: site.settings.main_branch(),
            origin_head: origin_head.as_deref().and_then(|head| head.strip_prefix("refs/remotes/")),
            branches: &names,
        };
        let main = main.name().to_owned();
        let user_name = git.find(&["config", "user.name"]).unwrap_or_default();
        let branch_prefix = branch_prefix(global, site)?;
        Ok(Facts { current, branches, main, user_prefix: user_prefix(&user_name), branch_prefix })
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            main: &self.main,
            user_prefix: &self.user_prefix,
            branch_prefix: &self.branch_prefix,
            made_here: &[],
        }
    }
}

/// What the tracker's branches start with, if there is a tracker.
fn branch_prefix(global: &Global, site: &Site) -> Result<String, CommandError> {
    match integrations::read(integrations_text(site)?.as_deref()) {
        Ok((integrations, _)) if integrations.linear.enabled => Ok(integrations.linear.branch_prefix),
        Ok(_) => Ok(String::new()),
        Err(problem) => {
            output::note(global, &format!("Warning: {problem}"));
            Ok(String::new())
        }
    }
}

fn make(global: &Global, site: &Site, facts: &Facts, name: &str) -> Result<(), CreateError> {
    create::check(name, &facts.surroundings(), facts.branches.iter().any(|branch| branch == name))?;
    let main = &facts.main;
    if !is_safe_ref(main) {
        return Err(CreateError::NotAName(main.clone()));
    }
    let git = Git(&site.root);
    let remote = format!("refs/remotes/origin/{main}");
    let fetched = match site.settings.fetch() {
        "off" => Ok(()),
        _ => fetch(git, main, &remote),
    };
    if let Err(reason) = fetched {
        output::note(global, &format!("Warning: cannot fetch origin/{main}: {reason}"));
        if site.settings.fetch() == "fail" {
            return Err(CreateError::Fetch(main.clone()));
        }
        output::note(global, &format!("Warning: {main} may be behind its remote"));
    }
    let is_there = |reference: &String| {
        git.find(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")]).is_some()
    };
    let start = [remote, format!("refs/heads/{main}")].into_iter().find(is_there);
    let Some(start) = start else {
        output::note(global, &format!("Warning: there is no commit on {}", shown(main)));
        return Err(CreateError::Git(name.to_owned()));
    };
    git.act(&["switch", "--quiet", "--no-track", "--create", name, &start]).map_err(|reason| {
        output::note(global, &reason);
        CreateError::Git(name.to_owned())
    })
}

/// Without a remote of that name, git would take the word for a path.
fn fetch(git: Git<'_>, main: &str, remote: &str) -> Result<(), String> {
    if git.find(&["config", "remote.origin.url"]).is_none() {
        return Err("there is no remote called origin".to_owned());
    }
    git.act(&["fetch", "--quiet", "--no-tags", "origin", &format!("+refs/heads/{main}:{remote}")])
}
