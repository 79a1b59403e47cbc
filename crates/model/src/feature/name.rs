//! Names of features, and paths of nested ones.
//!
//! A name becomes part of file names, branch names and documents, so it is restricted: lower-case words
//! joined by single hyphens. Typed names are normalised where that is unambiguous and rejected otherwise.
//! Without a typed name, one is derived from the description.

use super::words;
use crate::escape::printable;
use crate::redact::without_secrets;
use std::fmt;

/// Names of files that charrette or build tools own.
pub const RESERVED: [&str; 5] = ["checkpoint", "templates", "node_modules", "dist", "build"];

const MAX_NAME: usize = 50;
const MAX_PATH: usize = 200;
const MAX_SEGMENTS: usize = 3;
/// Limit on the search for a free name; more requests of one name are a bug of the caller.
const MAX_ATTEMPTS: usize = 10_000;

/// A feature's name, or the path `project.feature.spec` of a nested one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeaturePath(String);

impl FeaturePath {
    /// Parses a name, or up to three of them separated by `/` or `.`.
    pub fn parse(typed: &str) -> Result<FeaturePath, InvalidName> {
        if typed.len() > MAX_PATH {
            return Err(InvalidName::PathTooLong(typed.to_owned()));
        }
        let segments: Vec<&str> = typed.split(['/', '.']).collect();
        let nested = segments.len() > 1;
        if segments.len() > MAX_SEGMENTS || (nested && segments.iter().any(|segment| segment.is_empty())) {
            return Err(InvalidName::NotKebab(typed.to_owned()));
        }
        let segments = segments.into_iter().map(normalize).collect::<Result<Vec<_>, _>>()?;
        Ok(FeaturePath(segments.join(".")))
    }

    /// Derives a name from a description: its slug without secrets, cut at a word. `taken` tells which names are in use; the
    /// second of a kind gets `-2`, the third `-3`.
    pub fn derive(description: &str, taken: impl Fn(&str) -> bool) -> Result<FeaturePath, InvalidName> {
        let base = words::name_slug(&without_secrets(description), MAX_NAME);
        if base.is_empty() {
            return Err(InvalidName::Empty);
        }
        let is_free = |name: &str| !taken(name) && refuse_reserved(name).is_ok();
        if is_free(&base) {
            return Ok(FeaturePath(base));
        }
        let numbered = (2_u32..).map(|number| {
            let suffix = format!("-{number}");
            format!("{}{suffix}", words::slug(&base, MAX_NAME - suffix.len()))
        });
        let free = numbered.take(MAX_ATTEMPTS).find(|name| is_free(name));
        free.map(FeaturePath).ok_or(InvalidName::Exhausted(base))
    }

    /// The path in documents, `.` between the segments.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path in folders, `/` between the segments.
    pub fn folder(&self) -> String {
        self.0.replace('.', "/")
    }

    /// The last segment.
    pub fn last(&self) -> &str {
        self.0.rsplit('.').next().unwrap_or(&self.0)
    }

    /// The path without its last segment; `None` if it is not nested.
    pub fn parent(&self) -> Option<FeaturePath> {
        self.0.rsplit_once('.').map(|(parent, _)| FeaturePath(parent.to_owned()))
    }

    pub fn is_nested(&self) -> bool {
        self.0.contains('.')
    }

    /// The path of a feature nested in this one.
    pub fn child(&self, name: &FeaturePath) -> Result<FeaturePath, InvalidName> {
        FeaturePath::parse(&format!("{}.{}", self.0, name.0))
    }
}

impl fmt::Display for FeaturePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Anything but lower-case words and hyphens.
    #[error("Invalid spec name '{}'. Use lowercase-kebab-case format. Example: 'my-feature-name'", printable(.0))]
    NotKebab(String),
    /// Empty, or hyphens only.
    #[error("Spec name cannot be empty after normalization.")]
    Empty,
    /// One of [`RESERVED`].
    #[error("Reserved spec name '{}'. Reserved names: {}", printable(.0), RESERVED.join(", "))]
    Reserved(String),
    /// A segment over 50 characters.
    #[error("Spec name '{}' exceeds maximum length of {MAX_NAME} characters.", printable(.0))]
    TooLong(String),
    /// A path over 200 characters.
    #[error("Path '{}' exceeds maximum length of {MAX_PATH} characters.", printable(.0))]
    PathTooLong(String),
    /// Every numbered form of a derived name is taken.
    #[error("No free name is left for '{}'. Choose one with --name", printable(.0))]
    Exhausted(String),
}

/// Normalises one segment: hyphens collapsed and trimmed; anything else must be valid already.
fn normalize(typed: &str) -> Result<String, InvalidName> {
    refuse_reserved(typed)?;
    if !typed.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        return Err(InvalidName::NotKebab(typed.to_owned()));
    }
    let name = typed.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    if name.is_empty() {
        return Err(InvalidName::Empty);
    }
    refuse_reserved(&name)?;
    if name.len() > MAX_NAME {
        return Err(InvalidName::TooLong(name));
    }
    Ok(name)
}

fn refuse_reserved(name: &str) -> Result<(), InvalidName> {
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        return Err(InvalidName::Reserved(name.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_straightened_where_that_is_unambiguous() {
        for (typed, name) in [
            ("add-login", "add-login"),
            ("--add---login-", "add-login"),
            ("2fa", "2fa"),
            ("shop/cart", "shop.cart"),
            ("shop.cart.coupons", "shop.cart.coupons"),
            (&"x".repeat(50), &"x".repeat(50)),
        ] {
            assert_eq!(FeaturePath::parse(typed).unwrap().as_str(), name);
        }
    }

    #[test]
    fn invalid_names_are_rejected_with_a_reason() {
        let kebab = |name: &str| {
            format!("Invalid spec name '{name}'. Use lowercase-kebab-case format. Example: 'my-feature-name'")
        };
        let reserved = |name: &str| {
            format!(
                "Reserved spec name '{name}'. Reserved names: checkpoint, templates, node_modules, dist, build"
            )
        };
        for (typed, message) in [
            ("Add Login", kebab("Add Login")),
            ("../../etc/passwd", kebab("../../etc/passwd")),
            ("a/../b", kebab("a/../b")),
            ("a/b/c/d", kebab("a/b/c/d")),
            ("/a", kebab("/a")),
            ("a\nb", kebab("a\\nb")),
            ("naïve", kebab("naïve")),
            ("a_b", kebab("a_b")),
            ("", "Spec name cannot be empty after normalization.".to_owned()),
            ("---", "Spec name cannot be empty after normalization.".to_owned()),
            ("checkpoint", reserved("checkpoint")),
            ("--dist--", reserved("dist")),
            ("Node_Modules", reserved("Node_Modules")),
            ("shop/build", reserved("build")),
            (
                &"x".repeat(51),
                format!("Spec name '{}' exceeds maximum length of 50 characters.", "x".repeat(51)),
            ),
            (
                &"x".repeat(201),
                format!("Path '{}…' exceeds maximum length of 200 characters.", "x".repeat(200)),
            ),
        ] {
            assert_eq!(FeaturePath::parse(typed).unwrap_err().to_string(), message, "{typed:?}");
        }
    }

    #[test]
    fn a_derived_name_is_the_words_of_the_description_and_never_anothers() {
        let long = "Let operators throttle every public endpoint of the billing service";
        for (description, taken, name) in [
            ("Add rate limiting!", &[][..], "add-rate-limiting"),
            ("Add rate limiting", &["add-rate-limiting"], "add-rate-limiting-2"),
            ("Add rate limiting", &["add-rate-limiting", "add-rate-limiting-2"], "add-rate-limiting-3"),
            ("Build", &[], "build-2"),
            (
                "log in with PASSWORD=hunter2hunter2 to the reports page",
                &[],
                "log-in-with-password-to-the-reports-page",
            ),
            ("https://ada:s3cr3tpw@host/x", &[], "https-ada-host-x"),
            (long, &[], "let-operators-throttle-public-endpoint-billing"),
            (
                long,
                &["let-operators-throttle-public-endpoint-billing"],
                "let-operators-throttle-public-endpoint-billing-2",
            ),
            (&"x".repeat(70), &["x".repeat(50).as_str()], &format!("{}-2", "x".repeat(48))),
        ] {
            let derived = FeaturePath::derive(description, |name| taken.contains(&name)).unwrap();
            assert_eq!(derived.as_str(), name);
        }
        assert_eq!(FeaturePath::derive("→ ✅", |_| false), Err(InvalidName::Empty));
        assert!(matches!(FeaturePath::derive("x", |_| true), Err(InvalidName::Exhausted(_))));
    }

    #[test]
    fn a_path_knows_its_parts() {
        let path = FeaturePath::parse("shop/cart/checkout").unwrap();
        let feature = path.parent().unwrap();
        assert_eq!(
            (path.last(), path.folder().as_str(), path.is_nested()),
            ("checkout", "shop/cart/checkout", true)
        );
        assert_eq!((feature.as_str(), feature.last()), ("shop.cart", "cart"));
        assert_eq!(feature.child(&FeaturePath::parse("checkout").unwrap()), Ok(path.clone()));
        assert!(path.child(&feature).is_err());
        let alone = FeaturePath::parse("login").unwrap();
        assert_eq!((alone.parent(), alone.last(), alone.is_nested()), (None, "login", false));
    }

    proptest! {
        #[test]
        fn a_derived_name_is_one_that_could_be_typed(description in ".{0,120}", free_after in 0_usize..3) {
            let tries = std::cell::Cell::new(0);
            let taken = |_: &str| { tries.set(tries.get() + 1); tries.get() <= free_after };
            if let Ok(name) = FeaturePath::derive(&description, taken) {
                prop_assert_eq!(FeaturePath::parse(name.as_str()), Ok(name.clone()));
            }
        }

        #[test]
        fn what_is_accepted_is_always_safe_and_stable(typed in "\\PC{0,60}|[-a-z0-9/.]{0,60}") {
            if let Ok(name) = FeaturePath::parse(&typed) {
                prop_assert!(name.as_str().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.'));
                prop_assert!(!name.as_str().contains("..") && !name.as_str().contains("--"));
                prop_assert_eq!(FeaturePath::parse(name.as_str()), Ok(name.clone()));
            }
        }
    }
}
