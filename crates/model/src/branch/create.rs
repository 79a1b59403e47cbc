//! `charrette branch create NAME`: what is checked before git is asked, and what is said afterwards.

use super::state::{Surroundings, starts_with_segment};
use crate::plumbing::Answer;
use crate::shown::shown;

/// Checks a name before anything is done.
pub fn check(name: &str, around: &Surroundings<'_>, exists: bool) -> Result<(), CreateError> {
    if !starts_with_segment(name, around.user_prefix) && !starts_with_segment(name, around.branch_prefix) {
        return Err(CreateError::Prefix { name: name.to_owned(), prefix: around.user_prefix.to_owned() });
    }
    if !is_safe_ref(name) {
        return Err(CreateError::NotAName(name.to_owned()));
    }
    if exists {
        return Err(CreateError::Exists(name.to_owned()));
    }
    Ok(())
}

/// What the command says when it is done, or cannot be.
pub fn answer(name: &str, result: Result<(), CreateError>) -> Answer {
    match result {
        Ok(()) => Answer::ok(vec![format!("BRANCH_NAME={name}"), "ACTION=created".to_owned()]),
        Err(error) => Answer::refused(error.code(), format!("ERROR={error}")),
    }
}

/// Why no branch was made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// It would not be recognised as the user's.
    #[error("branch name '{}' must start with '{}/'", shown(.name), shown(.prefix))]
    Prefix {
        /// The name.
        name: String,
        /// The user's prefix.
        prefix: String,
    },
    /// Git would not take it, or it could be taken for something else.
    #[error("'{}' is not a valid branch name", shown(.0))]
    NotAName(String),
    /// There is one already.
    #[error("branch '{}' already exists", shown(.0))]
    Exists(String),
    /// Main could not be brought up to date.
    #[error("could not fetch origin {}", shown(.0))]
    Fetch(String),
    /// Git refused.
    #[error("could not create branch '{}'", shown(.0))]
    Git(String),
}

impl CreateError {
    /// The exit code scripts know it by.
    pub fn code(&self) -> u8 {
        match self {
            CreateError::Exists(_) => 1,
            _ => 2,
        }
    }
}

/// Whether git takes this as a branch name and nothing else takes it for an option or a path.
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

    fn around() -> Surroundings<'static> {
        Surroundings { main: "main", user_prefix: "ada", branch_prefix: "feature", ..Surroundings::default() }
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
            let answer = answer(name, check(name, &around(), exists));
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
