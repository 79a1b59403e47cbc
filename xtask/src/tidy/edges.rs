//! Dependencies between crates: arrows point down only, and all are listed in `edges.txt`.

use crate::TaskResult;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const LIST: &str = "xtask/edges.txt";

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let list = fs_err::read_to_string(root.join(LIST))?;
    let allowed: BTreeSet<String> =
        list.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let actual = actual_edges(root)?;
    let new = actual.difference(&allowed).map(|edge| format!("{LIST}: the edge '{edge}' is not allowed"));
    let stale = allowed
        .difference(&actual)
        .filter(|edge| !edge.is_empty())
        .map(|edge| format!("{LIST}: the edge '{edge}' no longer exists"));
    Ok(new.chain(stale).collect())
}

/// Dependencies between crates of this workspace, with dev-dependencies marked.
fn actual_edges(root: &Path) -> TaskResult<BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let ours: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut edges = BTreeSet::new();
    for package in packages {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(to) = dependency["name"].as_str().filter(|name| ours.contains(name)) else { continue };
            let test = if dependency["kind"] == "dev" { " (tests)" } else { "" };
            edges.insert(format!("{} -> {to}{test}", package["name"].as_str().unwrap_or_default()));
        }
    }
    Ok(edges)
}
