//! Subcommands that move HEAD or change the work tree: switch, checkout, reset, stash, clean.

use super::super::effect::{Effect, GitKind, WriteAct};
use super::super::scope::Scope;
use super::revision::{is_head, is_path, is_revision_form};
use super::subcommands::Call;
use crate::shell::Argument;

pub(super) fn switch(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-c", "-C", "--create", "--force-create", "--orphan", "--conflict"]);
    if let Some(new) = options.value(&["-c", "-C", "--create", "--force-create", "--orphan"]) {
        return leave(call, new);
    }
    match options.operands.first() {
        _ if options.has(&["-d", "--detach"]) => GitKind::LeavesBranch,
        Some(branch) if branch.known().is_some_and(|name| call.is_current(name) && !call.is_main(name)) => {
            GitKind::Tree
        }
        Some(branch) => leave(call, branch),
        None => GitKind::Reads,
    }
}

/// Leaves the branch for another one.
fn leave(call: &Call<'_>, branch: &Argument) -> GitKind {
    if branch.known().is_some_and(|name| call.is_main(name)) { GitKind::Main } else { GitKind::LeavesBranch }
}

pub(super) fn checkout(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-b", "-B", "--orphan", "--conflict", "--pathspec-from-file", "-U"]);
    if let Some(new) = options.value(&["-b", "-B", "--orphan"]) {
        return leave(call, new);
    }
    if options.has(&["-p", "--patch", "--ours", "--theirs", "--pathspec-from-file"]) {
        return GitKind::Tree;
    }
    let operands = &options.operands;
    if options.dashes.is_some_and(|before| before == 0 || operands.len() > before) || operands.len() > 1 {
        return GitKind::Tree;
    }
    let Some(operand) = operands.first() else {
        return if options.has(&["-d", "--detach"]) { GitKind::LeavesBranch } else { GitKind::Tree };
    };
    let Some(name) = operand.known() else {
        return if operand.has_glob() && !operand.has_unknown() {
            GitKind::Tree
        } else {
            GitKind::LeavesBranch
        };
    };
    if is_path(name, call.folder, call.facts) && !call.is_main(name) && options.dashes.is_none() {
        return GitKind::Tree;
    }
    let stays = (is_head(name) || call.is_current(name)) && !options.has(&["-d", "--detach"]);
    if stays && !call.is_main(name) { GitKind::Tree } else { leave(call, operand) }
}

pub(super) fn reset(call: &Call<'_>) -> GitKind {
    let options = call.options(&["--pathspec-from-file"]);
    let operands = &options.operands;
    let has_paths = options.dashes.is_some_and(|before| operands.len() > before) || operands.len() > 1;
    let is_tree_wide = options.has(&["--hard", "--soft", "--mixed", "--keep", "--merge"]);
    match operands.first() {
        None => GitKind::Records,
        Some(_) if has_paths && !is_tree_wide => GitKind::Records,
        Some(commit) => match commit.known() {
            Some(name) if is_head(name) => GitKind::Records,
            Some(name)
                if !is_tree_wide && !is_revision_form(name) && is_path(name, call.folder, call.facts) =>
            {
                GitKind::Records
            }
            _ => GitKind::Rewrites,
        },
    }
}

pub(super) fn stash(call: &Call<'_>, verb: &str) -> GitKind {
    match verb {
        "list" | "show" => GitKind::Reads,
        "branch" => GitKind::LeavesBranch,
        "" | "push" | "save" if call.options(&["-m", "--message"]).has(&["-a", "--all"]) => {
            GitKind::RemovesIgnored
        }
        _ => GitKind::Records,
    }
}

pub(super) fn clean(call: &Call<'_>, scope: &Scope, effects: &mut Vec<Effect>) -> GitKind {
    let options = call.options(&["-e", "--exclude"]);
    if options.has(&["-n", "--dry-run"]) {
        return GitKind::Reads;
    }
    if !options.has(&["-x", "-X"]) {
        return GitKind::Records;
    }
    if options.operands.is_empty() {
        return GitKind::RemovesIgnored;
    }
    let removed = |path| Effect::Writes { target: scope.target(path), act: WriteAct::RemoveTree };
    effects.extend(options.operands.iter().map(removed));
    GitKind::Records
}
