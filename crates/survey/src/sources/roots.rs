//! Folders of this machine in which package managers keep sources. They come from the environment of the process, which
//! the caller reads.

use std::path::{Path, PathBuf};

/// Folders that may hold the sources of dependencies. None of them has to exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceRoots {
    /// Cargo's home, with the registry and git checkouts.
    pub cargo_home: Option<PathBuf>,
    /// Rustup's home, with the toolchains.
    pub rustup_home: Option<PathBuf>,
    /// Rust toolchain that the environment asks for.
    pub rust_toolchain: Option<String>,
    /// Go's module cache.
    pub go_module_cache: Option<PathBuf>,
    /// Installation of Go, if the environment names one.
    pub go_root: Option<PathBuf>,
    /// Active Python environments: folders with `lib/python3…/site-packages`.
    pub python_prefixes: Vec<PathBuf>,
    /// Local repository of Maven.
    pub maven_repository: Option<PathBuf>,
    /// Folders of programs, in the order in which a shell searches them.
    pub program_folders: Vec<PathBuf>,
}

impl SourceRoots {
    /// Real path of a program. It is looked up, never run.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let found =
            self.program_folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())?;
        found.canonicalize().ok()
    }

    /// Installation folder of a program: that above its `bin`.
    pub(super) fn installation(&self, name: &str) -> Option<PathBuf> {
        Some(self.program(name)?.parent()?.parent()?.to_owned())
    }
}

/// Names of the entries of a folder; at most a bounded number, sorted.
pub(super) fn entries(folder: &Path) -> Vec<String> {
    let Ok(read) = fs_err::read_dir(folder) else { return Vec::new() };
    let names = read.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

const MAX_ENTRIES: usize = 20_000;

/// True for a name that can be part of a path without leading elsewhere. Names come from files of the repository.
pub(super) fn is_plain(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-.+~!".contains(&b);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for (name, expected) in [
            ("serde", true),
            ("1.0.0-rc.1+build", true),
            ("v0.0.0-20240101000000-abcdef", true),
            ("", false),
            ("..", false),
            ("a/../b", false),
            ("/etc", false),
            (".hidden", false),
            ("a\nb", false),
            ("größe", false),
        ] {
            assert_eq!(is_plain(name), expected, "{name}");
        }
    }
}
