//! `charrette doctor`: checks the installation and the repository, and prints a fix for each problem.

use crate::commands::hook_checks;
use crate::invocation::Invocation;
use crate::{output, runtime};
use charrette_agents::orphans::find_orphans;
use charrette_agents::pool::drivers_folder;
use charrette_agents::profile::Agent;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::missing_repository::no_repository;
use charrette_app::trust::TrustState;
use charrette_app::{agent_pool, health_file, sandbox as app_sandbox, tracker as app_tracker};
use charrette_checkout::unfinished_rebase;
use charrette_engine::Cancel;
use charrette_engine::ports::TrackerState;
use charrette_git::{Git, LockFile};
use charrette_integrations::linear::{LinearError, LinearOptions, LinearTracker};
use charrette_model::escape::printable;
use charrette_store::gc::Retention;
use clap::Args;
use serde::Serialize;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Free disk space below which doctor warns.
const LOW_DISK_BYTES: u64 = 1 << 30;
/// Free disk space below which doctor fails.
const MIN_DISK_BYTES: u64 = 50 << 20;
/// Oldest supported version of git.
const MIN_GIT_VERSION: (u32, u32) = (2, 31);

/// Check the installation and the repository, and print fixes
///
/// Checks git, the repository, configuration, agents, their hooks, the issue tracker, folders, disk space, stale files and orphaned
/// agent processes. Exit 1 if a check fails.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Prove only that the installed hooks hold: real clients, a scripted model on this machine, a throw-away home
    #[arg(long)]
    prove_hooks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    Warn,
    Fail,
}

/// Result of one check.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    #[serde(rename = "check")]
    name: &'static str,
    status: Status,
    #[serde(rename = "found")]
    finding: String,
    /// Command or advice that fixes the problem.
    cure: Option<String>,
}

pub(super) fn ok(name: &'static str, finding: impl Into<String>) -> Check {
    Check { name, status: Status::Ok, finding: finding.into(), cure: None }
}

pub(super) fn warn(name: &'static str, finding: impl Into<String>, cure: impl Into<String>) -> Check {
    Check { name, status: Status::Warn, finding: finding.into(), cure: Some(cure.into()) }
}

pub(super) fn fail(name: &'static str, finding: impl Into<String>, cure: impl Into<String>) -> Check {
    Check { name, status: Status::Fail, finding: finding.into(), cure: Some(cure.into()) }
}

pub(crate) fn doctor(invocation: &Invocation, args: &DoctorArgs) -> Result<ExitCode, AppError> {
    let site = invocation.silent_site()?;
    if args.prove_hooks {
        return report(invocation, &hook_checks::proofs(&site)?);
    }
    let mut checks = vec![git_program(), repository(&site), identity(&site)];
    checks.extend(configuration(&site));
    checks.extend(trust(&site));
    checks.extend(agents(&site));
    checks.extend(hook_checks::installed(&site));
    checks.extend(sandbox(&site));
    checks.extend(folders(&site));
    checks.extend(tracker(&site));
    checks.push(disk(&site));
    checks.extend(git_locks(&site));
    checks.extend(git_rebase(&site));
    checks.push(stale_files(&site));
    checks.push(orphans(&site));
    report(invocation, &checks)
}

fn report(invocation: &Invocation, checks: &[Check]) -> Result<ExitCode, AppError> {
    let failed = checks.iter().any(|check| check.status == Status::Fail);
    if invocation.json {
        output::print_json(&json!({"checks": checks, "healthy": !failed}))?;
    } else {
        for check in checks {
            let mark = match check.status {
                Status::Ok => "ok  ",
                Status::Warn => "warn",
                Status::Fail => "FAIL",
            };
            output::print_line(&format!("{mark}  {}: {}", check.name, check.finding))?;
            if let Some(cure) = &check.cure {
                output::print_line(&format!("      -> {cure}"))?;
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Kernel sandbox of agents, and the services that it does not hold.
fn sandbox(site: &Site) -> Vec<Check> {
    let config = app_sandbox::sandbox_config(site);
    let finding = app_sandbox::summary(&config);
    let state = match config.missing() {
        Some(missing) => fail(
            "sandbox",
            missing,
            "Use a kernel from Linux 6.2 on with Landlock, or set sandbox.mode = \"auto\"",
        ),
        None if config.is_full() => ok("sandbox", finding),
        None => warn("sandbox", finding, "docs/security.md says what that means and what enforces it"),
    };
    let services = app_sandbox::reachable_services(site);
    let services: Vec<String> =
        services.iter().map(|path| printable(&path.display().to_string()).to_string()).collect();
    let reachable = (!services.is_empty())
        .then(|| ok("services", format!("agents can reach {}, sandbox or not", services.join(", "))));
    [state].into_iter().chain(reachable).collect()
}

fn git_program() -> Check {
    let Some(text) = Git::new(Path::new(".")).find(&["--version"]) else {
        return fail("git", "not found", "Install git and put it on PATH");
    };
    let version =
        text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("?");
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let numbers = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if numbers < MIN_GIT_VERSION {
        let cure = format!("Install git {}.{} or newer", MIN_GIT_VERSION.0, MIN_GIT_VERSION.1);
        return warn("git", format!("version {version} is too old"), cure);
    }
    ok("git", version)
}

fn repository(site: &Site) -> Check {
    match &site.repository {
        Some(_) if !Git::new(&site.root).succeeds(&["rev-parse", "--verify", "-q", "HEAD"]) => {
            warn("repository", "no commits yet", "git commit --allow-empty -m \"First commit\"")
        }
        Some(_) => ok("repository", printable(&site.root.display().to_string()).to_string()),
        None => {
            let problem = no_repository(site);
            fail("repository", problem.message, problem.hints.join("; "))
        }
    }
}

/// A rebase that somebody has begun, or a git that was killed.
fn git_rebase(site: &Site) -> Option<Check> {
    site.repository.as_ref()?;
    let folder = unfinished_rebase(&site.root)?;
    let finding = format!("not finished: {}", printable(&folder.display().to_string()));
    let cure = "Resume the run that began it, or git rebase --continue, or take it back: git rebase --abort";
    Some(warn("git rebase", finding, cure))
}

/// Lock files that a killed git left behind.
fn git_locks(site: &Site) -> Vec<Check> {
    let Some(repository) = &site.repository else { return Vec::new() };
    let locks = LockFile::find_everywhere(repository.git_dir(), repository.common_dir());
    let check = |lock: &LockFile| {
        let path = lock.path.display();
        match (lock.holder, lock.git_at_work) {
            (Some(pid), _) => ok("git lock", format!("{path} is held by process {pid}")),
            (None, Some(_)) => ok("git lock", lock.describe()),
            (None, None) => warn("git lock", lock.describe(), lock.cure()),
        }
    };
    locks.iter().map(check).collect()
}

fn identity(site: &Site) -> Check {
    let git = Git::new(&site.root);
    match (git.find(&["config", "user.name"]), git.find(&["config", "user.email"])) {
        (Some(name), Some(_)) => ok("identity", printable(name.trim()).to_string()),
        _ => warn(
            "identity",
            "user.name or user.email is not set in git",
            "git config --global user.name NAME && git config --global user.email ADDRESS",
        ),
    }
}

fn configuration(site: &Site) -> Vec<Check> {
    let (_, agent_problems) = agent_pool::roster(site);
    let problems = site.problems.iter().map(|problem| problem.message().to_owned()).chain(agent_problems);
    let mut checks: Vec<Check> = problems
        .map(|problem| warn("configuration", problem, "Show all settings: charrette config show"))
        .collect();
    if checks.is_empty() {
        let files: Vec<String> = site
            .layers
            .iter()
            .filter(|file| file.present)
            .map(|file| file.path.display().to_string())
            .collect();
        let finding = if files.is_empty() { "defaults only".to_owned() } else { files.join(", ") };
        checks.push(ok("configuration", finding));
    }
    checks
}

/// Checks the trust in what this repository makes charrette run or send, if it does.
fn trust(site: &Site) -> Vec<Check> {
    let mut checks = Vec::new();
    let digest = site.trust.manifest.digest();
    match &site.trust.state {
        TrustState::NotNeeded => {}
        TrustState::Accepted { at } => checks.push(ok("trust", format!("accepted on {at}"))),
        TrustState::Given => checks.push(ok("trust", format!("given for {digest}"))),
        TrustState::Unseen => {
            let finding = "any content is used unseen, because of --trust or CHARRETTE_TRUST";
            checks.push(warn("trust", finding, "charrette trust"));
        }
        TrustState::Untrusted => {
            let finding = match site.trust.manifest.items().len() {
                1 => "1 setting of this repository is not trusted and not used".to_owned(),
                count => format!("{count} settings of this repository are not trusted and not used"),
            };
            checks.push(warn("trust", finding, "charrette trust"));
        }
    }
    if let Some(problem) = &site.trust.problem {
        let cure = problem.cure.clone().unwrap_or_else(|| "Answer again: charrette trust".to_owned());
        checks.push(warn("trust", problem.message.clone(), cure));
    }
    checks
}

fn agents(site: &Site) -> Vec<Check> {
    let (roster, _) = agent_pool::roster(site);
    let host = agent_pool::host_environment(site);
    let installed: Vec<&Agent> = roster.all().filter(|agent| agent.is_installed(&host)).collect();
    if installed.is_empty() {
        let cure = "Install an agent. List supported agents: charrette agents";
        return vec![warn("agents", "none installed", cure)];
    }
    let known = health_file::read(&agent_pool::state_folder(site));
    let sandbox = app_sandbox::sandbox_config(site);
    let check = |agent: &&Agent| {
        let name = &agent.name;
        let version = agent.version(&host, &roster, &sandbox);
        let shown_version =
            version.as_deref().map_or_else(String::new, |version| format!(" {}", printable(version)));
        let is_untested = version
            .as_deref()
            .is_some_and(|version| !agent.profile.tested.is_empty() && !agent.is_tested(version));
        match known.get(name).and_then(|health| health.reason.as_deref()) {
            Some(reason) => {
                let login =
                    agent.profile.login.as_ref().map(|login| format!("{login}; then ")).unwrap_or_default();
                warn(
                    "agent",
                    format!("{name}{shown_version} failed its last health check: {}", printable(reason)),
                    format!("{login}charrette agents probe {name}"),
                )
            }
            None if is_untested => warn(
                "agent",
                format!(
                    "{name}{shown_version} is an untested version; tested: {}",
                    agent.profile.tested.join(", ")
                ),
                format!("charrette agents probe {name}"),
            ),
            None => ok("agent", format!("{name}{shown_version}")),
        }
    };
    installed.iter().map(check).collect()
}

/// Checks the issue tracker, if it is enabled.
fn tracker(site: &Site) -> Option<Check> {
    let tracker = app_tracker::tracker(site, &Cancel::default());
    match &tracker.state {
        TrackerState::NotConfigured | TrackerState::Off => None,
        TrackerState::Unusable(why) => {
            Some(fail("linear", why.clone(), "Fix or delete .claude/config/integrations.json"))
        }
        TrackerState::On => Some(check_linear(&tracker)),
    }
}

/// Checks the API key and the team with Linear.
fn check_linear(access: &LinearTracker) -> Check {
    let key_cure =
        "export LINEAR_API_KEY=KEY, with a key from Linear: Settings, Security & access, Personal API keys";
    let endpoint_cure = "Check linear.endpoint: charrette config show";
    let linear = match access.client(LinearOptions::single_try()) {
        Ok(linear) => linear,
        Err(why) if access.key.is_none() => return fail("linear", why, key_cure),
        Err(why) => return fail("linear", why, endpoint_cure),
    };
    let answer = runtime::block_on(async |_| {
        let viewer = linear.viewer().await;
        let team = linear.team(&access.team).await;
        Ok(viewer.and_then(|viewer| Ok((viewer, team?))))
    });
    match answer {
        Ok(Ok((viewer, team))) => {
            let finding =
                format!("connected as {viewer}; team {} ({})", printable(&team.name), printable(&team.key));
            ok("linear", finding)
        }
        Ok(Err(error)) => {
            let cure = match &error {
                LinearError::Unauthorised(_) | LinearError::Key => key_cure,
                LinearError::NoTeam(_) | LinearError::AmbiguousTeam { .. } => {
                    "Set linear.team in .claude/config/integrations.json to the key of your team"
                }
                LinearError::RateLimited(_) | LinearError::Service { .. } => {
                    "Wait, then try again: charrette doctor"
                }
                LinearError::Unreachable(_) => {
                    "Check the network, and linear.endpoint: charrette config show"
                }
                _ => endpoint_cure,
            };
            fail("linear", error.to_string(), cure)
        }
        Err(error) => fail("linear", error.message, "Try again: charrette doctor"),
    }
}

fn folders(site: &Site) -> Vec<Check> {
    let state = site.root.join(site.settings.state_folder());
    let workspace = site.root.join(site.settings.workspace_folder());
    let own = agent_pool::state_folder(site);
    [
        ("state folder", state, "set paths.state in charrette.toml"),
        ("workspace folder", workspace, "set paths.workspace in charrette.toml"),
        ("user's state folder", own, "set XDG_STATE_HOME"),
    ]
    .into_iter()
    .map(|(check, folder, alternative)| match check_writable(&folder) {
        Ok(()) => ok(check, folder.display().to_string()),
        Err(error) => fail(
            check,
            format!("not writable: {error}"),
            format!("chmod u+rwx '{}', or {alternative}", folder.display()),
        ),
    })
    .collect()
}

/// Checks that files can be created in a folder, or in its nearest existing ancestor.
fn check_writable(folder: &Path) -> std::io::Result<()> {
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
    if !existing.is_dir() {
        return Err(std::io::Error::other(format!("{} is not a folder", existing.display())));
    }
    let attempt = existing.join(format!(".charrette-doctor-{}", std::process::id()));
    fs_err::OpenOptions::new().write(true).create_new(true).open(&attempt)?;
    fs_err::remove_file(attempt)
}

fn disk(site: &Site) -> Check {
    let Ok(space) = rustix::fs::statvfs(&site.root) else {
        return ok("disk", "unknown");
    };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let finding = format!("{} MB free", free >> 20);
    match free {
        0..MIN_DISK_BYTES => fail("disk", finding, "Remove old runs: charrette checkpoint gc"),
        MIN_DISK_BYTES..LOW_DISK_BYTES => warn("disk", finding, "Remove old runs: charrette checkpoint gc"),
        _ => ok("disk", finding),
    }
}

fn stale_files(site: &Site) -> Check {
    let documents = site.documents();
    let keep = Retention { completed_days: u32::MAX, archive_days: u32::MAX };
    match documents.gc(keep, site.now, true) {
        Ok(stale) if stale.is_empty() => ok("locks", "no stale files"),
        Ok(stale) => warn(
            "locks",
            format!("{} stale files of killed processes", stale.len()),
            "charrette checkpoint gc",
        ),
        Err(error) => fail("locks", error.to_string(), "charrette checkpoint list"),
    }
}

fn orphans(site: &Site) -> Check {
    match find_orphans(&drivers_folder(&agent_pool::state_folder(site))) {
        Ok(orphans) if orphans.is_empty() => ok("strays", "none"),
        Ok(orphans) => {
            let pids: Vec<String> = orphans.iter().map(|orphan| orphan.pid.to_string()).collect();
            warn(
                "strays",
                format!("orphaned agents of a killed run: {}", pids.join(", ")),
                "charrette agents reap",
            )
        }
        Err(error) => {
            warn("strays", format!("cannot search for orphaned agents: {error}"), "charrette agents reap")
        }
    }
}
