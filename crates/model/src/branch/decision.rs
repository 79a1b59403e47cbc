//! The branch a run works on: the current one or a new one.

use super::state::BranchState;
use crate::gate::texts;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchDecision {
    /// Create a branch from main.
    Create,
    /// Stay on the current branch.
    Reuse,
    /// The user's own branch, but apparently another feature's: ask. In an unattended run, print the warning
    /// and create a branch.
    Ask { warning: String },
    /// Another user's branch: print the warning and create a branch.
    Leave { warning: String },
}

/// Chooses the branch of a feature. `created_for_feature` is true if charrette created the current branch for this
/// feature.
pub fn decide(state: &BranchState, feature: &str, created_for_feature: bool) -> BranchDecision {
    if state.is_main {
        return BranchDecision::Create;
    }
    if created_for_feature {
        return BranchDecision::Reuse;
    }
    if !state.is_user_branch {
        return BranchDecision::Leave {
            warning: texts::branch_not_the_users(&state.current, &state.user_prefix),
        };
    }
    if shares_a_word(&state.current, feature) {
        return BranchDecision::Reuse;
    }
    BranchDecision::Ask { warning: texts::branch_may_not_match(&state.current) }
}

/// True if the last segment of a branch and a feature's name have a word in common.
fn shares_a_word(branch: &str, feature: &str) -> bool {
    let topic = branch.rsplit('/').next().unwrap_or(branch);
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let feature = words(feature);
    words(topic).iter().any(|word| feature.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branch::BranchContext;

    #[test]
    fn main_makes_a_branch_the_users_is_kept_if_related_and_others_are_left() {
        let context = BranchContext { main: "main", user_prefix: "ada", ..BranchContext::default() };
        let ask = || BranchDecision::Ask { warning: texts::branch_may_not_match("ada/search") };
        let leave = || BranchDecision::Leave { warning: texts::branch_not_the_users("topic", "ada") };
        for (current, created_for_feature, decision) in [
            ("main", false, BranchDecision::Create),
            ("", false, BranchDecision::Create),
            ("ada/add-login", false, BranchDecision::Reuse),
            ("ada/Login_page", false, BranchDecision::Reuse),
            ("ada/search", true, BranchDecision::Reuse),
            ("ada/search", false, ask()),
            ("topic", false, leave()),
            ("topic", true, BranchDecision::Reuse),
        ] {
            let state = BranchState::new(current, &context);
            assert_eq!(decide(&state, "add-login", created_for_feature), decision, "{current}");
        }
    }

    #[test]
    fn the_prefix_is_no_common_word() {
        let context = BranchContext { main: "main", user_prefix: "login", ..BranchContext::default() };
        let state = BranchState::new("login/search", &context);
        assert!(matches!(decide(&state, "add-login", false), BranchDecision::Ask { .. }));
    }
}
