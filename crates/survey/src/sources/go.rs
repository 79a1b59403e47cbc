//! Go: modules of `go.mod` in `vendor` or in the module cache, and the standard library.

use super::find::{Candidate, Lookup, outside};
use super::imports::ImportName;
use super::roots::is_plain;
use std::path::{Path, PathBuf};

/// Required modules, at the versions of `go.mod`.
pub(super) fn candidates(lookup: &Lookup<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (folder, text) in lookup.files("go.mod") {
        let module_file = GoModule::parse(&text);
        let vendored = lookup.text(&format!("{folder}vendor/modules.txt")).unwrap_or_default();
        for (name, version) in &module_file.required {
            let (source, version) = module_file.replacement(name, version);
            let in_vendor = vendored.lines().any(|line| {
                line.strip_prefix("# ").is_some_and(|line| line.starts_with(&format!("{name} {version}")))
            });
            let vendor = in_vendor
                .then(|| lookup.root.join(format!("{folder}vendor")))
                .and_then(|vendor| is_module(name).then(|| vendor.join(name)).filter(|path| path.is_dir()));
            let cache = lookup.roots.go_module_cache.as_deref();
            found.push(Candidate {
                name: (*name).to_owned(),
                version: version.to_owned(),
                path: vendor.or_else(|| cached(cache?, source, version)),
                imported_as: vec![ImportName::Quoted((*name).to_owned())],
                standard: false,
            });
        }
    }
    if lookup.has_file("go.mod") {
        found.push(standard_library(lookup));
    }
    found
}

/// Directives of a `go.mod`.
#[derive(Debug, Default, PartialEq)]
struct GoModule<'a> {
    /// Module and version; those needed directly first.
    required: Vec<(&'a str, &'a str)>,
    /// Module, and the module and version in its place.
    replaced: Vec<(&'a str, &'a str, &'a str)>,
    toolchain: Option<&'a str>,
}

impl<'a> GoModule<'a> {
    fn parse(text: &'a str) -> GoModule<'a> {
        let mut module = GoModule::default();
        let mut indirect = Vec::new();
        let mut block = "";
        for line in text.lines().map(str::trim) {
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let words: Vec<&str> = code.split_whitespace().collect();
            let words = match words.as_slice() {
                [")"] => {
                    block = "";
                    continue;
                }
                [directive, "("] => {
                    block = directive;
                    continue;
                }
                words if !block.is_empty() => [&[block], words].concat(),
                words => words.to_vec(),
            };
            match words.as_slice() {
                ["require", name, version] if comment.trim().starts_with("indirect") => {
                    indirect.push((*name, *version));
                }
                ["require", name, version] => module.required.push((name, version)),
                ["replace", name, "=>", source, version] | ["replace", name, _, "=>", source, version] => {
                    module.replaced.push((name, source, version));
                }
                ["toolchain", name] => module.toolchain = Some(name),
                _ => {}
            }
        }
        module.required.append(&mut indirect);
        module
    }

    /// Where a module comes from.
    fn replacement(&self, name: &'a str, version: &'a str) -> (&'a str, &'a str) {
        let replaced = self.replaced.iter().find(|(replaced, ..)| *replaced == name);
        replaced.map_or((name, version), |(_, source, version)| (*source, *version))
    }
}

/// Folder of a module in the cache: capital letters are written as `!` and the small one.
fn cached(cache: &Path, module: &str, version: &str) -> Option<PathBuf> {
    if !is_module(module) || !is_plain(version) {
        return None;
    }
    let path = cache.join(format!("{}@{}", escaped(module), escaped(version)));
    path.is_dir().then_some(path)
}

fn is_module(name: &str) -> bool {
    name.split('/').all(is_plain)
}

fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

/// The standard library: of the toolchain that `go.mod` asks for, else of the installation.
fn standard_library(lookup: &Lookup<'_>) -> Candidate {
    let text = lookup.text("go.mod").unwrap_or_default();
    let downloaded = || {
        let name = GoModule::parse(&text).toolchain?;
        let version = format!("v0.0.1-{name}.{}-{}", go_system(), go_architecture());
        Some((
            name.to_owned(),
            cached(lookup.roots.go_module_cache.as_deref()?, "golang.org/toolchain", &version)?,
        ))
    };
    let installed = || {
        let root = lookup.roots.go_root.clone().or_else(|| lookup.roots.installation("go"))?;
        let version = outside(&root.join("VERSION"));
        let version = version.as_deref().and_then(|text| text.split_whitespace().next());
        Some((version.filter(|name| is_plain(name)).unwrap_or("installed").to_owned(), root))
    };
    let found = downloaded().or_else(installed).map(|(version, root)| (version, root.join("src")));
    let (version, path) = found.filter(|(_, path)| path.join("fmt").is_dir()).unzip();
    Candidate {
        name: "std".to_owned(),
        version: version.unwrap_or_default(),
        path,
        imported_as: Vec::new(),
        standard: true,
    }
}

fn go_system() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    }
}

fn go_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_read_in_either_form() {
        let text = "module a.b/c\n\ngo 1.22\ntoolchain go1.22.3\n\nrequire k.io/z v0.1.0\nrequire (\n\tgolang.org/x/net v0.2.0 // indirect\n\tgithub.com/X/y v1.2.3\n)\nreplace github.com/X/y => github.com/z/y v1.2.4\nreplace k.io/z => ../z\n";
        let module = GoModule::parse(text);
        assert_eq!(
            module.required,
            [("k.io/z", "v0.1.0"), ("github.com/X/y", "v1.2.3"), ("golang.org/x/net", "v0.2.0")]
        );
        assert_eq!(module.toolchain, Some("go1.22.3"));
        assert_eq!(module.replacement("github.com/X/y", "v1.2.3"), ("github.com/z/y", "v1.2.4"));
        assert_eq!(module.replacement("k.io/z", "v0.1.0"), ("k.io/z", "v0.1.0"));
    }

    #[test]
    fn capital_letters_are_escaped() {
        assert_eq!(escaped("github.com/BurntSushi/toml"), "github.com/!burnt!sushi/toml");
        assert_eq!(cached(Path::new("/"), "../etc", "v1"), None);
    }
}
