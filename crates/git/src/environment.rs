//! The options and variables git is started with, so that a repository cannot choose programs for us.
//!
//! A repository's `.git/config` may name programs for many occasions. What options and variables can switch off is
//! switched off here. What they cannot switch off still runs if the configuration defines it: clean, smudge and
//! process filters of the attributes that apply to a file, merge drivers and signing programs (acting), credential
//! and transport programs (calling), and hooks that newer versions of git take from `hook.*` settings.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What git is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To answer a question, or to change the index or the work tree on our own behalf: no hooks, no network.
    Restricted,
    /// To do what a user would do: hooks run, remotes may be reached.
    OnBehalfOfUser,
}

/// For every call: a file system monitor is a program, and no output is shown on a terminal.
const ALWAYS: [&str; 3] = ["--no-pager", "-c", "core.fsmonitor=false"];

/// For restricted calls: no hooks, no signature checks, names are taken literally.
const RESTRICTED: [&str; 5] =
    ["--literal-pathspecs", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false"];

/// How pathspecs are read, if the user's environment says so. Git refuses these together with literal ones.
const PATHSPEC_VARIABLES: [&str; 3] = ["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// Git in a folder, ready to be started.
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
        command.arg(subcommand).args(without_programs(subcommand.as_ref())).args(rest);
    } else {
        command.arg(subcommand).args(rest);
    }
    command
}

/// The options that keep a subcommand from starting diff programs and converters.
fn without_programs(subcommand: &OsStr) -> &'static [&'static str] {
    match subcommand.to_str().unwrap_or_default() {
        "diff" | "diff-files" | "diff-index" | "diff-tree" | "log" | "show" | "whatchanged" => {
            &["--no-ext-diff", "--no-textconv"]
        }
        "annotate" | "blame" => &["--no-textconv"],
        _ => &[],
    }
}
