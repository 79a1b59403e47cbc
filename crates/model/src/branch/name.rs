//! Branch names: `<user prefix>/<words of the feature>`.

use super::create::is_safe_ref;
use crate::feature::words;

/// Prefix for a `user.name` without a usable character.
const FALLBACK_PREFIX: &str = "dev";
const MAX_PREFIX: usize = 20;
/// Leaves room for a few words behind it.
const MAX_GIVEN_PREFIX: usize = 30;
/// Exclusive.
const NAME_LIMIT: usize = 50;

/// The prefix of a user's branches, from git's `user.name`.
///
/// Hyphens at both ends are dropped: git refuses a branch that starts with one.
pub fn user_prefix(user_name: &str) -> String {
    let prefix: String = user_name
        .chars()
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
        .skip_while(|c| *c == '-')
        .take(MAX_PREFIX)
        .collect();
    match prefix.trim_end_matches('-') {
        "" => FALLBACK_PREFIX.to_owned(),
        prefix => prefix.to_owned(),
    }
}

/// The prefix given by a caller: unchanged if it is a valid start of a branch name, otherwise sanitised.
pub fn given_prefix(given: &str) -> String {
    if is_safe_ref(given) && given.len() <= MAX_GIVEN_PREFIX { given.to_owned() } else { user_prefix(given) }
}

/// The text a feature's branch is named after. Everything nested in a feature of a project shares one topic:
/// `design-<project>-<feature>`.
pub fn branch_topic(feature: &str) -> String {
    let segments: Vec<&str> = feature.split('.').take(2).collect();
    match segments.as_slice() {
        [outer, inner] => format!("design-{outer}-{inner}"),
        _ => feature.to_owned(),
    }
}

/// Branch name for a feature, from its description or its name: kebab-case, cut at a word, under 50
/// characters.
pub fn branch_name(prefix: &str, description: &str) -> String {
    build_name(prefix, description, "")
}

/// [`branch_name`] with a number appended if that name is taken.
pub fn unused_branch_name(prefix: &str, description: &str, taken: impl Fn(&str) -> bool) -> String {
    let first = branch_name(prefix, description);
    if !taken(&first) {
        return first;
    }
    let mut numbered = (2_u32..).map(|number| build_name(prefix, description, &format!("-{number}")));
    numbered.find(|name| !taken(name)).unwrap_or(first)
}

fn build_name(prefix: &str, description: &str, suffix: &str) -> String {
    let room = (NAME_LIMIT - 1).saturating_sub(prefix.len() + 1 + suffix.len());
    let mut name = words::slug(description, room);
    if name.is_empty() {
        "feature".clone_into(&mut name);
    }
    format!("{prefix}/{name}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nested_features_share_the_topic_of_their_feature() {
        for (feature, topic) in [
            ("add-login", "add-login"),
            ("shop.cart", "design-shop-cart"),
            ("shop.cart.checkout", "design-shop-cart"),
        ] {
            assert_eq!(branch_topic(feature), topic);
        }
        assert_eq!(branch_name("ada", &branch_topic("shop.cart.checkout")), "ada/design-shop-cart");
    }

    #[test]
    fn the_prefix_is_what_is_left_of_the_users_name() {
        for (name, prefix) in [
            ("Ada Lovelace", "ada-lovelace"),
            ("ada", "ada"),
            ("José  Peña", "jos--pea"),
            ("Ada_L.", "adal"),
            ("Wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinha"),
            ("Nineteen characters X", "nineteen-characters"),
            ("李", "dev"),
            ("", "dev"),
            ("---", "dev"),
            (" -Ada- ", "ada"),
            ("\u{212a}elvin", "elvin"),
            ("a\tb\nc", "abc"),
        ] {
            assert_eq!(user_prefix(name), prefix, "{name:?}");
        }
    }

    #[test]
    fn branches_are_short_and_cut_at_a_word() {
        assert_eq!(branch_name("ada", "add user auth"), "ada/add-user-auth");
        assert_eq!(branch_name("ada", "Add OAuth 2.0 (PKCE)!"), "ada/add-oauth-2-0-pkce");
        assert_eq!(branch_name("ada", "修复"), "ada/feature");
        let long = branch_name("ada", "rate limiting for every public endpoint of the billing service");
        assert_eq!(long, "ada/rate-limiting-for-every-public-endpoint-of");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_and_stays_short() {
        let taken = |names: &'static [&str]| move |name: &str| names.contains(&name);
        assert_eq!(unused_branch_name("ada", "add-login", taken(&[])), "ada/add-login");
        assert_eq!(unused_branch_name("ada", "add-login", taken(&["ada/add-login"])), "ada/add-login-2");
        assert_eq!(
            unused_branch_name("ada", "add-login", taken(&["ada/add-login", "ada/add-login-2"])),
            "ada/add-login-3"
        );
        let long = "rate limiting for every public endpoint of a billing service";
        assert_eq!(branch_name("ada", long).len(), 48);
        let next = unused_branch_name("ada", long, |name| name == branch_name("ada", long));
        assert_eq!(next, "ada/rate-limiting-for-every-public-endpoint-of-2");
    }

    #[test]
    fn a_given_prefix_is_believed_as_far_as_git_would() {
        for (given, prefix) in [
            ("ada", "ada"),
            ("team/ada_l", "team/ada_l"),
            ("--force", "force"),
            ("a..b", "ab"),
            ("$(x)", "$(x)"),
            ("a b", "a-b"),
            ("", "dev"),
            ("wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinha"),
        ] {
            assert_eq!(given_prefix(given), prefix, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn a_branch_always_starts_with_its_prefix_and_is_under_fifty(user in ".{0,60}", description in ".{0,200}") {
            let prefix = user_prefix(&user);
            let branch = branch_name(&prefix, &description);
            prop_assert!(branch.len() < NAME_LIMIT);
            prop_assert!(crate::branch::create::is_safe_ref(&branch), "{branch}");
            let start = format!("{prefix}/");
            prop_assert!(branch.starts_with(&start));
        }
    }
}
