//! Licences of the crates linked into the binary, which most of them require to be distributed with it.

use crate::TaskResult;
use crate::programs::{PUBLISHED_FEATURES, cargo};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Prefixes of licence file names.
const LICENCE_FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// Writes each licence text once, with the crates it covers, for the dependencies on a target.
pub(super) fn write(target: &str, path: &Path) -> TaskResult {
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]);
    metadata.args(PUBLISHED_FEATURES);
    let output = metadata.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = render_notices(&serde_json::from_slice(&output.stdout)?, "charrette-cli")?;
    Ok(fs_err::write(path, text)?)
}

fn render_notices(metadata: &Value, top: &str) -> TaskResult<String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let linked = linked_packages(metadata, packages, top);
    let (mut texts, mut without_licence) = (BTreeMap::<String, Vec<String>>::new(), Vec::new());
    for package in packages.iter().filter(|package| package["source"].is_string()) {
        if !linked.contains(package["id"].as_str().unwrap_or_default()) {
            continue;
        }
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {} ({})", field("name"), field("version"), field("license"));
        let folder =
            Path::new(field("manifest_path")).parent().ok_or("the manifest of a package has no folder")?;
        let licences = read_licences(folder)?;
        if licences.is_empty() {
            without_licence.push(name.clone());
        }
        for text in licences {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut all = String::from(
        "charrette is linked with the following. Each licence is given once, after what it covers.\n",
    );
    for (text, names) in texts {
        let _ = write!(all, "\n{}\n{}\n\n{}\n", "-".repeat(80), names.join("\n"), text.trim_end());
    }
    if !without_licence.is_empty() {
        let _ = write!(
            all,
            "\n{}\nWithout a licence file of their own:\n{}\n",
            "-".repeat(80),
            without_licence.join("\n")
        );
    }
    Ok(all)
}

/// Ids of a package and its dependencies, without build and dev dependencies.
fn linked_packages<'a>(metadata: &'a Value, packages: &'a [Value], top: &str) -> BTreeSet<&'a str> {
    let nodes = metadata["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let dependencies: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, &node["deps"]))).collect();
    let top =
        packages.iter().find(|package| package["name"] == top).and_then(|package| package["id"].as_str());
    let (mut linked, mut waiting) = (BTreeSet::new(), Vec::from_iter(top));
    while let Some(id) = waiting.pop() {
        if !linked.insert(id) {
            continue;
        }
        let direct =
            dependencies.get(id).and_then(|direct| direct.as_array()).map(Vec::as_slice).unwrap_or_default();
        let at_run_time = direct.iter().filter(|one| {
            one["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        });
        waiting.extend(at_run_time.filter_map(|one| one["pkg"].as_str()));
    }
    linked
}

fn read_licences(folder: &Path) -> TaskResult<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if LICENCE_FILES.iter().any(|prefix| name.starts_with(prefix)) && entry.file_type()?.is_file() {
            texts.push(String::from_utf8_lossy(&fs_err::read(entry.path())?).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn notices_name_linked_crates_and_no_build_dependencies() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, source: Option<&str>| {
            let home = folder.path().join(name);
            fs_err::create_dir(&home).unwrap();
            if name != "bare" {
                fs_err::write(home.join("LICENSE-MIT"), "Do as you like.\r\n").unwrap();
            }
            let manifest = home.join("Cargo.toml");
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source, "manifest_path": manifest})
        };
        let registry = Some("registry+somewhere");
        let deps = |names: &[(&str, Option<&str>)]| -> Value {
            names.iter().map(|(name, kind)| json!({"pkg": name, "dep_kinds": [{"kind": kind}]})).collect()
        };
        let metadata = json!({
            "packages": [package("ours", None), package("linked", registry), package("deeper", registry),
                package("bare", registry), package("builder", registry), package("tester", registry)],
            "resolve": {"nodes": [
                {"id": "ours", "deps": deps(&[("linked", None), ("builder", Some("build")), ("tester", Some("dev"))])},
                {"id": "linked", "deps": deps(&[("deeper", None), ("bare", None)])},
            ]},
        });
        let text = render_notices(&metadata, "ours").unwrap();
        let (_, after) = text.split_once('\n').unwrap();
        let line = "-".repeat(80);
        assert_eq!(
            after,
            format!(
                "\n{line}\nlinked 1.0.0 (MIT)\ndeeper 1.0.0 (MIT)\n\nDo as you like.\n\n{line}\nWithout a licence file of their own:\nbare 1.0.0 (MIT)\n"
            )
        );
    }
}
