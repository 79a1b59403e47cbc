//! `charrette branch`: what the current branch is, and a new one from main.

use crate::arguments::Global;
use crate::error::CommandError;
use crate::git::{Git, Undone};
use crate::site::Site;
use crate::studio::facts::Facts;
use crate::studio::mainline::{Mainline, PATIENCE};
use crate::{output, room};
use charrette_model::branch::create::{self, CreateError};
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
    if site.repository.is_none() {
        let message = format!("{} is not in a git repository", site.root.display());
        return Err(CommandError::failed(message).hint("Begin one: git init"));
    }
    let facts = Facts::find(&site.root, &site.settings)?;
    if let Some(problem) = &facts.problem {
        output::note(global, &format!("Warning: {problem}"));
    }
    match &args.command {
        BranchCommand::Check => output::answer(&facts.state(&[]).answer()),
        BranchCommand::Create { name } => match make(global, &site, &facts, name)? {
            Some(made) => output::answer(&create::answer(name, made)),
            None => Ok(ExitCode::from(130)),
        },
    }
}

/// Makes the branch; none if that was interrupted.
fn make(
    global: &Global,
    site: &Site,
    facts: &Facts,
    name: &str,
) -> Result<Option<Result<(), CreateError>>, CommandError> {
    let exists = facts.branches.iter().any(|branch| branch == name);
    let checked = create::check(name, &facts.surroundings(&[]), exists);
    let main = match checked.and_then(|()| Mainline::new(Git(&site.root), &facts.main)) {
        Ok(main) => main,
        Err(error) => return Ok(Some(Err(error))),
    };
    let fetched = match site.settings.fetch() {
        "off" => Ok(()),
        _ => fetch(site, &facts.main)?,
    };
    let name_of_main = shown(&facts.main);
    match fetched {
        Ok(()) => {}
        Err(Undone::Interrupted) => return Ok(None),
        Err(Undone::Failed(reason)) => {
            output::note(global, &format!("Warning: cannot fetch origin/{name_of_main}: {reason}"));
            if site.settings.fetch() == "fail" {
                return Ok(Some(Err(CreateError::Fetch(facts.main.clone()))));
            }
            output::note(global, &format!("Warning: {name_of_main} may be behind its remote"));
        }
    }
    let Some(start) = main.start() else {
        output::note(global, &format!("Warning: there is no commit on {name_of_main}"));
        return Ok(Some(Err(CreateError::Git(name.to_owned()))));
    };
    Ok(Some(main.fork(name, &start).map_err(|reason| {
        output::note(global, &reason);
        CreateError::Git(name.to_owned())
    })))
}

/// Asks the remote, on a thread, so that we hear when we shall end.
fn fetch(site: &Site, main: &str) -> Result<Result<(), Undone>, CommandError> {
    let (root, main) = (site.root.clone(), main.to_owned());
    room::with_agents(async move |cancel| {
        let asked = tokio::task::spawn_blocking(move || {
            let failed = |error: CreateError| Undone::Failed(error.to_string());
            Mainline::new(Git(&root), &main).map_err(failed)?.fetch(PATIENCE, &cancel)
        });
        asked.await.map_err(CommandError::failed)
    })
}
