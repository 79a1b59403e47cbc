//! Which branch a run works on: the current one, or a new one.

use super::state::BranchState;
use crate::gate::texts;

/// What to do about the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Make a branch from main.
    Create,
    /// Stay.
    Reuse,
    /// The user's own branch, but it looks like another feature's: ask. With nobody to ask, say the warning
    /// and make a branch.
    Ask {
        /// What to say.
        warning: String,
    },
    /// Somebody else's branch: say the warning and make a branch.
    Leave {
        /// What to say.
        warning: String,
    },
}

/// Decides for a feature. `made_here` says whether charrette made the current branch for this very feature.
pub fn decide(state: &BranchState, feature: &str, made_here: bool) -> Decision {
    if state.is_main {
        return Decision::Create;
    }
    if made_here {
        return Decision::Reuse;
    }
    if !state.is_user_branch {
        return Decision::Leave { warning: texts::branch_not_the_users(&state.current, &state.user_prefix) };
    }
    if shares_a_word(&state.current, feature) {
        return Decision::Reuse;
    }
    Decision::Ask { warning: texts::branch_may_not_match(&state.current) }
}

/// Whether the last part of a branch and a feature's name have a word in common.
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
    use crate::branch::Surroundings;

    #[test]
    fn main_makes_a_branch_the_users_is_kept_if_related_and_others_are_left() {
        let around = Surroundings { main: "main", user_prefix: "ada", ..Surroundings::default() };
        let ask = || Decision::Ask { warning: texts::branch_may_not_match("ada/search") };
        let leave = || Decision::Leave { warning: texts::branch_not_the_users("topic", "ada") };
        for (current, made_here, decision) in [
            ("main", false, Decision::Create),
            ("", false, Decision::Create),
            ("ada/add-login", false, Decision::Reuse),
            ("ada/Login_page", false, Decision::Reuse),
            ("ada/search", true, Decision::Reuse),
            ("ada/search", false, ask()),
            ("topic", false, leave()),
            ("topic", true, Decision::Reuse),
        ] {
            let state = BranchState::of(current, &around);
            assert_eq!(decide(&state, "add-login", made_here), decision, "{current}");
        }
    }

    #[test]
    fn the_prefix_is_no_common_word() {
        let around = Surroundings { main: "main", user_prefix: "login", ..Surroundings::default() };
        let state = BranchState::of("login/search", &around);
        assert!(matches!(decide(&state, "add-login", false), Decision::Ask { .. }));
    }
}
