//! Subcommands that change branches and references.

use super::super::effect::GitKind;
use super::revision::{branch_name, is_head};
use super::subcommands::Call;
use crate::shell::Argument;

pub(super) fn branch(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-u", "--set-upstream-to", "--sort", "--format", "--points-at"]);
    let operands = &options.operands;
    let lists = [
        "-l",
        "--list",
        "-a",
        "--all",
        "-r",
        "--remotes",
        "--show-current",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
        "-v",
        "-vv",
        "--verbose",
        "--format",
        "--sort",
    ];
    let names_main = operands.iter().any(|name| name.known().is_some_and(|name| call.is_main(name)));
    if options.has(&["-d", "-D", "--delete"]) {
        return if names_main { GitKind::Main } else { GitKind::Records };
    }
    if options.has(&["-m", "-M", "--move"]) {
        let is_current = match operands.as_slice() {
            [old, _] => old.known().is_none_or(|old| call.is_current(old)),
            _ => true,
        };
        return match (names_main, is_current) {
            (true, _) => GitKind::Main,
            (_, true) => GitKind::LeavesBranch,
            _ => GitKind::Records,
        };
    }
    if options.has(&["-f", "--force", "-C"]) {
        let branch = operands.first().and_then(Argument::known);
        return match branch {
            Some(name) if call.is_main(name) => GitKind::Main,
            Some(name) if call.is_current(name) => GitKind::Rewrites,
            None if !operands.is_empty() => GitKind::Rewrites,
            _ => GitKind::Records,
        };
    }
    let changes = ["-u", "--set-upstream-to", "--unset-upstream", "--edit-description", "-c", "--copy"];
    if (operands.is_empty() || options.has(&lists)) && !options.has(&changes) {
        GitKind::Reads
    } else {
        GitKind::Records
    }
}

pub(super) fn tag(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-m", "-F", "-u", "--sort", "--format", "--contains", "--points-at"]);
    let lists = [
        "-l",
        "--list",
        "-n",
        "--contains",
        "--no-contains",
        "--points-at",
        "--merged",
        "--no-merged",
        "-v",
        "--verify",
    ];
    let is_list = options.has(&lists) && !options.has(&["-d", "--delete"]);
    if options.operands.is_empty() || is_list { GitKind::Reads } else { GitKind::Records }
}

pub(super) fn symbolic_ref(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-m"]);
    match options.operands.as_slice() {
        [name] if options.has(&["-d", "--delete"]) => moved(call, name),
        [] | [_] => GitKind::Reads,
        [name, target, ..] => {
            let is_main = target.known().is_some_and(|target| call.is_main(target));
            match moved(call, name) {
                GitKind::Rewrites if is_main => GitKind::Main,
                GitKind::Rewrites => GitKind::LeavesBranch,
                other => other,
            }
        }
    }
}

pub(super) fn update_ref(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-m"]);
    if options.has(&["--stdin"]) {
        return GitKind::Rewrites;
    }
    options.operands.first().map_or(GitKind::Reads, |name| moved(call, name))
}

/// Kind of a change of a reference.
fn moved(call: &Call<'_>, reference: &Argument) -> GitKind {
    match reference.known() {
        Some(name) if is_head(name) => GitKind::Rewrites,
        Some(name) if name.starts_with("refs/heads/") && call.is_main(name) => GitKind::Main,
        Some(name) if name.starts_with("refs/heads/") && call.is_current(name) => GitKind::Rewrites,
        Some(_) => GitKind::Records,
        None => GitKind::Rewrites,
    }
}

/// `fetch`: a refspec such as `main:main` moves a local branch.
pub(super) fn fetch(call: &Call<'_>) -> GitKind {
    let options = call.options(&["--depth", "-j", "--jobs", "--upload-pack", "-o", "--refmap"]);
    let mut refspecs = options.operands.iter().skip(1).filter_map(Argument::known);
    let moves_main = refspecs.any(|refspec| {
        let target = refspec.split_once(':').map_or("", |(_, target)| target);
        !target.starts_with("refs/remotes/") && !target.is_empty() && call.is_main(branch_name(target))
    });
    if moves_main { GitKind::Main } else { GitKind::Records }
}
