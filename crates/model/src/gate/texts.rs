//! The sentences of set-up and branching, word for word. Scripts and people search for them.

use crate::shown::shown;

/// Said when `--branch-info` lacks one of its four keys.
pub const BRANCH_INFO_INCOMPLETE: &str =
    "**⚠ --branch-info is incomplete. Falling back to charrette branch check.**";

/// Said after the gate's own error line: whoever called the gate broke its contract.
pub fn entry_contract_violation(command: &str) -> String {
    format!("⚠ charrette {command}: internal Step 0 contract violation in charrette gate entry. Aborting.")
}

/// Said after a failed preflight; never after a gate error.
pub fn clean_main_required(command: &str, user_prefix: &str) -> String {
    let prefix = shown(user_prefix);
    format!(
        "⚠ charrette {command} requires clean main to start. To continue, choose one of: (a) git checkout main && git status clean → re-run; (b) check out or create a {prefix}/* feature branch and re-run (the branch naming convention is the explicit opt-in to continue from current state); (c) commit or stash uncommitted changes on main first."
    )
}

/// Said when a user's branch looks like another feature's.
pub fn branch_may_not_match(branch: &str) -> String {
    let branch = shown(branch);
    format!(
        "**⚠ Current branch '{branch}' may not match the requested feature. Creating a new branch from main.**"
    )
}

/// Said on a branch that is neither main nor the user's.
pub fn branch_not_the_users(branch: &str, user_prefix: &str) -> String {
    let (branch, prefix) = (shown(branch), shown(user_prefix));
    format!(
        "**⚠ Currently on branch '{branch}' which doesn't match the expected '{prefix}/*' pattern. Creating a new branch from main.**"
    )
}

/// Said when a tool's program is not there.
pub fn tool_missing(tool: &str) -> String {
    format!("**⚠ {tool} not available (binary not found). Proceeding without {tool} reviewer.**")
}

/// Said when a tool is there and does not answer. Who sits in its place is named, as far as anybody does.
pub fn tool_unhealthy(tool: &str, reason: Option<&str>, replacement: Option<&str>) -> String {
    let reason = reason.map(|reason| format!(": {}", shown(reason))).unwrap_or_default();
    let instead = match replacement {
        Some(replacement) => format!("Using {} replacement.", shown(replacement)),
        None => "Its seats stay empty.".to_owned(),
    };
    format!("**⚠ {tool} installed but not responding (health check failed{reason}). {instead}**")
}

/// Said in a repository without commits.
pub fn no_commits(branch: &str) -> String {
    let branch = shown(branch);
    format!("**⚠ There are no commits yet, so no branch can be made. Staying on '{branch}'.**")
}

/// Said outside a repository.
pub const NO_REPOSITORY: &str = "**⚠ Not in a git repository, so there is no branch to work on.**";

/// Said when nobody knows what the remote has.
pub fn may_be_behind(main: &str, reason: &str) -> String {
    let (main, reason) = (shown(main), shown(reason));
    format!("**⚠ Cannot fetch origin/{main} ({reason}). {main} may be behind its remote.**")
}

/// Said when a branch is made from the remote's main, and there is more on the local one.
pub fn left_on_main(main: &str, commits: &str) -> String {
    let (main, commits) = (shown(main), shown(commits));
    format!("**⚠ Commits on {main} that origin/{main} does not have are not on the new branch: {commits}.**")
}

/// Said when submodules do not stand where the commit wants them.
pub const SUBMODULES_MOVED: &str =
    "**⚠ Submodules are not as committed here. To bring them along: git submodule update --init**";

/// Said when the branch has changed since the run began.
pub fn branch_changed(from: &str, current: &str) -> String {
    let (from, current) = (shown(from), shown(current));
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
    fn nobody_is_said_to_sit_who_does_not() {
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
