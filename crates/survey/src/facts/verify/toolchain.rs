//! The main toolchain of a repository.

use super::proposal::{ProposedCommands, RepositoryFiles};
use super::{cargo, go, jvm, node, python, ruby};

/// Tools of a language, with conventions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toolchain {
    Cargo,
    Go,
    Jvm,
    Node,
    Python,
    Ruby,
}

impl Toolchain {
    const ALL: [Toolchain; 6] = [
        Toolchain::Cargo,
        Toolchain::Go,
        Toolchain::Jvm,
        Toolchain::Node,
        Toolchain::Python,
        Toolchain::Ruby,
    ];

    /// The one of the most common language that has a manifest at the root; else any that has one.
    pub(super) fn of(files: &RepositoryFiles) -> Option<Toolchain> {
        let has_manifest = |tools: &Toolchain| files.first_of(tools.manifests()).is_some();
        let by_language = files.languages.iter().find_map(|share| {
            Toolchain::ALL
                .into_iter()
                .find(|tools| tools.languages().contains(&share.name.as_str()) && has_manifest(tools))
        });
        by_language.or_else(|| Toolchain::ALL.into_iter().find(has_manifest)).or_else(|| {
            // Python needs no manifest.
            let is_python = files.languages.first().is_some_and(|share| share.name == "Python");
            is_python.then_some(Toolchain::Python)
        })
    }

    fn languages(self) -> &'static [&'static str] {
        match self {
            Toolchain::Cargo => &["Rust"],
            Toolchain::Go => &["Go"],
            Toolchain::Jvm => &["Java", "Kotlin", "Scala", "Groovy"],
            Toolchain::Node => &["TypeScript", "JavaScript", "Vue", "Svelte"],
            Toolchain::Python => &["Python"],
            Toolchain::Ruby => &["Ruby"],
        }
    }

    pub(super) fn language(self) -> &'static str {
        self.languages()[0]
    }

    fn manifests(self) -> &'static [&'static str] {
        match self {
            Toolchain::Cargo => &["Cargo.toml"],
            Toolchain::Go => &["go.mod"],
            Toolchain::Jvm => &jvm::MANIFESTS,
            Toolchain::Node => &["package.json"],
            Toolchain::Python => &python::MANIFESTS,
            Toolchain::Ruby => &["Gemfile"],
        }
    }

    /// Commands by the conventions of these tools.
    pub(super) fn conventions(self, files: &RepositoryFiles) -> ProposedCommands {
        match self {
            Toolchain::Cargo => cargo::propose(files),
            Toolchain::Go => go::propose(files),
            Toolchain::Jvm => jvm::propose(files),
            Toolchain::Node => node::propose(files),
            Toolchain::Python => python::propose(files),
            Toolchain::Ruby => ruby::propose(files),
        }
    }
}
