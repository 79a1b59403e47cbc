//! Git commands: the options that each kind of call is started with, so that a repository cannot choose programs for us.
//!
//! A repository's `.git/config` may name programs for many occasions, and `.git/hooks` may hold some. What options and
//! variables can switch off is switched off here; programs of content filters, merges, credentials, transports and
//! signatures are replaced, see [`super::clean_room`].

use crate::clean_room::{CleanRoom, Override, Place, Replacements};
use crate::environment::{PATHSPEC_VARIABLES, program_command, variable};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// Purpose of a git call; decides its options and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reads, and changes nothing: no hooks, no network.
    Reading,
    /// Changes the index or the work tree on our own behalf, with the same restrictions.
    Editing,
    /// Acts as the user would: hooks of the user's own configuration run, remotes may be reached.
    OnBehalfOfUser,
}

/// Options of every call: no file system monitor (it is a program), no pager, no maintenance behind the command (it has
/// hooks of its own), and nothing that starts another git inside a submodule but the look at its state.
const ALWAYS: [&str; 11] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "diff.submodule=short",
];

/// Options of restricted calls: no signature checks, literal pathspecs.
const RESTRICTED: [&str; 3] = ["--literal-pathspecs", "-c", "log.showSignature=false"];

/// Transports that may be used on behalf of the user: none that is a program of the repository's choice.
const TRANSPORTS: &str = "file:git:http:https:ssh";

/// Builds the git command for a place, in its clean room.
///
/// Neither literal pathspecs nor a locale are set on behalf of the user: hooks would inherit them.
pub(crate) fn command<S: AsRef<OsStr>>(
    place: Place<'_>,
    purpose: Purpose,
    room: &CleanRoom,
    options: &[OsString],
    args: &[S],
) -> Command {
    let mut command = base_command(place.folder, purpose);
    let Some((subcommand, rest)) = args.split_first() else { return command };
    let hooks = match purpose {
        Purpose::Reading | Purpose::Editing => None,
        Purpose::OnBehalfOfUser => room.hooks.as_deref(),
    };
    let mut hooks_path = OsString::from("core.hooksPath=");
    hooks_path.push(hooks.unwrap_or(OsStr::new("/dev/null")));
    command.arg("-c").arg(hooks_path);
    set_overrides(&mut command, &room.replacements.overrides);
    command.args(options).arg(subcommand);
    match purpose {
        Purpose::Reading | Purpose::Editing => command.args(no_external_programs(subcommand.as_ref())),
        Purpose::OnBehalfOfUser => {
            replace_remote_programs(&mut command, &room.replacements, subcommand.as_ref());
            &mut command
        }
    };
    command.args(rest);
    command
}

/// Git in a folder, without a subcommand.
pub(crate) fn base_command(folder: &Path, purpose: Purpose) -> Command {
    let mut command = program_command();
    command
        .args(ALWAYS)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", ":")
        .env("GIT_SEQUENCE_EDITOR", ":");
    match purpose {
        Purpose::Reading | Purpose::Editing => {
            command
                .args(RESTRICTED)
                .env("GIT_OPTIONAL_LOCKS", "0")
                .env("GIT_NO_LAZY_FETCH", "1")
                // An empty list allows no transport, whatever the configuration says about one.
                .env("GIT_ALLOW_PROTOCOL", "")
                .env("LC_ALL", "C");
            for variable in PATHSPEC_VARIABLES {
                command.env_remove(variable);
            }
        }
        Purpose::OnBehalfOfUser => {
            command.env("GIT_ALLOW_PROTOCOL", TRANSPORTS);
        }
    }
    command
}

/// Passes settings through the environment, behind those that the user passes that way.
fn set_overrides(command: &mut Command, overrides: &[Override]) {
    if overrides.is_empty() {
        return;
    }
    let count = variable("GIT_CONFIG_COUNT");
    let given: usize = count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0);
    for (index, (key, value)) in (given..).zip(overrides) {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    command.env("GIT_CONFIG_COUNT", (given + overrides.len()).to_string());
}

/// Replaces programs that no setting can replace. Of a remote's programs git takes the first that is configured, so that
/// the command line must name another one; what has no such option, and fetches only what a partial clone left out, does
/// without.
fn replace_remote_programs(command: &mut Command, replacements: &Replacements, subcommand: &OsStr) {
    if replacements.has_git_proxy && variable("GIT_PROXY_COMMAND").is_none() {
        // An empty one is none, and the configuration is not asked.
        command.env("GIT_PROXY_COMMAND", "");
    }
    if !replacements.has_remote_programs {
        return;
    }
    command.env("GIT_NO_LAZY_FETCH", "1");
    match subcommand.to_str() {
        Some("fetch" | "ls-remote") => command.arg("--upload-pack=git-upload-pack"),
        Some("push") => command.arg("--receive-pack=git-receive-pack"),
        _ => command.env("GIT_ALLOW_PROTOCOL", ""),
    };
}

/// Options that keep a subcommand from starting external diff and textconv programs.
fn no_external_programs(subcommand: &OsStr) -> &'static [&'static str] {
    match subcommand.to_str().unwrap_or_default() {
        "diff" | "diff-files" | "diff-index" | "diff-tree" | "log" | "show" | "whatchanged" => {
            &["--no-ext-diff", "--no-textconv"]
        }
        "annotate" | "blame" => &["--no-textconv"],
        _ => &[],
    }
}
