//! Subcommands of git and their kind.

use super::super::effect::{Effect, GitKind, WriteAct};
use super::super::options::Options;
use super::super::scope::Scope;
use super::super::surroundings::Facts;
use super::{branches, head, push};
use crate::shell::Argument;
use std::path::Path;

/// A call of a subcommand.
pub(super) struct Call<'a> {
    pub(super) subcommand: &'a str,
    pub(super) arguments: &'a [Argument],
    pub(super) folder: &'a Path,
    pub(super) facts: &'a dyn Facts,
}

impl Call<'_> {
    pub(super) fn options(&self, with_value: &[&str]) -> Options {
        Options::read(self.arguments, with_value)
    }

    pub(super) fn is_main(&self, name: &str) -> bool {
        self.facts.is_main(super::revision::branch_name(name))
    }

    pub(super) fn is_current(&self, name: &str) -> bool {
        let current = self.facts.current_branch(self.folder);
        current.is_some_and(|current| current == super::revision::branch_name(name))
    }

    /// The first word after the subcommand that is no option.
    fn verb(&self) -> &str {
        self.arguments
            .iter()
            .find(|argument| !argument.is_option())
            .and_then(Argument::known)
            .unwrap_or_default()
    }
}

const READS: [&str; 47] = [
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "column",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-pairs",
    "diff-tree",
    "for-each-ref",
    "fsck",
    "get-tar-commit-id",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "name-rev",
    "patch-id",
    "range-diff",
    "request-pull",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "status",
    "stripspace",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "whatchanged",
    "last-modified",
];

const TREE: [&str; 15] = [
    "add",
    "apply",
    "checkout-index",
    "format-patch",
    "merge-file",
    "merge-index",
    "mv",
    "read-tree",
    "restore",
    "rm",
    "sparse-checkout",
    "stage",
    "update-index",
    "bundle",
    "bugreport",
];

const RECORDS: [&str; 30] = [
    "am",
    "cherry-pick",
    "clone",
    "commit-graph",
    "commit-tree",
    "gc",
    "hash-object",
    "index-pack",
    "init",
    "maintenance",
    "merge",
    "mktag",
    "mktree",
    "multi-pack-index",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "prune",
    "prune-packed",
    "repack",
    "replace",
    "rerere",
    "revert",
    "unpack-objects",
    "update-server-info",
    "write-tree",
    "init-db",
    "subtree",
    "refs",
    "fetch-pack",
];

const REWRITES: [&str; 5] = ["filter-branch", "filter-repo", "fast-import", "history", "replay"];

/// The kind of a call, and effects on files.
pub(super) fn classify(call: &Call<'_>, scope: &Scope) -> (GitKind, Vec<Effect>) {
    let mut effects = written_files(call, scope);
    let kind = match call.subcommand {
        "clean" => head::clean(call, scope, &mut effects),
        _ => kind(call),
    };
    (kind, effects)
}

fn kind(call: &Call<'_>) -> GitKind {
    let name = call.subcommand;
    let verb = call.verb();
    match name {
        "grep" if call.options(&[]).has(&["-O", "--open-files-in-pager"]) => GitKind::Unknown,
        "apply" if call.options(&[]).has(&["--check", "--stat", "--numstat", "--summary"]) => GitKind::Reads,
        "commit" if call.options(&["-m", "-F", "-C", "-c", "-t"]).has(&["--amend"]) => GitKind::Rewrites,
        "commit" => GitKind::Records,
        "pull" => pull(call),
        "rebase" => {
            let harmless = ["--abort", "--quit", "--show-current-patch", "--edit-todo"];
            if call.options(&[]).has(&harmless) { GitKind::Records } else { GitKind::Rewrites }
        }
        "switch" => head::switch(call),
        "checkout" => head::checkout(call),
        "reset" => head::reset(call),
        "stash" => head::stash(call, verb),
        "bisect" => match verb {
            "log" | "view" | "visualize" | "terms" | "help" => GitKind::Reads,
            _ => GitKind::LeavesBranch,
        },
        "flow" => GitKind::LeavesBranch,
        "branch" => branches::branch(call),
        "tag" => branches::tag(call),
        "symbolic-ref" => branches::symbolic_ref(call),
        "update-ref" => branches::update_ref(call),
        "fetch" => branches::fetch(call),
        "push" | "send-pack" => push::push(call),
        "remote" => match verb {
            "" | "show" | "get-url" => GitKind::Reads,
            _ => GitKind::Records,
        },
        "config" => config(call, verb),
        "worktree" => {
            if verb == "list" {
                GitKind::Reads
            } else {
                GitKind::Records
            }
        }
        "notes" => {
            if matches!(verb, "" | "list" | "show") {
                GitKind::Reads
            } else {
                GitKind::Records
            }
        }
        "reflog" => match verb {
            "expire" | "delete" | "drop" | "write" => GitKind::Records,
            _ => GitKind::Reads,
        },
        "submodule" => match verb {
            "" | "status" | "summary" => GitKind::Reads,
            "foreach" => GitKind::Unknown,
            _ => GitKind::Tree,
        },
        "archive" => GitKind::Reads,
        _ if READS.contains(&name) => GitKind::Reads,
        _ if TREE.contains(&name) => GitKind::Tree,
        _ if RECORDS.contains(&name) => GitKind::Records,
        _ if REWRITES.contains(&name) => GitKind::Rewrites,
        _ => guessed_alias(call),
    }
}

/// Aliases that many people have. What cannot be told apart from them is unknown.
fn guessed_alias(call: &Call<'_>) -> GitKind {
    let subcommand = match call.subcommand {
        "co" => "checkout",
        "sw" => "switch",
        "ci" => "commit",
        "br" => "branch",
        "rb" => "rebase",
        "cob" | "nb" => return GitKind::LeavesBranch,
        "amend" => return GitKind::Rewrites,
        _ => return GitKind::Unknown,
    };
    kind(&Call { subcommand, ..*call }).max(GitKind::Unknown)
}

fn pull(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-s", "-X", "--strategy"]);
    let is_off = options.value(&["--rebase"]).is_some_and(|value| value.is("false"));
    let rebases = options.has(&["-r", "--rebase"]) && !is_off && !options.has(&["--no-rebase"]);
    if rebases { GitKind::Rewrites } else { GitKind::Records }
}

fn config(call: &Call<'_>, verb: &str) -> GitKind {
    const VALUES: [&str; 9] =
        ["-f", "--file", "--blob", "--type", "--default", "--value", "--get-color", "--comment", "--url"];
    let options = call.options(&VALUES);
    let reads = ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-colorbool"];
    let changes = [
        "--add",
        "--unset",
        "--unset-all",
        "--replace-all",
        "--rename-section",
        "--remove-section",
        "--edit",
        "-e",
    ];
    let is_read = options.has(&reads) || matches!(verb, "get" | "list" | "get-all");
    let is_single = options.operands.len() == 1 && !matches!(verb, "edit");
    if is_read || (is_single && !options.has(&changes)) { GitKind::Reads } else { GitKind::Records }
}

/// Files that options of reading subcommands write.
fn written_files(call: &Call<'_>, scope: &Scope) -> Vec<Effect> {
    let options = call.options(&["-o", "--output"]);
    let file = match call.subcommand {
        "archive" | "format-patch" => options.value(&["-o", "--output", "--output-directory"]),
        "diff" | "log" | "show" | "diff-tree" | "diff-index" | "diff-files" | "range-diff"
        | "whatchanged" => options.value(&["--output"]),
        _ => None,
    };
    let effect = |file: &Argument| Effect::Writes { target: scope.target(file), act: WriteAct::Change };
    file.map(effect).into_iter().collect()
}
