//! What branches are called: `<user prefix>/<words of the feature>`.

use crate::feature::words;

/// The prefix of somebody who has no name git could use.
const NOBODY: &str = "dev";
const MAX_PREFIX: usize = 20;
/// A branch name is shorter than this.
const NAME_LIMIT: usize = 50;

/// The prefix of a user's branches, from git's `user.name`.
///
/// Hyphens at the edges go, in front as well: git takes no branch that starts with one.
pub fn user_prefix(user_name: &str) -> String {
    let prefix: String = user_name
        .chars()
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')
        .skip_while(|c| *c == '-')
        .take(MAX_PREFIX)
        .collect();
    match prefix.trim_end_matches('-') {
        "" => NOBODY.to_owned(),
        prefix => prefix.to_owned(),
    }
}

/// The branch for a feature, from its description or its name: kebab-case, cut at a word, under 50 characters.
pub fn branch_name(prefix: &str, description: &str) -> String {
    let room = (NAME_LIMIT - 1).saturating_sub(prefix.len() + 1);
    let mut name = words::joined(description, room);
    if name.is_empty() {
        "feature".clone_into(&mut name);
    }
    format!("{prefix}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
