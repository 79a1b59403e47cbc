//! What a run that starts from main must find: main checked out, a clean tree, and nothing missing from the
//! remote. The first thing that is not so ends the run.
//!
//! Whether an unreachable remote is a failure at all is a setting of the caller's.

use crate::plumbing::Answer;
use crate::shown::shown;

/// Why a run cannot start from here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreflightError {
    /// Another branch, or none, is checked out.
    #[error("Not on {} branch (current: '{}')", shown(.main), shown(.current))]
    NotOnMain {
        /// The main branch.
        main: String,
        /// The current one; empty when detached.
        current: String,
    },
    /// There are uncommitted changes.
    #[error("Working tree is not clean")]
    Dirty,
    /// The remote did not answer.
    #[error("Failed to fetch origin/{}", shown(.0))]
    FetchFailed(String),
    /// Local commits do not go on top of the remote's.
    #[error("Failed to rebase onto origin/{}", shown(.0))]
    RebaseFailed(String),
}

impl PreflightError {
    /// The exit code scripts know it by.
    pub fn code(&self) -> u8 {
        match self {
            PreflightError::NotOnMain { .. } => 1,
            PreflightError::Dirty => 2,
            PreflightError::FetchFailed(_) | PreflightError::RebaseFailed(_) => 3,
        }
    }
}

/// The lines of a preflight.
pub fn answer(result: Result<(), PreflightError>) -> Answer {
    match result {
        Ok(()) => Answer::ok(vec!["PREFLIGHT=ok".to_owned()]),
        Err(error) => Answer {
            code: error.code(),
            stdout: vec!["PREFLIGHT=fail".to_owned(), format!("PREFLIGHT_ERROR={error}")],
            stderr: Vec::new(),
        },
    }
}

/// Compares what is checked out with what a run from main needs. A detached head is not on main.
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
