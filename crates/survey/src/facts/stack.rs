//! Languages and dependencies of a repository.

use crate::report::{Dependency, LanguageShare};
use crate::tree::content;
use crate::tree::kind::{FileKind, file_kind, file_name, language};
use crate::tree::listing::TreeFile;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Languages of all files but data, most first.
pub(crate) fn languages(files: &[TreeFile]) -> Vec<LanguageShare> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file_kind(&file.path).is_some_and(|kind| kind != FileKind::Data)) {
        if let Some(language) = language(&file.path) {
            *counts.entry(language.name).or_default() += 1;
        }
    }
    let mut shares: Vec<LanguageShare> =
        counts.into_iter().map(|(name, files)| LanguageShare { name: name.to_owned(), files }).collect();
    shares.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    shares
}

const MAX_MANIFESTS: usize = 40;
const MAX_DEPENDENCIES: usize = 400;

/// Dependencies declared in manifests, each once, with their locations.
pub(crate) fn dependencies(root: &Path, files: &[TreeFile]) -> Vec<Dependency> {
    let manifest = |path: &&str| {
        matches!(
            file_name(path),
            "Cargo.toml" | "package.json" | "go.mod" | "pyproject.toml" | "requirements.txt" | "pom.xml"
        ) && file_kind(path).is_some_and(|kind| kind != FileKind::Data)
    };
    let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).filter(manifest).collect();
    // Manifests at the root first.
    paths.sort_by_key(|path| path.matches('/').count());
    let mut found: Vec<Dependency> = Vec::new();
    let mut own: Vec<String> = Vec::new();
    for path in paths.into_iter().take(MAX_MANIFESTS) {
        let Some(text) = content::read_text(root, path) else { continue };
        for (line, name) in manifest_dependencies(path, &text) {
            let is_own = text.lines().nth(line - 1).is_some_and(|line| line.contains("path = \""));
            own.extend(is_own.then(|| name.clone()));
            if !found.iter().any(|known| known.name == name) && found.len() < MAX_DEPENDENCIES {
                found.push(Dependency { name, path: path.to_owned(), line });
            }
        }
    }
    // Packages of the repository itself are not dependencies.
    found.retain(|dependency| !own.contains(&dependency.name));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Dependencies of one manifest, with their lines.
fn manifest_dependencies(path: &str, text: &str) -> Vec<(usize, String)> {
    match file_name(path) {
        "Cargo.toml" => toml_dependencies(text, |section| section.ends_with("dependencies")),
        "pyproject.toml" => python(text),
        "package.json" => javascript(text),
        "go.mod" => go(text),
        "pom.xml" => java(text),
        _ => text
            .lines()
            .enumerate()
            .filter_map(|(n, line)| requirement(line).map(|name| (n + 1, name)))
            .collect(),
    }
}

/// `name = …` in sections for dependencies, and `[dependencies.name]`.
fn toml_dependencies(text: &str, about: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = about(section);
            if let Some((_, name)) = section.rsplit_once('.').filter(|(parent, _)| about(parent)) {
                found.push((n + 1, name.trim_matches('"').to_owned()));
            }
        } else if let Some((name, _)) = line.split_once(['=', '.']).filter(|_| inside) {
            found.extend(plain(name.trim().trim_matches('"')).map(|name| (n + 1, name)));
        }
    }
    found
}

fn python(text: &str) -> Vec<(usize, String)> {
    let mut found = toml_dependencies(text, |section| {
        section.starts_with("tool.poetry") && section.ends_with("dependencies")
    });
    let mut inside = false;
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        inside =
            inside && !line.starts_with(']') || line.starts_with("dependencies = [") && !line.ends_with(']');
        if inside && let Some(quoted) = line.strip_prefix(['"', '\'']) {
            found.extend(requirement(quoted).map(|name| (n + 1, name)));
        }
    }
    found.retain(|(_, name)| name != "python");
    found
}

fn javascript(text: &str) -> Vec<(usize, String)> {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut found = Vec::new();
    for section in ["dependencies", "devDependencies", "peerDependencies"] {
        let Some(start) = text.lines().position(|line| line.contains(&format!("\"{section}\""))) else {
            continue;
        };
        for name in manifest.get(section).and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
            let key = format!("\"{name}\"");
            let line =
                text.lines().enumerate().skip(start).find(|(_, line)| line.trim_start().starts_with(&key));
            found.extend(line.map(|(n, _)| (n + 1, name.clone())));
        }
    }
    found
}

fn go(text: &str) -> Vec<(usize, String)> {
    let module = |line: &str| {
        let line = line.trim().strip_prefix("require ").unwrap_or(line.trim());
        let (name, version) = line.split_once(' ')?;
        (name.contains('.') && name.contains('/') && version.starts_with('v')).then(|| name.to_owned())
    };
    text.lines().enumerate().filter_map(|(n, line)| module(line).map(|name| (n + 1, name))).collect()
}

fn java(text: &str) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        inside = inside && line != "</dependency>" || line == "<dependency>";
        let name = line.strip_prefix("<artifactId>").and_then(|rest| rest.strip_suffix("</artifactId>"));
        found.extend(name.filter(|_| inside).map(|name| (n + 1, name.to_owned())));
    }
    found
}

/// `name>=1.0`, `name[extra]`
fn requirement(line: &str) -> Option<String> {
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .unwrap_or(line.len());
    plain(&line[..end])
}

fn plain(name: &str) -> Option<String> {
    let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    (fits && name.starts_with(|c: char| c.is_ascii_alphanumeric())).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_declare_dependencies() {
        for (path, text, expected) in [
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\nlog.workspace = true\n[dev-dependencies.insta]\nversion = \"1\"\n",
                vec![(4, "serde"), (5, "log"), (6, "insta")],
            ),
            (
                "package.json",
                "{\n \"dependencies\": {\n  \"react\": \"1\"\n },\n \"devDependencies\": {\n  \"jest\": \"2\"\n }\n}",
                vec![(3, "react"), (6, "jest")],
            ),
            (
                "go.mod",
                "module a.b/c\n\ngo 1.22\nrequire (\n\tgithub.com/x/y v1.2.3\n)\nrequire k.io/z v0.1.0\n",
                vec![(5, "github.com/x/y"), (7, "k.io/z")],
            ),
            (
                "pyproject.toml",
                "[project]\ndependencies = [\n  \"httpx>=0.2\",\n  'rich[x]',\n]\n[tool.poetry.dependencies]\npython = \"3\"\nclick = \"8\"\n",
                vec![(8, "click"), (3, "httpx"), (4, "rich")],
            ),
            ("requirements.txt", "# x\nflask==2\n-r other\n", vec![(2, "flask")]),
            (
                "pom.xml",
                "<artifactId>me</artifactId>\n<dependency>\n<artifactId>junit</artifactId>\n</dependency>\n",
                vec![(3, "junit")],
            ),
        ] {
            let found = manifest_dependencies(path, text);
            let found: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
            assert_eq!(found, expected, "{path}");
        }
    }
}
