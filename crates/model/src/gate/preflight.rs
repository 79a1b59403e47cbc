//! Conditions of a run that starts from main: main checked out, a clean tree, and up to date with the remote.
//! The first violation ends the run.
//!
//! The caller's settings decide if an unreachable remote is a failure.

use crate::escape::printable;
use crate::plumbing::CommandAnswer;

/// A violated condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreflightError {
    /// Another branch, or a detached HEAD.
    #[error("Not on {} branch (current: '{}')", printable(.main), printable(.current))]
    NotOnMain {
        main: String,
        /// Empty when HEAD is detached.
        current: String,
    },
    /// Uncommitted changes.
    #[error("Working tree is not clean")]
    Dirty,
    /// A rebase that was begun by somebody, or by a git that was killed.
    #[error("A rebase is not finished")]
    Rebasing,
    /// A lock of git, described with its cure.
    #[error("Locked by git: {0}")]
    Locked(String),
    /// The remote did not answer.
    #[error("Failed to fetch origin/{}", printable(.0))]
    FetchFailed(String),
    /// Local commits conflict with the remote's.
    #[error("Failed to rebase onto origin/{}", printable(.0))]
    RebaseFailed(String),
}

impl PreflightError {
    pub fn code(&self) -> u8 {
        match self {
            PreflightError::NotOnMain { .. } => 1,
            PreflightError::Dirty | PreflightError::Rebasing | PreflightError::Locked(_) => 2,
            PreflightError::FetchFailed(_) | PreflightError::RebaseFailed(_) => 3,
        }
    }
}

/// A violated condition in the words of a person: what is the matter, and what to type, one line each. `elsewhere` is the
/// quoted path of another worktree that has main checked out: git does not check it out twice.
pub fn describe(error: &str, user_prefix: &str, elsewhere: Option<&str>) -> Option<(String, Vec<String>)> {
    let own = format!("git switch -c {user_prefix}/NAME");
    if error == PreflightError::Dirty.to_string() {
        return Some((
            "there are changes that are not committed".to_owned(),
            vec![
                "Commit them, or put them aside: git stash -u".to_owned(),
                format!("Or take them along on a branch of your own: {own}"),
            ],
        ));
    }
    if error == PreflightError::Rebasing.to_string() {
        return Some((
            "a rebase is not finished in this checkout".to_owned(),
            vec![
                "Finish it: git rebase --continue".to_owned(),
                "Or take it back: git rebase --abort".to_owned(),
            ],
        ));
    }
    if let Some(lock) = error.strip_prefix("Locked by git: ") {
        return Some((format!("a lock of git is in the way: {lock}"), Vec::new()));
    }
    let (main, current) = error.strip_prefix("Not on ")?.split_once(" branch (current: '")?;
    let current = current.strip_suffix("')")?;
    let problem = if current.is_empty() {
        "no branch is checked out (HEAD is detached)".to_owned()
    } else {
        format!("{current} is checked out, which is neither {main} nor a branch of yours ({user_prefix}/…)")
    };
    let hints = vec![
        match elsewhere {
            None => format!("Start from {main}: git switch {main}"),
            Some(folder) => format!("Start from {main}, which is checked out elsewhere: cd {folder}"),
        },
        format!("Or from here, on a branch of your own: {own}"),
    ];
    Some((problem, hints))
}

/// Lines and exit code of a preflight.
pub fn answer(result: Result<(), PreflightError>) -> CommandAnswer {
    match result {
        Ok(()) => CommandAnswer::ok(vec!["PREFLIGHT=ok".to_owned()]),
        Err(error) => CommandAnswer {
            code: error.code(),
            stdout: vec!["PREFLIGHT=fail".to_owned(), format!("PREFLIGHT_ERROR={error}")],
            stderr: Vec::new(),
        },
    }
}

/// Checks branch and tree. A detached HEAD is not on main.
pub fn check_tree(main: &str, current: &str, clean: bool) -> Result<(), PreflightError> {
    if current != main {
        return Err(PreflightError::NotOnMain { main: main.to_owned(), current: current.to_owned() });
    }
    if !clean {
        return Err(PreflightError::Dirty);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_problems_are_told_apart() {
        let not_on = |current: &str| PreflightError::NotOnMain {
            main: "main".to_owned(),
            current: current.to_owned(),
        };
        for (error, told) in [
            (PreflightError::Dirty, Some("there are changes that are not committed")),
            (not_on(""), Some("no branch is checked out (HEAD is detached)")),
            (
                not_on("bob/x"),
                Some("bob/x is checked out, which is neither main nor a branch of yours (ada/…)"),
            ),
            (PreflightError::FetchFailed("main".to_owned()), None),
        ] {
            let described = describe(&error.to_string(), "ada", None);
            assert_eq!(described.as_ref().map(|(problem, _)| problem.as_str()), told, "{error}");
            assert!(described.is_none_or(|(_, hints)| hints.iter().any(|hint| hint.contains("ada/NAME"))));
        }
    }

    #[test]
    fn the_branch_is_looked_at_before_the_tree() {
        for (current, clean, code, error) in [
            ("main", true, 0, None),
            ("main", false, 2, Some("PREFLIGHT_ERROR=Working tree is not clean")),
            ("ada/x", false, 1, Some("PREFLIGHT_ERROR=Not on main branch (current: 'ada/x')")),
            ("", true, 1, Some("PREFLIGHT_ERROR=Not on main branch (current: '')")),
        ] {
            let answer = answer(check_tree("main", current, clean));
            assert_eq!(answer.code, code);
            assert_eq!(answer.stdout[0], if code == 0 { "PREFLIGHT=ok" } else { "PREFLIGHT=fail" });
            assert_eq!(answer.stdout.get(1).map(String::as_str), error);
        }
    }

    #[test]
    fn an_unreachable_remote_and_a_failed_rebase_share_a_code() {
        assert_eq!(answer(Err(PreflightError::FetchFailed("main".to_owned()))).code, 3);
        assert_eq!(answer(Err(PreflightError::RebaseFailed("main".to_owned()))).code, 3);
    }
}
