//! `charrette branch create NAME`: the checks before git is called, and the lines of the answer.

use super::state::{BranchContext, starts_with_segment};
use crate::escape::printable;
use crate::plumbing::CommandAnswer;

/// Checks the name of a new branch.
pub fn check(name: &str, context: &BranchContext<'_>, exists: bool) -> Result<(), CreateError> {
    if !starts_with_segment(name, context.user_prefix) && !starts_with_segment(name, context.branch_prefix) {
        return Err(CreateError::Prefix { name: name.to_owned(), prefix: context.user_prefix.to_owned() });
    }
    if !is_safe_ref(name) {
        return Err(CreateError::NotAName(name.to_owned()));
    }
    if exists {
        return Err(CreateError::Exists(name.to_owned()));
    }
    Ok(())
}

/// Lines and exit code of the command.
pub fn answer(name: &str, result: Result<(), CreateError>) -> CommandAnswer {
    match result {
        Ok(()) => CommandAnswer::ok(vec![format!("BRANCH_NAME={name}"), "ACTION=created".to_owned()]),
        Err(error) => CommandAnswer::failure(error.code(), format!("ERROR={error}")),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// The branch would not be recognised as the user's.
    #[error("branch name '{}' must start with '{}/'", printable(.name), printable(.prefix))]
    Prefix { name: String, prefix: String },
    /// Not a valid git ref, or mistakable for an option or a path.
    #[error("'{}' is not a valid branch name", printable(.0))]
    NotAName(String),
    #[error("branch '{}' already exists", printable(.0))]
    Exists(String),
    /// The main branch could not be fetched.
    #[error("could not fetch origin {}", printable(.0))]
    Fetch(String),
    /// `git branch` failed.
    #[error("could not create branch '{}'", printable(.0))]
    Git(String),
}

impl CreateError {
    pub fn code(&self) -> u8 {
        match self {
            CreateError::Exists(_) => 1,
            _ => 2,
        }
    }
}

/// True if git accepts the name as a branch and no program mistakes it for an option or a path.
pub fn is_safe_ref(name: &str) -> bool {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || r"~^:?*[\".contains(c);
    let part_is_fine = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && part.strip_suffix(".lock").is_none()
    };
    name.len() <= 244
        && !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(part_is_fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> BranchContext<'static> {
        BranchContext {
            main: "main",
            user_prefix: "ada",
            branch_prefix: "feature",
            ..BranchContext::default()
        }
    }

    #[test]
    fn a_new_branch_is_the_users_and_new() {
        for (name, exists, code, said) in [
            ("ada/x", false, 0, "BRANCH_NAME=ada/x"),
            ("feature/x", false, 0, "BRANCH_NAME=feature/x"),
            ("ada/x", true, 1, "ERROR=branch 'ada/x' already exists"),
            ("bob/x", false, 2, "ERROR=branch name 'bob/x' must start with 'ada/'"),
            ("x", true, 2, "ERROR=branch name 'x' must start with 'ada/'"),
            ("ada/", false, 2, "ERROR='ada/' is not a valid branch name"),
            ("ada/../../x", false, 2, "ERROR='ada/../../x' is not a valid branch name"),
            ("ada/a b", false, 2, "ERROR='ada/a b' is not a valid branch name"),
            ("ada/x\ny", false, 2, "ERROR='ada/x\\ny' is not a valid branch name"),
        ] {
            let answer = answer(name, check(name, &context(), exists));
            assert_eq!(answer.code, code, "{name:?}");
            let first = answer.stdout.first().or(answer.stderr.first());
            assert_eq!(first.map(String::as_str), Some(said));
        }
        assert_eq!(answer("ada/x", Ok(())).stdout[1], "ACTION=created");
    }

    #[test]
    fn git_failures_have_the_usage_code() {
        assert_eq!(answer("ada/x", Err(CreateError::Fetch("main".to_owned()))).code, 2);
        assert_eq!(answer("ada/x", Err(CreateError::Git("ada/x".to_owned()))).code, 2);
    }

    #[test]
    fn names_git_would_refuse_are_refused_first() {
        for bad in [
            "-x", "a/-b", ".a", "a/.b", "a.lock", "a/", "/a", "a//b", "a..b", "a@{b", "a~1", "a^", "a:b",
            "a?", "a*", "a[b", "a\\b", "a.", "", "a\u{7f}",
        ] {
            assert!(!is_safe_ref(bad), "{bad:?}");
        }
        for good in ["a", "ada/add-login", "feature/ABC-12_x", "ünï/cödé", "a@b"] {
            assert!(is_safe_ref(good), "{good:?}");
        }
    }
}
