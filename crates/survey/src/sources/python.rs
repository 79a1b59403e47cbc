//! Python: packages in the `site-packages` of an environment in the repository, else of the active interpreter.

use super::find::{Candidate, Lookup, outside};
use super::imports::ImportName;
use super::lock::packages;
use super::roots::{entries, is_plain};
use crate::tree::kind::file_name;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Declared packages, as installed. A package whose version is not the pinned one is not found.
pub(super) fn candidates(lookup: &Lookup<'_>) -> Vec<Candidate> {
    let pins = Pins::read(lookup);
    let mut names: Vec<String> = Vec::new();
    let manifests = ["pyproject.toml", "requirements.txt"];
    let declared =
        lookup.declared.iter().filter(|dependency| manifests.contains(&file_name(&dependency.path)));
    let declared = declared.map(|dependency| dependency.name.as_str());
    for name in declared.chain(pins.required.iter().map(String::as_str)) {
        let name = normalized(name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let sites: Vec<SitePackages> = site_folders(lookup).into_iter().map(SitePackages::new).collect();
    let candidate = |name: String| {
        let mut installed = sites.iter().filter_map(|site| Some((site, site.installed.get(&name)?)));
        let found = installed.find(|(_, installed)| pins.allow(&name, &installed.version));
        let modules = found.map(|(site, installed)| site.modules(&name, installed)).unwrap_or_default();
        let path = found.map(|(site, _)| {
            let first = modules.first().map(|module| site.folder.join(module));
            first.filter(|path| path.exists()).unwrap_or_else(|| site.folder.clone())
        });
        let module = |file: &String| file.trim_end_matches(".py").to_owned();
        let mut imported: Vec<String> = modules.iter().map(module).collect();
        imported.push(name.replace('-', "_"));
        Candidate {
            version: found.map(|(_, installed)| installed.version.clone()).unwrap_or_default(),
            path,
            imported_as: imported.into_iter().map(ImportName::Module).collect(),
            name,
            standard: false,
        }
    };
    names.into_iter().map(candidate).collect()
}

/// `PyYAML`, `py_yaml` and `Py.YAML` are one package.
fn normalized(name: &str) -> String {
    name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
}

/// Versions that the repository pins.
#[derive(Debug, Default)]
struct Pins {
    versions: HashMap<String, HashSet<String>>,
    /// Packages named in files of requirements.
    required: Vec<String>,
}

impl Pins {
    fn read(lookup: &Lookup<'_>) -> Pins {
        let mut pins = Pins::default();
        for name in ["poetry.lock", "uv.lock"] {
            for (_, text) in lookup.files(name) {
                for package in packages(&text) {
                    pins.add(package.name, package.version);
                }
            }
        }
        for (_, text) in lookup.files_like(|name| name.starts_with("requirements") && name.ends_with(".txt"))
        {
            for line in text
                .lines()
                .map(str::trim)
                .filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()))
            {
                let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
                let (name, rest) = line.split_at(end.unwrap_or(line.len()));
                pins.required.push(name.to_owned());
                let exact = rest.split_once("==").map(|(_, version)| version.trim_start_matches('='));
                let version = exact
                    .and_then(|version| version.split([' ', ';', ',', '\\']).find(|part| !part.is_empty()));
                if let Some(version) = version.filter(|version| !version.contains('*')) {
                    pins.add(name, version);
                }
            }
        }
        pins
    }

    fn add(&mut self, name: &str, version: &str) {
        self.versions.entry(normalized(name)).or_default().insert(version.to_owned());
    }

    fn allow(&self, name: &str, version: &str) -> bool {
        self.versions.get(name).is_none_or(|versions| versions.contains(version))
    }
}

/// Existing `site-packages` folders, those of the repository first.
fn site_folders(lookup: &Lookup<'_>) -> Vec<PathBuf> {
    let own = [".venv", "venv"].map(|name| lookup.root.join(name));
    // A link would lead out of the repository.
    let own = own.into_iter().filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir()));
    let mut prefixes: Vec<(PathBuf, Option<String>)> =
        own.chain(lookup.roots.python_prefixes.iter().cloned()).map(|prefix| (prefix, None)).collect();
    prefixes.extend(interpreter(lookup));
    let mut folders: Vec<PathBuf> = Vec::new();
    for (prefix, version) in prefixes {
        let lib = prefix.join("lib");
        let fits = |name: &String| match &version {
            Some(version) => name == version || name == "python3",
            None => name.starts_with("python3"),
        };
        for python in entries(&lib).into_iter().filter(fits) {
            let sites = ["site-packages", "dist-packages"].map(|name| lib.join(&python).join(name));
            folders.extend(sites.into_iter().filter(|path| path.is_dir()));
        }
    }
    folders.dedup();
    folders
}

/// Prefixes of the interpreter that a shell would find, with the folder of its version below `lib`.
fn interpreter(lookup: &Lookup<'_>) -> Vec<(PathBuf, Option<String>)> {
    let Some(program) = lookup.roots.program("python3") else { return Vec::new() };
    let Some(prefix) = program.parent().and_then(Path::parent) else { return Vec::new() };
    // A shim of pyenv is no interpreter; a file says which one it starts.
    if program.parent().is_some_and(|folder| folder.ends_with("shims")) {
        let chosen = lookup.text(".python-version").or_else(|| outside(&prefix.join("version")));
        let chosen = chosen.as_deref().and_then(|text| text.split_whitespace().next());
        let chosen = chosen.filter(|version| is_plain(version));
        return chosen.map(|version| (prefix.join("versions").join(version), None)).into_iter().collect();
    }
    let version = program.file_name().and_then(|name| name.to_str()).filter(|name| name.contains('.'));
    let version = version.map(str::to_owned);
    // Packages that the system does not manage are in the local prefix.
    vec![(prefix.join("local"), version.clone()), (prefix.to_owned(), version)]
}

/// Packages of one folder, listed once.
struct SitePackages {
    folder: PathBuf,
    installed: HashMap<String, InstalledPackage>,
}

struct InstalledPackage {
    version: String,
    /// Folder with the package's metadata.
    metadata: String,
}

impl SitePackages {
    fn new(folder: PathBuf) -> SitePackages {
        let named = |entry: String| {
            let name = entry.strip_suffix(".dist-info").or_else(|| entry.strip_suffix(".egg-info"))?;
            let mut parts = name.splitn(3, '-');
            let (name, version) = (normalized(parts.next()?), parts.next()?.to_owned());
            Some((name, InstalledPackage { version, metadata: entry }))
        };
        let installed = entries(&folder).into_iter().filter_map(named).collect();
        SitePackages { folder, installed }
    }

    /// Top-level files and folders of a package: as its metadata lists them, the one with its name first.
    fn modules(&self, name: &str, package: &InstalledPackage) -> Vec<String> {
        let metadata = self.folder.join(&package.metadata);
        let listed = outside(&metadata.join("top_level.txt"));
        let mut modules: Vec<String> = match &listed {
            Some(text) => text.lines().map(|line| line.trim().to_owned()).collect(),
            None => recorded_modules(&outside(&metadata.join("RECORD")).unwrap_or_default()),
        };
        modules.retain(|module| is_plain(module) || module.starts_with('_') && is_plain(&module[1..]));
        // A module without a folder is a file.
        for module in &mut modules {
            let file = format!("{module}.py");
            if !self.folder.join(&*module).exists() && self.folder.join(&file).exists() {
                *module = file;
            }
        }
        let own = name.replace('-', "_");
        modules.sort_by_key(|module| (module.trim_end_matches(".py") != own, module.starts_with('_')));
        modules
    }
}

/// Top-level names with Python code in a `RECORD`.
fn recorded_modules(record: &str) -> Vec<String> {
    let mut modules: Vec<String> = Vec::new();
    for file in record.lines().filter_map(|line| line.split(',').next()) {
        let Some(top) = file.split('/').next().filter(|_| file.ends_with(".py")) else { continue };
        if top != ".." && !modules.iter().any(|known| known == top) {
            modules.push(top.to_owned());
        }
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_the_index_does() {
        for name in ["PyYAML-x", "pyyaml_x", "pyyaml.X", "pyyaml--x"] {
            assert_eq!(normalized(name), "pyyaml-x");
        }
    }

    #[test]
    fn the_record_names_the_modules() {
        let record = "attr/__init__.py,sha256=x,1\nattr/a.py,,\nattrs/__init__.py,,\nattrs-1.dist-info/METADATA,,\n../../bin/x.py,,\nsix.py,,\n";
        assert_eq!(recorded_modules(record), ["attr", "attrs", "six.py"]);
    }
}
