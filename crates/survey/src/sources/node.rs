//! JavaScript: packages in `node_modules`, held against the lock file.

use super::find::{Candidate, Lookup, outside};
use super::imports::ImportName;
use super::roots::is_plain;
use crate::tree::kind::{file_name, folder};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Declared packages, as installed. A package whose version is not the locked one is not found.
pub(super) fn candidates(lookup: &Lookup<'_>) -> Vec<Candidate> {
    let declared = lookup.declared.iter().filter(|dependency| file_name(&dependency.path) == "package.json");
    let declared: Vec<_> = declared.collect();
    if declared.is_empty() {
        return Vec::new();
    }
    let locked = LockedVersions::read(lookup);
    let root = lookup.root.canonicalize().ok();
    let candidate = |dependency: &&crate::report::Dependency| {
        let installed = root.as_deref().filter(|_| is_package(&dependency.name)).and_then(|root| {
            // Beside the manifest, else hoisted to the top.
            [folder(&dependency.path), ""].iter().find_map(|folder| installed(root, folder, &dependency.name))
        });
        let installed = installed.filter(|(_, version)| locked.allow(&dependency.name, version));
        let (path, version) = installed.unzip();
        Candidate {
            name: dependency.name.clone(),
            version: version.unwrap_or_default(),
            path,
            imported_as: vec![ImportName::Quoted(dependency.name.clone())],
            standard: false,
        }
    };
    declared.iter().map(candidate).collect()
}

/// `name` or `@scope/name`.
fn is_package(name: &str) -> bool {
    match name.strip_prefix('@') {
        Some(scoped) => scoped.split('/').count() == 2 && scoped.split('/').all(is_plain),
        None => is_plain(name),
    }
}

/// Folder and version of an installed package. A link out of the repository, or to a package of its own, is not followed.
fn installed(root: &Path, folder: &str, name: &str) -> Option<(PathBuf, String)> {
    let path = root.join(folder).join("node_modules").join(name);
    let real = path.canonicalize().ok()?;
    let inside = real.strip_prefix(root).ok()?;
    if !inside.components().any(|part| part == Component::Normal("node_modules".as_ref())) {
        return None;
    }
    let manifest: Value = serde_json::from_str(&outside(&real.join("package.json"))?).ok()?;
    let version = manifest.get("version").and_then(Value::as_str).filter(|version| is_plain(version))?;
    Some((path, version.to_owned()))
}

/// Reads names and versions from a lock file.
type LockReader = fn(&str) -> Vec<(String, String)>;

/// Versions of the lock files, by package; without any lock file every version is right.
#[derive(Debug, Default)]
struct LockedVersions {
    locked: bool,
    versions: HashMap<String, HashSet<String>>,
}

impl LockedVersions {
    fn read(lookup: &Lookup<'_>) -> LockedVersions {
        let mut all = LockedVersions::default();
        let readers: [(&str, LockReader); 3] =
            [("package-lock.json", npm), ("yarn.lock", yarn), ("pnpm-lock.yaml", pnpm)];
        for (name, versions) in readers {
            for (_, text) in lookup.files(name) {
                for (name, version) in versions(&text) {
                    all.locked = true;
                    all.versions.entry(name).or_default().insert(version);
                }
            }
        }
        all
    }

    fn allow(&self, name: &str, version: &str) -> bool {
        !self.locked || self.versions.get(name).is_some_and(|versions| versions.contains(version))
    }
}

/// `package-lock.json`: `packages` by folder, or in its first version `dependencies` by name.
fn npm(text: &str) -> Vec<(String, String)> {
    let lock: Value = serde_json::from_str(text).unwrap_or_default();
    let packages = lock.get("packages").and_then(Value::as_object);
    let dependencies = lock.get("dependencies").and_then(Value::as_object);
    let all = packages.into_iter().flatten().chain(dependencies.into_iter().flatten());
    let locked = |(key, package): (&String, &Value)| {
        let name = key.rsplit_once("node_modules/").map_or(key.as_str(), |(_, name)| name);
        Some((name.to_owned(), package.get("version")?.as_str()?.to_owned()))
    };
    all.filter_map(locked).collect()
}

/// `yarn.lock`: `"name@range", name@range:` and below it `version "1.0.0"`, or `version: 1.0.0` in later versions.
fn yarn(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            let ranges = line.trim_end_matches(':').split(", ").map(|range| range.trim_matches('"'));
            names = ranges.filter_map(|range| Some(range.get(..range.rfind('@')?)?.to_owned())).collect();
            // `name@npm:^1.0.0`, and an `@` inside the range.
            for name in &mut names {
                if let Some(end) = name.get(1..).and_then(|rest| rest.find('@')) {
                    name.truncate(end + 1);
                }
            }
            names.dedup();
        } else if let Some(version) = line.trim().strip_prefix("version") {
            let version = version.trim_start_matches(':').trim().trim_matches('"');
            found.extend(names.drain(..).map(|name| (name, version.to_owned())));
        }
    }
    found
}

/// `pnpm-lock.yaml`: `name@1.0.0:` or `/name@1.0.0(peer):` below `packages:`.
fn pnpm(text: &str) -> Vec<(String, String)> {
    let below = text.lines().skip_while(|line| *line != "packages:").skip(1);
    let section = below.take_while(|line| line.is_empty() || line.starts_with(' '));
    let package = |line: &str| {
        let key = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?.split(':').next()?;
        let key = key.trim_matches(['\'', '"']).trim_start_matches('/');
        let (name, version) = key.split('(').next()?.rsplit_once('@')?;
        (!name.is_empty()).then(|| (name.to_owned(), version.to_owned()))
    };
    section.filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_versions_are_read_from_every_lock_file() {
        let expected = [("@a/b".to_owned(), "2.0.0".to_owned()), ("react".to_owned(), "18.2.0".to_owned())];
        for (found, form) in [
            (
                npm(
                    "{\"packages\": {\"\": {\"version\": \"1.0.0\"}, \"node_modules/@a/b\": {\"version\": \"2.0.0\"}, \"node_modules/x/node_modules/react\": {\"version\": \"18.2.0\"}}}",
                ),
                "npm",
            ),
            (
                npm(
                    "{\"dependencies\": {\"@a/b\": {\"version\": \"2.0.0\"}, \"react\": {\"version\": \"18.2.0\"}}}",
                ),
                "npm 1",
            ),
            (
                yarn(
                    "# x\n\n\"@a/b@^2.0.0\", \"@a/b@~2.0\":\n  version \"2.0.0\"\n  dependencies:\n    c \"1\"\n\nreact@^18.0.0:\n  version \"18.2.0\"\n",
                ),
                "yarn",
            ),
            (
                yarn("\"@a/b@npm:^2.0.0\":\n  version: 2.0.0\n\n\"react@npm:^18.0.0\":\n  version: 18.2.0\n"),
                "berry",
            ),
            (
                pnpm(
                    "lockfileVersion: '9.0'\npackages:\n\n  '@a/b@2.0.0':\n    resolution: {}\n\n  react@18.2.0(x@1):\n    y: z\n\nsnapshots:\n  no@1.0.0: {}\n",
                ),
                "pnpm",
            ),
        ] {
            let found: Vec<(String, String)> =
                found.into_iter().filter(|(name, _)| !name.is_empty()).collect();
            assert_eq!(found, expected, "{form}");
        }
        for reader in [npm, yarn, pnpm] {
            assert_eq!(reader("{[\n:@\n"), []);
        }
    }

    #[test]
    fn package_names_stay_in_their_folder() {
        for (name, expected) in [
            ("react", true),
            ("@a/b", true),
            ("../x", false),
            ("@a/../b", false),
            ("a/b", false),
            ("@a", false),
        ] {
            assert_eq!(is_package(name), expected, "{name}");
        }
    }
}
