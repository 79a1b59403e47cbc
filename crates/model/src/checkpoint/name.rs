//! Commands, names of state documents, and names of phases.

use crate::escape::printable;
use crate::feature::name::{FeaturePath, InvalidName};
use std::fmt;

/// The seven commands that keep a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Command {
    /// Branch or worktree, and tracker issue.
    Start,
    /// A cited map of the code for a topic.
    Research,
    /// Request to approved specification.
    Design,
    /// The tasks of a specification.
    Implement,
    /// Checks and review of the current change.
    Review,
    /// Plan against implementation.
    Reconcile,
    /// Commit, push, pull request.
    Ship,
}

impl Command {
    /// In the order of work.
    pub const ALL: [Command; 7] = [
        Command::Start,
        Command::Research,
        Command::Design,
        Command::Implement,
        Command::Review,
        Command::Reconcile,
        Command::Ship,
    ];

    /// The name on the command line and in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Command::Start => "start",
            Command::Research => "research",
            Command::Design => "design",
            Command::Implement => "implement",
            Command::Review => "review",
            Command::Reconcile => "reconcile",
            Command::Ship => "ship",
        }
    }

    pub fn parse(name: &str) -> Option<Command> {
        Command::ALL.into_iter().find(|command| command.as_str() == name)
    }

    /// Phases of the command's runs, in order. Documents may use others; see [`phase_name`].
    pub fn phases(self) -> &'static [&'static str] {
        match self {
            Command::Start => &["branch", "issue-creation"],
            Command::Research => &["discovery", "synthesis"],
            Command::Design => &["research", "write", "validate"],
            Command::Implement => &["implementation", "validation"],
            Command::Review => &["analysis", "feedback"],
            Command::Reconcile => &["analysis", "reconciliation"],
            Command::Ship => &["pre-flight", "commit", "push"],
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of one state document: a command and, usually, a feature.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentName {
    command: String,
    feature: Option<FeaturePath>,
}

impl DocumentName {
    /// Without a feature: the document of the command alone.
    pub fn new(command: Command, feature: Option<FeaturePath>) -> DocumentName {
        DocumentName { command: command.as_str().to_owned(), feature }
    }

    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn feature(&self) -> Option<&FeaturePath> {
        self.feature.as_ref()
    }

    /// The command and feature as text.
    pub fn key(&self) -> RunKey<'_> {
        RunKey { command: &self.command, feature: self.feature.as_ref().map(FeaturePath::as_str) }
    }

    /// The stem of every file that belongs to this document: `design-add-login`, `ship-checkpoint`.
    ///
    /// Commands have no `-` in them and no feature is called `checkpoint`, so no two names share a stem.
    pub fn stem(&self) -> String {
        match &self.feature {
            Some(feature) => format!("{}-{feature}", self.command),
            None => format!("{}-checkpoint", self.command),
        }
    }

    /// The inverse of [`stem`](DocumentName::stem).
    pub fn from_stem(stem: &str) -> Option<DocumentName> {
        let (command, feature) = stem.split_once('-')?;
        let command = Command::parse(command)?;
        if feature == "checkpoint" {
            return Some(DocumentName::new(command, None));
        }
        let feature = FeaturePath::parse(feature).ok()?;
        let name = DocumentName::new(command, Some(feature));
        (name.stem() == stem).then_some(name)
    }

    /// Parses a feature as typed, with `/` or `.` between the segments of a nested one.
    pub fn for_feature(command: Command, feature: Option<&str>) -> Result<DocumentName, InvalidName> {
        Ok(DocumentName::new(command, feature.map(FeaturePath::parse).transpose()?))
    }
}

/// The command and feature that identify a run, as written in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunKey<'a> {
    pub command: &'a str,
    pub feature: Option<&'a str>,
}

/// Checks the name of a phase: a letter or digit, then up to 63 letters, digits, `.`, `_` or `-`.
pub fn phase_name(name: &str) -> Result<&str, InvalidPhaseName> {
    let valid_start = name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    let valid_rest = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if valid_start && valid_rest && name.len() <= 64 {
        Ok(name)
    } else {
        Err(InvalidPhaseName(name.to_owned()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "Invalid phase name '{}'. Start with a letter or digit, then up to 63 letters, digits, '.', '_' or '-'",
    printable(.0)
)]
pub struct InvalidPhaseName(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_may_be_called_almost_anything_harmless() {
        for good in ["research", "phase-1", "loop1_tier1", "A.b", "9", &"x".repeat(64)] {
            assert!(phase_name(good).is_ok(), "{good}");
        }
        for bad in ["", "__proto__", "-x", ".x", "a b", "a/b", "a\0", "ä", "a\n", &"x".repeat(65)] {
            assert!(phase_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn stems_and_names_are_one_to_one() {
        for (command, feature, stem) in [
            (Command::Design, Some("add-login"), "design-add-login"),
            (Command::Ship, None, "ship-checkpoint"),
            (Command::Design, Some("shop/cart/coupons"), "design-shop.cart.coupons"),
        ] {
            let name = DocumentName::for_feature(command, feature).unwrap();
            assert_eq!(name.stem(), stem);
            assert_eq!(DocumentName::from_stem(stem), Some(name));
        }
        for foreign in
            ["loop-state", "design", "design-", "design-A", "design-a--b", "build-x", "design-dist"]
        {
            assert_eq!(DocumentName::from_stem(foreign), None, "{foreign}");
        }
    }
}
