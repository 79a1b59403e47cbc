//! The options and variables git is started with, so that a repository cannot choose programs for us.
//!
//! A repository's `.git/config` may name programs for many occasions, and `.git/hooks` may hold some. What options and
//! variables can switch off is switched off here; programs of content filters, merges, credentials, transports and
//! signatures are overridden, see [`super::clean_room`]. Git gets the variables it needs and no keys.

use crate::clean_room::{Override, clean_room};
use crate::search_path::find_program;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// Purpose of a git call; decides its options and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reads, or changes the index or the work tree on our own behalf: no hooks, no network.
    Restricted,
    /// Acts as the user would: hooks of the user's own configuration run, remotes may be reached.
    OnBehalfOfUser,
}

/// Options of every call: no file system monitor (it is a program) and no pager.
const ALWAYS: [&str; 3] = ["--no-pager", "-c", "core.fsmonitor=false"];

/// Options of restricted calls: no signature checks, literal pathspecs.
const RESTRICTED: [&str; 3] = ["--literal-pathspecs", "-c", "log.showSignature=false"];

/// Transports that may be used on behalf of the user: none that is a program of the repository's choice.
const TRANSPORTS: &str = "file:git:http:https:ssh";

/// Variables that git may need, besides those of [`VARIABLE_PREFIXES`]. Everything else stays away from it, and from the
/// programs it starts: keys and tokens above all.
const VARIABLES: [&str; 27] = [
    "ALL_PROXY",
    "all_proxy",
    "CURL_CA_BUNDLE",
    "EMAIL",
    "GNUPGHOME",
    "GPG_TTY",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "http_proxy",
    "https_proxy",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NO_PROXY",
    "no_proxy",
    "PATH",
    "SHELL",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "__CF_USER_TEXT_ENCODING",
];

/// Prefixes of variables that git may need.
const VARIABLE_PREFIXES: [&str; 5] = ["GIT_", "LC_", "XDG_", "LD_", "DYLD_"];

static ENVIRONMENT: OnceLock<BTreeMap<OsString, OsString>> = OnceLock::new();

/// Sets the environment of this process, of which git gets what it needs. To be called once, by the binary; without it
/// git inherits everything.
pub fn set_environment(variables: &BTreeMap<OsString, OsString>) {
    let is_needed = |name: &OsString| {
        let name = name.to_string_lossy();
        VARIABLES.contains(&&*name) || VARIABLE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let needed = variables.iter().filter(|(name, _)| is_needed(name));
    let _ = ENVIRONMENT.set(needed.map(|(name, value)| (name.clone(), value.clone())).collect());
}

/// Variables that change how pathspecs are read. Git refuses them together with `--literal-pathspecs`.
const PATHSPEC_VARIABLES: [&str; 3] = ["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// Variables that name another repository than that of the folder, or change it (`git rev-parse --local-env-vars`).
pub(crate) const REPOSITORY_VARIABLES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Variables that belong to one work tree and must not be taken to another one.
pub(crate) const WORKTREE_VARIABLES: [&str; 3] = ["GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// Builds the git command for a folder.
///
/// Neither literal pathspecs nor a locale are set on behalf of the user: hooks would inherit them.
pub(crate) fn command<S: AsRef<OsStr>>(
    folder: &Path,
    purpose: Purpose,
    is_separate: bool,
    options: &[OsString],
    args: &[S],
) -> Command {
    let mut command = base_command(folder, purpose);
    let Some((subcommand, rest)) = args.split_first() else { return command };
    // A repository of our own making has no programs.
    let room = if is_separate { Arc::default() } else { clean_room(folder) };
    let hooks = match purpose {
        Purpose::Restricted => None,
        Purpose::OnBehalfOfUser => room.hooks.as_deref(),
    };
    let mut hooks_path = OsString::from("core.hooksPath=");
    hooks_path.push(hooks.unwrap_or(OsStr::new("/dev/null")));
    command.arg("-c").arg(hooks_path);
    set_overrides(&mut command, &room.overrides);
    command.args(options).arg(subcommand);
    if purpose == Purpose::Restricted {
        command.args(no_external_programs(subcommand.as_ref()));
    }
    command.args(rest);
    command
}

/// Passes settings through the environment, behind those that the user passes that way.
fn set_overrides(command: &mut Command, overrides: &[Override]) {
    if overrides.is_empty() {
        return;
    }
    let count = ENVIRONMENT.get().and_then(|variables| variables.get(OsStr::new("GIT_CONFIG_COUNT")));
    let given: usize = count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0);
    for (index, (key, value)) in (given..).zip(overrides) {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    command.env("GIT_CONFIG_COUNT", (given + overrides.len()).to_string());
}

/// Path of git, looked up once. A program that is given by its path starts in half the time: the standard library forks
/// the whole process to search a path that is not its own.
fn program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = ENVIRONMENT.get().and_then(|variables| variables.get(OsStr::new("PATH")));
        let found = path.and_then(|path| find_program(path, "git"));
        found.map_or_else(|| "git".into(), PathBuf::into_os_string)
    })
}

/// Git in a folder, without a subcommand.
pub(crate) fn base_command(folder: &Path, purpose: Purpose) -> Command {
    let mut command = Command::new(program());
    if let Some(variables) = ENVIRONMENT.get() {
        command.env_clear().envs(variables);
    }
    command
        .args(ALWAYS)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", ":")
        .env("GIT_SEQUENCE_EDITOR", ":");
    match purpose {
        Purpose::Restricted => {
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
