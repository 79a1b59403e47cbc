//! `charrette doctor`: what could keep charrette from working here, and what to type about it.

use crate::here::Here;
use crate::{output, runtime};
use charrette_agents::profile::Agent;
use charrette_agents::room::drivers_folder;
use charrette_agents::strays::strays;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::{health_file, room, tracker as app_tracker};
use charrette_engine::Cancel;
use charrette_engine::ports::TrackerState;
use charrette_git::Git;
use charrette_integrations::linear::LinearTracker;
use charrette_integrations::linear::{LinearError, Patience};
use charrette_model::shown::shown;
use charrette_store::gc::Keep;
use clap::Args;
use serde::Serialize;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Less than this is a warning.
const LITTLE_DISK: u64 = 1 << 30;
/// Less than this is a failure.
const NO_DISK: u64 = 50 << 20;
/// The git that everything was tried with, and the oldest that has what we use.
const OLDEST_GIT: (u32, u32) = (2, 31);

/// Check what could keep charrette from working, and say the cure
///
/// Looks at git, the repository, agents, configuration, the tracker, folders, disk, locks, and processes that a killed
/// run left behind.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warn,
    Fail,
}

/// One check.
#[derive(Debug, Serialize)]
struct Check {
    #[serde(rename = "check")]
    what: &'static str,
    status: Status,
    found: String,
    /// What to type.
    cure: Option<String>,
}

fn ok(check: &'static str, found: impl Into<String>) -> Check {
    Check { what: check, status: Status::Ok, found: found.into(), cure: None }
}

fn warn(check: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Check {
    Check { what: check, status: Status::Warn, found: found.into(), cure: Some(cure.into()) }
}

fn fail(check: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Check {
    Check { what: check, status: Status::Fail, found: found.into(), cure: Some(cure.into()) }
}

pub(crate) fn doctor(here: &Here, _: &DoctorArgs) -> Result<ExitCode, AppError> {
    let site = here.silent_site()?;
    let mut checks = vec![git_program(), repository(&site), identity(&site)];
    checks.extend(configuration(&site));
    checks.extend(agents(&site));
    checks.extend(folders(&site));
    checks.extend(tracker(&site));
    checks.push(disk(&site));
    checks.push(leftovers(&site));
    checks.push(left_behind(&site));
    let failed = checks.iter().any(|check| check.status == Status::Fail);
    if here.json {
        output::json(&json!({"checks": checks, "healthy": !failed}))?;
    } else {
        for check in &checks {
            let mark = match check.status {
                Status::Ok => "ok  ",
                Status::Warn => "warn",
                Status::Fail => "FAIL",
            };
            output::line(&format!("{mark}  {}: {}", check.what, check.found))?;
            if let Some(cure) = &check.cure {
                output::line(&format!("      -> {cure}"))?;
            }
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn git_program() -> Check {
    let Some(text) = Git::new(Path::new(".")).find(&["--version"]) else {
        return fail("git", "not found", "Install git and put it on PATH");
    };
    let version =
        text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("?");
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < OLDEST_GIT {
        let cure = format!("Install git {}.{} or newer", OLDEST_GIT.0, OLDEST_GIT.1);
        return warn("git", format!("{version} is older than anything this was tried with"), cure);
    }
    ok("git", version)
}

fn repository(site: &Site) -> Check {
    match &site.repository {
        Some(_) if !Git::new(&site.root).agrees(&["rev-parse", "--verify", "-q", "HEAD"]) => {
            warn("repository", "it has no commits yet", "git commit --allow-empty -m \"First commit\"")
        }
        Some(_) => ok("repository", shown(&site.root.display().to_string()).to_string()),
        None => {
            fail("repository", "this is not a git repository", "git init, or run charrette in a repository")
        }
    }
}

fn identity(site: &Site) -> Check {
    let git = Git::new(&site.root);
    match (git.find(&["config", "user.name"]), git.find(&["config", "user.email"])) {
        (Some(name), Some(_)) => ok("identity", shown(name.trim()).to_string()),
        _ => warn(
            "identity",
            "git does not know who you are",
            "git config --global user.name NAME && git config --global user.email ADDRESS",
        ),
    }
}

fn configuration(site: &Site) -> Vec<Check> {
    let (_, of_agents) = room::roster(site);
    let problems = site.problems.iter().map(|problem| problem.message().to_owned()).chain(of_agents);
    let mut checks: Vec<Check> = problems
        .map(|problem| warn("configuration", problem, "See every setting: charrette config show"))
        .collect();
    if checks.is_empty() {
        let files: Vec<String> = site
            .layers
            .iter()
            .filter(|file| file.present)
            .map(|file| file.path.display().to_string())
            .collect();
        let found = if files.is_empty() { "defaults only".to_owned() } else { files.join(", ") };
        checks.push(ok("configuration", found));
    }
    checks
}

fn agents(site: &Site) -> Vec<Check> {
    let (roster, _) = room::roster(site);
    let surroundings = room::surroundings(site);
    let installed: Vec<&Agent> = roster.all().filter(|agent| agent.is_installed(&surroundings)).collect();
    if installed.is_empty() {
        let cure = "Install one of the clients that this lists: charrette agents";
        return vec![warn("agents", "none is installed", cure)];
    }
    let known = health_file::read(&room::state_folder(site));
    let check = |agent: &&Agent| {
        let name = &agent.name;
        let version = agent.version(&surroundings);
        let shown_version =
            version.as_deref().map_or_else(String::new, |version| format!(" {}", shown(version)));
        let untried = version
            .as_deref()
            .is_some_and(|version| !agent.profile.tested.is_empty() && !agent.is_tested(version));
        match known.get(name).and_then(|health| health.reason.as_deref()) {
            Some(reason) => {
                let login =
                    agent.profile.login.as_ref().map(|login| format!("{login}; then ")).unwrap_or_default();
                warn(
                    "agent",
                    format!("{name}{shown_version} did not work when it was last asked: {}", shown(reason)),
                    format!("{login}charrette agents probe {name}"),
                )
            }
            None if untried => warn(
                "agent",
                format!(
                    "{name}{shown_version} is a version that was not tried; known to work: {}",
                    agent.profile.tested.join(", ")
                ),
                format!("charrette agents probe {name}"),
            ),
            None => ok("agent", format!("{name}{shown_version}")),
        }
    };
    installed.iter().map(check).collect()
}

/// The tracker, if there should be one.
fn tracker(site: &Site) -> Option<Check> {
    let tracker = app_tracker::tracker(site, &Cancel::default());
    match &tracker.state {
        TrackerState::NotConfigured | TrackerState::Off => None,
        TrackerState::Unusable(why) => {
            Some(fail("linear", why.clone(), "Write such a file, with Linear off: charrette config init"))
        }
        TrackerState::On => Some(asked(&tracker)),
    }
}

fn asked(access: &LinearTracker) -> Check {
    let cure =
        "export LINEAR_API_KEY=KEY, with a key from Linear: Settings, Security & access, Personal API keys";
    let linear = match access.client(Patience::brief()) {
        Ok(linear) => linear,
        Err(why) => return fail("linear", why, cure),
    };
    let answer = runtime::block_on(async |_| {
        let viewer = linear.viewer().await;
        let team = linear.team(&access.team).await;
        Ok(viewer.and_then(|viewer| Ok((viewer, team?))))
    });
    match answer {
        Ok(Ok((viewer, team))) => {
            let found = format!("{viewer} may make issues for {} ({})", shown(&team.name), shown(&team.key));
            ok("linear", found)
        }
        Ok(Err(error)) => {
            let cure = match &error {
                LinearError::Unauthorised(_) | LinearError::Key => cure,
                LinearError::NoTeam(_) | LinearError::SeveralTeams { .. } => {
                    "Set linear.team in .claude/config/integrations.json to the key of your team"
                }
                _ => "See where it is asked: charrette config show",
            };
            fail("linear", error.to_string(), cure)
        }
        Err(error) => fail("linear", error.message, cure),
    }
}

fn folders(site: &Site) -> Vec<Check> {
    let state = site.root.join(site.settings.state_folder());
    let workspace = site.root.join(site.settings.workspace_folder());
    let own = room::state_folder(site);
    [("state folder", state), ("workspace folder", workspace), ("user's state folder", own)]
        .into_iter()
        .map(|(check, folder)| match writable(&folder) {
            Ok(()) => ok(check, folder.display().to_string()),
            Err(error) => fail(
                check,
                format!("cannot be written: {error}"),
                format!("chmod u+rwx '{}', or choose another in charrette.toml", folder.display()),
            ),
        })
        .collect()
}

/// Whether something can be written in a folder, or in the nearest one above it that exists.
fn writable(folder: &Path) -> std::io::Result<()> {
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
    let found = format!("{} MB free", free >> 20);
    match free {
        0..NO_DISK => fail("disk", found, "Free some space: charrette checkpoint gc"),
        NO_DISK..LITTLE_DISK => warn("disk", found, "Free some space: charrette checkpoint gc"),
        _ => ok("disk", found),
    }
}

fn leftovers(site: &Site) -> Check {
    let documents = site.documents();
    let keep = Keep { completed_days: u32::MAX, archive_days: u32::MAX };
    match documents.gc(keep, site.now, true) {
        Ok(found) if found.is_empty() => ok("locks", "nothing stale"),
        Ok(found) => warn(
            "locks",
            format!("{} files that killed processes left behind", found.len()),
            "charrette checkpoint gc",
        ),
        Err(error) => fail("locks", error.to_string(), "charrette checkpoint list"),
    }
}

fn left_behind(site: &Site) -> Check {
    match strays(&drivers_folder(&room::state_folder(site))) {
        Ok(found) if found.is_empty() => ok("strays", "none"),
        Ok(found) => {
            let pids: Vec<String> = found.iter().map(|stray| stray.pid.to_string()).collect();
            warn("strays", format!("processes of a killed run: {}", pids.join(", ")), "charrette agents reap")
        }
        Err(error) => warn("strays", format!("cannot be looked for: {error}"), "charrette agents reap"),
    }
}
