//! Classification of the current branch: main, the user's own, or another.

use crate::plumbing::CommandAnswer;

/// Sources of the main branch's name.
#[derive(Debug, Clone, Copy, Default)]
pub struct MainBranch<'a> {
    /// From the configuration; may be empty.
    pub configured: &'a str,
    /// The remote's HEAD, as `origin/main` or `main`.
    pub origin_head: Option<&'a str>,
    pub branches: &'a [&'a str],
}

impl<'a> MainBranch<'a> {
    /// The name: configured, else the remote's HEAD, else the only branch, else `main`, else `master`.
    pub fn name(self) -> &'a str {
        if !self.configured.is_empty() {
            return self.configured;
        }
        if let Some(head) = self.origin_head {
            return head.strip_prefix("origin/").unwrap_or(head);
        }
        match self.branches {
            [only] => only,
            branches if !branches.contains(&"main") && branches.contains(&"master") => "master",
            _ => "main",
        }
    }
}

/// Settings and repository facts that classify a branch.
#[derive(Debug, Clone, Copy, Default)]
pub struct BranchContext<'a> {
    pub main: &'a str,
    /// Prefix of the user's branches, see [`super::user_prefix`].
    pub user_prefix: &'a str,
    /// Prefix allowed by the configuration; may be empty.
    pub branch_prefix: &'a str,
    /// Branches charrette created for this feature.
    pub created_for_feature: &'a [&'a str],
}

/// The current branch and its classification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchState {
    /// Empty when HEAD is detached.
    pub current: String,
    /// True for a detached HEAD too, so that a run starts from there.
    pub is_main: bool,
    pub is_user_branch: bool,
    pub user_prefix: String,
}

impl BranchState {
    /// Classifies the current branch; an empty name means a detached HEAD.
    pub fn new(current: &str, context: &BranchContext<'_>) -> BranchState {
        let is_main = current.is_empty() || current == context.main;
        let owned = starts_with_segment(current, context.user_prefix)
            || starts_with_segment(current, context.branch_prefix)
            || context.created_for_feature.contains(&current);
        BranchState {
            current: current.to_owned(),
            is_main,
            // Main stays main, however it is named: a run must never silently continue on it.
            is_user_branch: owned && !is_main,
            user_prefix: context.user_prefix.to_owned(),
        }
    }

    /// The lines of `charrette branch check`.
    pub fn answer(&self) -> CommandAnswer {
        CommandAnswer::ok(vec![
            format!("CURRENT_BRANCH={}", self.current),
            format!("IS_MAIN={}", self.is_main),
            format!("IS_USER_BRANCH={}", self.is_user_branch),
            format!("USER_PREFIX={}", self.user_prefix),
        ])
    }
}

/// True if a branch starts with a prefix and a slash; the prefix may end with its own separator.
pub(super) fn starts_with_segment(branch: &str, prefix: &str) -> bool {
    if prefix.is_empty() {
        return false;
    }
    let own_separator = prefix.ends_with(['/', '-', '_']);
    branch.strip_prefix(prefix).is_some_and(|rest| own_separator || rest.starts_with('/'))
}

/// Branch facts from a caller: `--branch-info "IS_MAIN=… IS_USER_BRANCH=… USER_PREFIX=… CURRENT_BRANCH=…"`.
///
/// They are trusted and not compared with the repository; the entry gate checks their form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchInfo {
    pub is_main: String,
    pub is_user_branch: String,
    pub user_prefix: String,
    /// Empty when HEAD is detached.
    pub current_branch: String,
}

impl BranchInfo {
    /// Parses the four values. Each key is required, its value may be empty. `None` if one is missing; then
    /// [`BRANCH_INFO_INCOMPLETE`](crate::gate::texts::BRANCH_INFO_INCOMPLETE) is printed and git is asked
    /// instead.
    pub fn parse(typed: &str) -> Option<BranchInfo> {
        let value = |key: &str| {
            let mut pairs = typed.split_ascii_whitespace().filter_map(|pair| pair.split_once('='));
            pairs.rfind(|(name, _)| *name == key).map(|(_, value)| value.to_owned())
        };
        Some(BranchInfo {
            is_main: value("IS_MAIN")?,
            is_user_branch: value("IS_USER_BRANCH")?,
            user_prefix: value("USER_PREFIX")?,
            current_branch: value("CURRENT_BRANCH")?,
        })
    }

    /// The facts as values. Anything but `true` is false; the entry gate has refused it by then.
    pub fn state(&self) -> BranchState {
        BranchState {
            current: self.current_branch.clone(),
            is_main: self.is_main == "true",
            is_user_branch: self.is_user_branch == "true",
            user_prefix: self.user_prefix.clone(),
        }
    }
}

impl From<&BranchState> for BranchInfo {
    fn from(state: &BranchState) -> BranchInfo {
        BranchInfo {
            is_main: state.is_main.to_string(),
            is_user_branch: state.is_user_branch.to_string(),
            user_prefix: state.user_prefix.clone(),
            current_branch: state.current.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_found_in_the_order_of_certainty() {
        for (configured, origin_head, branches, name) in [
            ("trunk", Some("origin/main"), &["main"][..], "trunk"),
            ("", Some("origin/develop"), &["main"], "develop"),
            ("", Some("release/1"), &[], "release/1"),
            ("", None, &["topic"], "topic"),
            ("", None, &["main", "master"], "main"),
            ("", None, &["a", "master"], "master"),
            ("", None, &["a", "b"], "main"),
            ("", None, &[], "main"),
        ] {
            assert_eq!(MainBranch { configured, origin_head, branches }.name(), name);
        }
    }

    #[test]
    fn a_branch_is_main_the_users_or_neither() {
        let context = BranchContext {
            main: "main",
            user_prefix: "ada",
            branch_prefix: "feature",
            created_for_feature: &["topic-7"],
        };
        for (current, is_main, is_user_branch) in [
            ("main", true, false),
            ("", true, false),
            ("ada/x", false, true),
            ("ada", false, false),
            ("adam/x", false, false),
            ("feature/x", false, true),
            ("features/x", false, false),
            ("topic-7", false, true),
            ("topic-8", false, false),
            ("master", false, false),
        ] {
            let state = BranchState::new(current, &context);
            assert_eq!((state.is_main, state.is_user_branch), (is_main, is_user_branch), "{current:?}");
        }
    }

    #[test]
    fn a_main_that_looks_like_the_users_is_still_main() {
        let context = BranchContext { main: "ada/trunk", user_prefix: "ada", ..BranchContext::default() };
        let state = BranchState::new("ada/trunk", &context);
        assert!(state.is_main && !state.is_user_branch);
    }

    #[test]
    fn the_probe_prints_four_lines() {
        let context = BranchContext { main: "main", user_prefix: "ada", ..BranchContext::default() };
        assert_eq!(
            BranchState::new("ada/x", &context).answer(),
            CommandAnswer::ok(
                ["CURRENT_BRANCH=ada/x", "IS_MAIN=false", "IS_USER_BRANCH=true", "USER_PREFIX=ada"]
                    .map(str::to_owned)
                    .to_vec()
            )
        );
        assert_eq!(BranchState::new("", &context).answer().stdout[..2], ["CURRENT_BRANCH=", "IS_MAIN=true"]);
    }

    #[test]
    fn branch_info_needs_its_four_keys_but_not_their_values() {
        let info =
            BranchInfo::parse("IS_MAIN=true  IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH=").unwrap();
        assert_eq!(info.current_branch, "");
        assert_eq!(info.is_main, "true");
        let info =
            BranchInfo::parse("X=1 CURRENT_BRANCH=a=b IS_MAIN=no IS_USER_BRANCH=false USER_PREFIX=ada")
                .unwrap();
        assert_eq!((info.current_branch.as_str(), info.is_main.as_str()), ("a=b", "no"));
        assert!(!info.state().is_main);
        let context = BranchContext { main: "main", user_prefix: "ada", ..BranchContext::default() };
        for current in ["main", "ada/x", "topic", ""] {
            let state = BranchState::new(current, &context);
            assert_eq!(BranchInfo::from(&state).state(), state);
        }
        for incomplete in [
            "",
            "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=ada",
            "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH",
            "is_main=true IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH=x",
        ] {
            assert_eq!(BranchInfo::parse(incomplete), None, "{incomplete}");
        }
    }
}
