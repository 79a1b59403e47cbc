//! The options and variables git is started with, so that a repository cannot choose programs for us.
//!
//! A repository's `.git/config` may name programs for many occasions. What options and variables can switch off is
//! switched off here. What they cannot switch off still runs if the configuration defines it: clean, smudge and
//! process filters of the attributes that apply to a file, merge drivers and signing programs (acting), credential
//! and transport programs (calling), and hooks that newer versions of git take from `hook.*` settings.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Purpose of a git call; decides its options and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reads, or changes the index or the work tree on our own behalf: no hooks, no network.
    Restricted,
    /// Acts as the user would: hooks run, remotes may be reached.
    OnBehalfOfUser,
}

/// Options of every call: no file system monitor (it is a program) and no pager.
const ALWAYS: [&str; 3] = ["--no-pager", "-c", "core.fsmonitor=false"];

/// Options of restricted calls: no hooks, no signature checks, literal pathspecs.
const RESTRICTED: [&str; 5] =
    ["--literal-pathspecs", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false"];

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

/// Builds the git command for a folder.
///
/// Neither literal pathspecs nor a locale are set on behalf of the user: hooks would inherit them.
pub(crate) fn command<S: AsRef<OsStr>>(folder: &Path, purpose: Purpose, args: &[S]) -> Command {
    let mut command = Command::new("git");
    command
        .args(ALWAYS)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", ":")
        .env("GIT_SEQUENCE_EDITOR", ":");
    let Some((subcommand, rest)) = args.split_first() else { return command };
    if purpose == Purpose::Restricted {
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
        command.arg(subcommand).args(no_external_programs(subcommand.as_ref())).args(rest);
    } else {
        command.arg(subcommand).args(rest);
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
