//! The launcher: applies rules to its own process and then becomes the program.

use crate::lane;
use crate::network::{CAN_ENTER, NetworkIsolation, QUERY, enter_namespace};
use crate::rules::{BadArguments, Rules};
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// First argument of the product that makes it the launcher.
pub const MODE: &str = "box";
/// Beginning of the launcher's messages, by which they are told from those of the program.
pub const PREFIX: &str = "charrette box: ";
/// Exit code if the rules cannot be applied.
pub const NOT_APPLIED: i32 = 126;
/// Exit code if the program cannot be started.
pub const NOT_STARTED: i32 = 127;

/// Failure of the launcher. If it succeeds, it has become the program and does not return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFailure {
    /// With [`PREFIX`].
    pub message: String,
    pub code: i32,
}

/// Applies the rules of the arguments to this process and becomes the program that they name. It must have no other
/// threads yet.
pub fn become_program(arguments: impl IntoIterator<Item = OsString>) -> LaunchFailure {
    let failure = |code, message: String| LaunchFailure { message: format!("{PREFIX}{message}"), code };
    let mut arguments = arguments.into_iter().peekable();
    if arguments.next_if(|first| first == QUERY).is_some() {
        return match enter_namespace() {
            Ok(()) => failure(CAN_ENTER, "it can enter a network namespace".to_owned()),
            Err(error) => failure(NOT_APPLIED, format!("it cannot enter a network namespace: {error}")),
        };
    }
    let (rules, command) = match Rules::from_arguments(arguments) {
        Ok(read) => read,
        Err(BadArguments(problem)) => return failure(NOT_APPLIED, problem),
    };
    let Some((program, arguments)) = command.split_first() else {
        return failure(NOT_STARTED, "there is no program to start".to_owned());
    };
    if rules.lane.is_some() {
        lane::enter_session();
    }
    if rules.network == NetworkIsolation::Namespace
        && let Err(error) = enter_namespace()
    {
        return failure(NOT_APPLIED, format!("the network cannot be taken away: {error}"));
    }
    if rules.network == NetworkIsolation::Namespace {
        // With them a superuser could go back.
        lane::give_up_privileges();
    }
    if let Some(mark) = rules.lane {
        lane::put_on(mark);
    }
    if let Err(problem) = apply(&rules) {
        return failure(NOT_APPLIED, format!("the sandbox cannot be applied: {problem}"));
    }
    let error = Command::new(program).args(arguments).exec();
    failure(NOT_STARTED, format!("cannot be started: {error}"))
}

/// Restricts this process, as far as the kernel can. Whoever needs more has asked [`crate::kernel`] before.
#[cfg(target_os = "linux")]
fn apply(rules: &Rules) -> Result<(), landlock::RulesetError> {
    use crate::visible::visible_paths;
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope,
    };
    // The version that these rules were tested with.
    let abi = rules.abi_limit.map_or(ABI::V6, |limit| ABI::from(i32::from(limit.min(6))));
    if abi == ABI::Unsupported {
        return Ok(());
    }
    lane::give_up_privileges();
    let (read, everything) = (AccessFs::from_read(abi), AccessFs::from_all(abi));
    let mut ruleset = Ruleset::default().handle_access(everything)?;
    if rules.network == NetworkIsolation::Tcp && abi >= ABI::V4 {
        ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
    }
    if abi >= ABI::V6 {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    ruleset
        .create()?
        .add_rules(allow(["/"], AccessFs::ReadDir))?
        .add_rules(allow(visible_paths(&rules.hides), read))?
        .add_rules(allow(&rules.shows, read))?
        .add_rules(allow(DEVICES, everything))?
        .add_rules(allow(&rules.writes, everything))?
        .restrict_self()?;
    Ok(())
}

/// Rules that allow access below paths, as far as they exist. Rights that a file cannot have are left out of its rule when
/// it is added.
#[cfg(target_os = "linux")]
fn allow<P: AsRef<std::path::Path>>(
    paths: impl IntoIterator<Item = P>,
    access: impl Into<landlock::BitFlags<landlock::AccessFs>>,
) -> impl Iterator<Item = Result<landlock::PathBeneath<landlock::PathFd>, landlock::RulesetError>> {
    let access = access.into();
    let open = |path: P| landlock::PathFd::new(path).ok();
    paths.into_iter().filter_map(open).map(move |opened| Ok(landlock::PathBeneath::new(opened, access)))
}

#[cfg(not(target_os = "linux"))]
fn apply(_: &Rules) -> Result<(), std::convert::Infallible> {
    Ok(())
}

/// Devices that every program may use.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];
