//! Rust modules: paths from the crate, from the module itself, and from other packages of the repository.

use super::Modules;
use crate::tree::kind::{folder, stem};

/// File of a path such as `crate::a::b::C`. `declared`: the file has a `mod` of the path's first name.
pub(super) fn resolve(modules: &Modules<'_>, from: &str, path: &[String], declared: bool) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => {
            let root = crate_root(modules, from)?;
            let base = folder(modules.paths[root]);
            let found = descend(modules, base, root, rest);
            // With two roots the file may belong to either.
            let beside = |name: &str| modules.place(&format!("{base}/{name}")).is_some();
            let unclear =
                found == root && beside("lib.rs") && beside("main.rs") && modules.paths[root] != from;
            Some(found).filter(|_| !unclear)
        }
        "self" => Some(descend(modules, &own_folder(from), modules.place(from)?, rest)),
        "super" => {
            let (mut module, mut rest) = (parent(modules, from)?, rest);
            while let Some((_, further)) = rest.split_first().filter(|(next, _)| *next == "super") {
                module = parent(modules, modules.paths[module])?;
                rest = further;
            }
            Some(descend(modules, &own_folder(modules.paths[module]), module, rest))
        }
        _ if declared => Some(descend(modules, &own_folder(from), modules.place(from)?, path)),
        name => {
            let mut packages = modules.rust_packages.iter().filter(|(known, _)| known == name);
            let (_, package) = packages.next().filter(|_| packages.next().is_none())?;
            let source = if package.is_empty() { "src".to_owned() } else { format!("{package}/src") };
            Some(descend(modules, &source, modules.place(&format!("{source}/lib.rs"))?, rest))
        }
    }
}

/// The file of the longest beginning of a path.
fn descend(modules: &Modules<'_>, base: &str, start: usize, path: &[String]) -> usize {
    let (mut found, mut base) = (start, base.to_owned());
    for name in path {
        let Some(next) = module_file(modules, &base, name) else { break };
        found = next;
        base = if base.is_empty() { name.clone() } else { format!("{base}/{name}") };
    }
    found
}

fn module_file(modules: &Modules<'_>, base: &str, name: &str) -> Option<usize> {
    let path = if base.is_empty() { name.to_owned() } else { format!("{base}/{name}") };
    modules.place(&format!("{path}.rs")).or_else(|| modules.place(&format!("{path}/mod.rs")))
}

/// Folder of the modules below a file.
fn own_folder(path: &str) -> String {
    let folder = folder(path);
    if is_root_of_folder(path) {
        return folder.to_owned();
    }
    if folder.is_empty() { stem(path).to_owned() } else { format!("{folder}/{}", stem(path)) }
}

/// True for a file whose modules are beside it: `mod.rs`, and the roots of crates.
fn is_root_of_folder(path: &str) -> bool {
    let crate_folder =
        matches!(folder(path).rsplit('/').next(), Some("tests" | "benches" | "examples" | "bin"));
    matches!(stem(path), "mod" | "lib" | "main" | "build") || crate_folder
}

/// The module around a file.
fn parent(modules: &Modules<'_>, path: &str) -> Option<usize> {
    if matches!(stem(path), "lib" | "main") {
        return None;
    }
    let around = if stem(path) == "mod" { folder(folder(path)) } else { folder(path) };
    let inside = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}/{name}") };
    ["mod.rs", "lib.rs", "main.rs"]
        .iter()
        .find_map(|name| modules.place(&inside(name)))
        .or_else(|| modules.place(&format!("{around}.rs")))
}

/// Root of the crate that a file belongs to.
fn crate_root(modules: &Modules<'_>, path: &str) -> Option<usize> {
    if is_root_of_folder(path) && stem(path) != "mod" {
        return modules.place(path);
    }
    let mut around = folder(path);
    loop {
        let inside =
            |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}/{name}") };
        let roots: Vec<usize> =
            ["lib.rs", "main.rs"].iter().filter_map(|name| modules.place(&inside(name))).collect();
        match roots.as_slice() {
            [first, ..] => return Some(*first),
            [] if around.is_empty() => return None,
            [] => around = folder(around),
        }
    }
}
