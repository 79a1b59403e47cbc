//! `git push`: is the main branch among what it changes on the other side?

use super::super::effect::GitKind;
use super::revision::{branch_name, is_head};
use super::subcommands::Call;
use crate::shell::Argument;

pub(super) fn push(call: &Call<'_>) -> GitKind {
    let options = call.options(&["-o", "--push-option", "--repo", "--receive-pack", "--exec"]);
    if options.has(&["-n", "--dry-run"]) {
        return GitKind::Records;
    }
    if options.has(&["--all", "--branches", "--mirror"]) {
        return GitKind::Main;
    }
    let skipped = usize::from(!options.has(&["--repo"]));
    let refspecs = options.operands.get(skipped..).unwrap_or_default();
    let pushes_current = refspecs.is_empty() && !options.has(&["--tags"]);
    if pushes_current && current_is_main(call) || refspecs.iter().any(|refspec| targets_main(call, refspec)) {
        GitKind::Main
    } else {
        GitKind::Records
    }
}

fn current_is_main(call: &Call<'_>) -> bool {
    call.facts.current_branch(call.folder).is_some_and(|branch| call.is_main(&branch))
}

fn targets_main(call: &Call<'_>, refspec: &Argument) -> bool {
    let Some(text) = refspec.known() else { return may_be_main(call, refspec) };
    let text = text.strip_prefix('+').unwrap_or(text);
    let target = text.split_once(':').map_or(text, |(_, target)| target);
    if text == ":" || target.contains('*') {
        return true;
    }
    if is_head(target) { current_is_main(call) } else { call.is_main(branch_name(target)) }
}

/// A refspec of which a part is unknown: the known end of it decides, if there is one.
fn may_be_main(call: &Call<'_>, refspec: &Argument) -> bool {
    let text = refspec.lossy();
    match text.rsplit_once(':') {
        Some((_, target)) if !target.contains('…') => call.is_main(branch_name(target)),
        Some((_, target)) => branch_name(target).starts_with('…'),
        None => text.trim_start_matches('+').starts_with('…') || branch_name(&text).starts_with('…'),
    }
}
