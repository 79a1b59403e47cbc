//! `charrette branch`: what the current branch is, and a new one from main.

use crate::here::Here;
use crate::{output, runtime};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::ports;
use charrette_checkout::{FETCH_TIMEOUT, Facts, Mainline};
use charrette_git::{CallError, CallLimits};
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

pub(crate) fn branch(here: &Here, args: &BranchArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    if site.repository.is_none() {
        let message = format!("{} is not in a git repository", site.root.display());
        return Err(AppError::failed(message).hint("Begin one: git init"));
    }
    let facts = ports::facts(&site)?;
    if let Some(problem) = &facts.problem {
        output::note(here, &format!("Warning: {problem}"));
    }
    match &args.command {
        BranchCommand::Check => output::answer(&facts.state(&[]).answer()),
        BranchCommand::Create { name } => match make(here, &site, &facts, name)? {
            Some(made) => output::answer(&create::answer(name, made)),
            None => Ok(ExitCode::from(130)),
        },
    }
}

/// Makes the branch; none if that was interrupted.
fn make(
    here: &Here,
    site: &Site,
    facts: &Facts,
    name: &str,
) -> Result<Option<Result<(), CreateError>>, AppError> {
    let exists = facts.branches.iter().any(|branch| branch == name);
    let checked = create::check(name, &facts.surroundings(&[]), exists);
    let main = match checked.and_then(|()| Mainline::new(&site.root, facts)) {
        Ok(main) => main,
        Err(error) => return Ok(Some(Err(error))),
    };
    let fetched = match site.settings.fetch() {
        "off" => Ok(()),
        _ => fetch(site, facts)?,
    };
    let name_of_main = shown(&facts.main);
    match fetched {
        Ok(()) => {}
        Err(CallError::Cancelled) => return Ok(None),
        Err(reason) => {
            output::note(here, &format!("Warning: cannot fetch origin/{name_of_main}: {reason}"));
            if site.settings.fetch() == "fail" {
                return Ok(Some(Err(CreateError::Fetch(facts.main.clone()))));
            }
            output::note(here, &format!("Warning: {name_of_main} may be behind its remote"));
        }
    }
    let Some(start) = main.start() else {
        output::note(here, &format!("Warning: there is no commit on {name_of_main}"));
        return Ok(Some(Err(CreateError::Git(name.to_owned()))));
    };
    Ok(Some(main.fork(name, &start).map_err(|error| {
        output::note(here, &error.reason());
        CreateError::Git(name.to_owned())
    })))
}

/// Asks the remote, on a thread, so that we hear when we shall end.
fn fetch(site: &Site, facts: &Facts) -> Result<Result<(), CallError>, AppError> {
    let (root, facts) = (site.root.clone(), facts.clone());
    let ssh_is_chosen = site.environment.git_ssh_is_chosen();
    runtime::block_on(async move |cancel| {
        let asked = tokio::task::spawn_blocking(move || {
            let failed = |error: CreateError| CallError::Failed(error.to_string());
            let is_cancelled = || cancel.is_requested();
            let limits = CallLimits { timeout: FETCH_TIMEOUT, ssh_is_chosen, is_cancelled: &is_cancelled };
            Mainline::new(&root, &facts).map_err(failed)?.fetch(limits)
        });
        asked.await.map_err(AppError::failed)
    })
}
