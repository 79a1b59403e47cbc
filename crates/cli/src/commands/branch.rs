//! `charrette branch`: checks the current branch, and creates a branch from the main branch.

use crate::invocation::Invocation;
use crate::{output, runtime};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::checkout_lease::lease_this_checkout;
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::missing_repository::no_repository;
use charrette_app::ports;
use charrette_checkout::{BranchFacts, FETCH_TIMEOUT, Mainline};
use charrette_git::{CallError, RemoteCallOptions};
use charrette_model::branch::create::{self, CreateError};
use charrette_model::escape::printable;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Check the current branch, or create one
#[derive(Debug, Args)]
pub(crate) struct BranchArgs {
    #[command(subcommand)]
    command: BranchCommand,
}

#[derive(Debug, Subcommand)]
enum BranchCommand {
    /// Print `CURRENT_BRANCH`, `IS_MAIN`, `IS_USER_BRANCH` and `USER_PREFIX`, each as `KEY=VALUE`
    Check,
    /// Create a branch from origin/main, switch to it, and print `BRANCH_NAME` and `ACTION=created`
    ///
    /// Exit 1 if the branch already exists, 2 if its name does not start with the user prefix or git fails.
    /// Uncommitted changes are carried over; git fails if they would be overwritten. Refused (exit 4) while a run is driven
    /// in this checkout, and inside an agent.
    Create {
        /// Name of the branch: the user prefix, a slash, and the rest
        #[arg(allow_hyphen_values = true)]
        name: String,
    },
}

pub(crate) fn branch(invocation: &Invocation, args: &BranchArgs) -> Result<ExitCode, AppError> {
    let site = invocation.plumbing_site()?;
    if site.repository.is_none() {
        return Err(no_repository(&site));
    }
    let facts = ports::facts(&site)?;
    if let Some(problem) = &facts.problem {
        output::note(invocation, &format!("Warning: {problem}"));
    }
    match &args.command {
        BranchCommand::Check => output::print_answer(&facts.state(&[]).answer()),
        BranchCommand::Create { name } => {
            refuse_inside_agent(&site, "move this checkout")?;
            // Held while HEAD moves. Where no run was ever driven there is nothing to hold.
            let is_used = site.documents().folder().path().is_dir();
            let _checkout = is_used.then(|| lease_this_checkout(&site)).transpose()?;
            match create_branch(invocation, &site, &facts, name)? {
                Some(created) => output::print_answer(&create::answer(name, created)),
                None => Ok(ExitCode::from(130)),
            }
        }
    }
}

/// Creates the branch; none if interrupted.
fn create_branch(
    invocation: &Invocation,
    site: &Site,
    facts: &BranchFacts,
    name: &str,
) -> Result<Option<Result<(), CreateError>>, AppError> {
    let exists = facts.branches.iter().any(|branch| branch == name);
    let checked = create::check(name, &facts.branch_context(&[]), exists);
    let main = match checked.and_then(|()| Mainline::new(&site.root, facts)) {
        Ok(main) => main,
        Err(error) => return Ok(Some(Err(error))),
    };
    let fetched = match site.settings.fetch() {
        "off" => Ok(()),
        _ => fetch(site, facts)?,
    };
    let main_name = printable(&facts.main);
    match fetched {
        Ok(()) => {}
        Err(CallError::Cancelled) => return Ok(None),
        Err(reason) => {
            output::note(invocation, &format!("Warning: cannot fetch origin/{main_name}: {reason}"));
            if site.settings.fetch() == "fail" {
                return Ok(Some(Err(CreateError::Fetch(facts.main.clone()))));
            }
            output::note(invocation, &format!("Warning: {main_name} may be behind its remote"));
        }
    }
    let Some(start) = main.start_point() else {
        output::note(invocation, &format!("Warning: branch {main_name} has no commits"));
        return Ok(Some(Err(CreateError::Git(name.to_owned()))));
    };
    Ok(Some(main.create_branch(name, &start).map_err(|error| {
        output::note(invocation, &error.reason());
        CreateError::Git(name.to_owned())
    })))
}

/// Fetches the main branch on a blocking thread, so that signals can cancel it.
fn fetch(site: &Site, facts: &BranchFacts) -> Result<Result<(), CallError>, AppError> {
    let (root, facts) = (site.root.clone(), facts.clone());
    let has_custom_ssh = site.environment.has_custom_git_ssh();
    runtime::block_on(async move |cancel| {
        let fetched = tokio::task::spawn_blocking(move || {
            let failed = |error: CreateError| CallError::Failed(error.to_string());
            let is_cancelled = || cancel.is_requested();
            let options =
                RemoteCallOptions { timeout: FETCH_TIMEOUT, has_custom_ssh, is_cancelled: &is_cancelled };
            Mainline::new(&root, &facts).map_err(failed)?.fetch(options)
        });
        fetched.await.map_err(AppError::failed)
    })
}
