//! Messages of set-up and branching. The exact words are fixed: scripts and people search for them.

use crate::escape::printable;

/// Warning: `--branch-info` lacks one of its four keys.
pub const BRANCH_INFO_INCOMPLETE: &str =
    "**⚠ --branch-info is incomplete. Falling back to charrette branch check.**";

/// Follows the gate's own error line: the caller of the gate broke its contract.
pub fn entry_contract_violation(command: &str) -> String {
    format!("⚠ charrette {command}: internal Step 0 contract violation in charrette gate entry. Aborting.")
}

/// Follows a failed preflight; never a gate error.
pub fn clean_main_required(command: &str, user_prefix: &str) -> String {
    let prefix = printable(user_prefix);
    format!(
        "⚠ charrette {command} requires clean main to start. To continue, choose one of: (a) git checkout main && git status clean → re-run; (b) check out or create a {prefix}/* feature branch and re-run (the branch naming convention is the explicit opt-in to continue from current state); (c) commit or stash uncommitted changes on main first."
    )
}

/// Warning: a user's branch looks like another feature's.
pub fn branch_may_not_match(branch: &str) -> String {
    let branch = printable(branch);
    format!(
        "**⚠ Current branch '{branch}' may not match the requested feature. Creating a new branch from main.**"
    )
}

/// Warning: the branch is neither main nor the user's.
pub fn branch_not_the_users(branch: &str, user_prefix: &str) -> String {
    let (branch, prefix) = (printable(branch), printable(user_prefix));
    format!(
        "**⚠ Currently on branch '{branch}' which doesn't match the expected '{prefix}/*' pattern. Creating a new branch from main.**"
    )
}

/// Warning: a tool's program is not installed.
pub fn tool_missing(tool: &str) -> String {
    format!("**⚠ {tool} not available (binary not found). Proceeding without {tool} reviewer.**")
}

/// Warning: an installed tool does not respond. Names its replacement, if any.
pub fn tool_unhealthy(tool: &str, reason: Option<&str>, replacement: Option<&str>) -> String {
    let reason = reason.map(|reason| format!(": {}", printable(reason))).unwrap_or_default();
    let instead = match replacement {
        Some(replacement) => format!("Using {} replacement.", printable(replacement)),
        None => "Its seats stay empty.".to_owned(),
    };
    format!("**⚠ {tool} installed but not responding (health check failed{reason}). {instead}**")
}

/// Warning: a repository without commits.
pub fn no_commits(branch: &str) -> String {
    let branch = printable(branch);
    format!("**⚠ There are no commits yet, so no branch can be made. Staying on '{branch}'.**")
}

/// Warning: not in a repository.
pub const NO_REPOSITORY: &str = "**⚠ Not in a git repository, so there is no branch to work on.**";

/// Warning: the remote could not be fetched.
pub fn may_be_behind(main: &str, reason: &str) -> String {
    let (main, reason) = (printable(main), printable(reason));
    format!("**⚠ Cannot fetch origin/{main} ({reason}). {main} may be behind its remote.**")
}

/// Warning: a branch is created from the remote's main, and the local main is ahead.
pub fn left_on_main(main: &str, commits: &str) -> String {
    let (main, commits) = (printable(main), printable(commits));
    format!("**⚠ Commits on {main} that origin/{main} does not have are not on the new branch: {commits}.**")
}

/// Warning: submodules are not at the recorded commits.
pub const SUBMODULES_MOVED: &str =
    "**⚠ Submodules are not as committed here. To bring them along: git submodule update --init**";

/// A killed git left the checkout between two commits, and it cannot be mended yet.
pub const INTERRUPTED_MOVE: &str =
    "git was killed while it moved this checkout, and what it left cannot be taken back yet";

/// Warning: a killed git left the checkout between two commits.
pub const MOVE_TAKEN_BACK: &str =
    "**⚠ git was killed while it moved this checkout. The files that it had written were taken back.**";

/// An earlier run of the feature was killed inside git.
pub const INTERRUPTED_RUN: &str = "git was killed here while it moved the checkout for the last run of this feature, which takes that back when it is resumed";

/// Last line of a refusal after which the run is resumed as it is: no answer is changed.
pub const THEN_RESUME: &str = "Then resume the run.";

/// Warning: the branch has changed since the run began.
pub fn branch_changed(from: &str, current: &str) -> String {
    let (from, current) = (printable(from), printable(current));
    format!("**⚠ The run began on '{from}', and '{current}' is checked out now.**")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_inside_the_parentheses() {
        assert_eq!(
            tool_unhealthy("Codex", None, Some("Claude")),
            "**⚠ Codex installed but not responding (health check failed). Using Claude replacement.**"
        );
        assert_eq!(
            tool_unhealthy("Cursor", Some("exit code 7\n"), Some("Claude")),
            "**⚠ Cursor installed but not responding (health check failed: exit code 7\\n). Using Claude replacement.**"
        );
    }

    #[test]
    fn a_missing_replacement_leaves_the_seats_empty() {
        assert_eq!(
            tool_unhealthy("Codex", None, Some("Gemini")),
            "**⚠ Codex installed but not responding (health check failed). Using Gemini replacement.**"
        );
        assert_eq!(
            tool_unhealthy("Codex", None, None),
            "**⚠ Codex installed but not responding (health check failed). Its seats stay empty.**"
        );
    }

    #[test]
    fn names_from_outside_stay_on_their_line() {
        assert!(!branch_may_not_match("x\u{1b}[2K\ny").contains(['\n', '\u{1b}']));
        assert!(clean_main_required("design", "ada").contains("create a ada/* feature branch"));
    }
}
