//! Rust: crates of `Cargo.lock` in the registry and in git checkouts, and the standard library of the toolchain.

use super::find::{Candidate, Lookup, outside};
use super::imports::ImportName;
use super::lock::{LockedPackage, packages};
use super::roots::{SourceRoots, entries, is_plain};
use std::path::{Path, PathBuf};

/// Direct dependencies of the repository's own packages, at their locked versions.
pub(super) fn candidates(lookup: &Lookup<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let cargo = CargoHome::new(lookup.roots.cargo_home.as_deref());
    for (_, text) in lookup.files("Cargo.lock") {
        let locked = packages(&text);
        for package in direct(&locked) {
            found.push(Candidate {
                name: package.name.to_owned(),
                version: package.version.to_owned(),
                path: cargo.source(package),
                imported_as: vec![ImportName::Crate(package.name.replace('-', "_"))],
                standard: false,
            });
        }
    }
    if lookup.has_file("Cargo.toml") {
        found.push(standard_library(lookup));
    }
    found
}

/// Packages that the repository's own packages (those without a source) name, each once.
fn direct<'a>(locked: &'a [LockedPackage<'a>]) -> Vec<&'a LockedPackage<'a>> {
    let mut direct: Vec<&LockedPackage<'_>> = Vec::new();
    for named in locked.iter().filter(|own| own.source.is_empty()).flat_map(|own| &own.dependencies) {
        let mut words = named.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        let fits = |package: &&LockedPackage<'_>| {
            package.name == name && version.is_none_or(|version| package.version == version)
        };
        let package = locked.iter().find(fits).filter(|package| !package.source.is_empty());
        if let Some(package) = package.filter(|package| !direct.contains(package)) {
            direct.push(package);
        }
    }
    direct
}

/// Cargo's home, listed once.
struct CargoHome {
    /// Folders below `registry/src`.
    registries: Vec<PathBuf>,
    /// Folders below `git/checkouts`, by name.
    checkouts: Vec<(String, PathBuf)>,
}

impl CargoHome {
    fn new(home: Option<&Path>) -> CargoHome {
        let below = |folder: &str| {
            let folder = home.map(|home| home.join(folder));
            let named = folder.map(|folder| (entries(&folder), folder));
            named.map_or_else(Vec::new, |(names, folder)| {
                names.into_iter().map(|name| (name.clone(), folder.join(name))).collect::<Vec<_>>()
            })
        };
        CargoHome {
            registries: below("registry/src").into_iter().map(|(_, path)| path).collect(),
            checkouts: below("git/checkouts"),
        }
    }

    fn source(&self, package: &LockedPackage<'_>) -> Option<PathBuf> {
        if !is_plain(package.name) || !is_plain(package.version) {
            return None;
        }
        if let Some(address) = package.source.strip_prefix("git+") {
            return self.checkout(address);
        }
        let name = format!("{}-{}", package.name, package.version);
        self.registries.iter().map(|registry| registry.join(&name)).find(|path| path.is_dir())
    }

    /// Checkout of `https://host/repo.git?branch=x#commit`: `repo-<hash>/<first letters of the commit>`.
    fn checkout(&self, address: &str) -> Option<PathBuf> {
        let (address, commit) = address.split_once('#')?;
        let address = address.split('?').next().unwrap_or_default().trim_end_matches('/');
        let repository = address.rsplit('/').next()?.trim_end_matches(".git");
        let short = commit.get(..SHORT_COMMIT).filter(|short| is_plain(short))?;
        let is_of = |name: &str| {
            name.strip_prefix(repository).is_some_and(|rest| {
                rest.strip_prefix('-').is_some_and(|hash| hash.bytes().all(|b| b.is_ascii_alphanumeric()))
            })
        };
        let folders = self.checkouts.iter().filter(|(name, _)| is_of(name));
        folders.map(|(_, path)| path.join(short)).find(|path| path.is_dir())
    }
}

/// Length of a commit in the name of a checkout.
const SHORT_COMMIT: usize = 7;

/// The standard library, if its source is part of the toolchain.
fn standard_library(lookup: &Lookup<'_>) -> Candidate {
    let found = toolchain(lookup).or_else(|| {
        let version = "installed".to_owned();
        Some((version, lookup.roots.installation("rustc")?))
    });
    let found = found.map(|(version, folder)| (version, folder.join("lib/rustlib/src/rust/library")));
    let (version, path) = found.filter(|(_, path)| path.is_dir()).unzip();
    Candidate {
        name: "std".to_owned(),
        version: version.unwrap_or_default(),
        path,
        imported_as: ["std", "core", "alloc"].map(|name| ImportName::Crate(name.to_owned())).to_vec(),
        standard: true,
    }
}

/// Rustup's toolchain of the repository: that of the environment, of `rust-toolchain.toml`, or the default.
fn toolchain(lookup: &Lookup<'_>) -> Option<(String, PathBuf)> {
    let SourceRoots { rustup_home, rust_toolchain, .. } = lookup.roots;
    let home = rustup_home.as_deref()?;
    let file = lookup.text("rust-toolchain.toml").or_else(|| lookup.text("rust-toolchain"));
    let settings = || outside(&home.join("settings.toml"));
    let wanted = rust_toolchain
        .clone()
        .or_else(|| file.and_then(|text| channel(&text, "channel")))
        .or_else(|| settings().and_then(|text| channel(&text, "default_toolchain")))
        .filter(|wanted| is_plain(wanted))?;
    let toolchains = home.join("toolchains");
    let fits = |name: &String| {
        name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let name = entries(&toolchains).into_iter().find(fits)?;
    Some((name.clone(), toolchains.join(name)))
}

/// Value of a key in a toolchain file; the older form of the file has nothing but the name.
fn channel(text: &str, key: &str) -> Option<String> {
    let value = |line: &str| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let lone = || Some(text.trim()).filter(|name| is_plain(name)).map(str::to_owned);
    text.lines().find_map(value).or_else(lone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locked_version_of_a_direct_dependency_is_taken() {
        let lock = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\ndependencies = [\n \"rand 0.8.5\",\n \"other\",\n]\n[[package]]\nname = \"other\"\nversion = \"0.1.0\"\n[[package]]\nname = \"rand\"\nversion = \"0.7.0\"\nsource = \"registry+x\"\n[[package]]\nname = \"rand\"\nversion = \"0.8.5\"\nsource = \"registry+x\"\ndependencies = [\n \"libc\",\n]\n[[package]]\nname = \"libc\"\nversion = \"0.2.0\"\nsource = \"registry+x\"\n";
        let locked = packages(lock);
        let found: Vec<(&str, &str)> =
            direct(&locked).iter().map(|package| (package.name, package.version)).collect();
        assert_eq!(found, [("rand", "0.8.5")]);
    }

    #[test]
    fn the_toolchain_is_named_in_either_form() {
        assert_eq!(channel("[toolchain]\nchannel = \"1.90.0\"\n", "channel").as_deref(), Some("1.90.0"));
        assert_eq!(channel("nightly\n", "channel").as_deref(), Some("nightly"));
        assert_eq!(channel("[toolchain]\npath = \"/x\"\n", "channel"), None);
    }
}
