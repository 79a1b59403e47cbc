//! Python modules: relative ones by folder, others from a folder that is no package.

use super::Modules;
use crate::tree::kind::folder;

/// Modules of the standard library that repositories often have a file of the same name for.
const STANDARD: [&str; 40] = [
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "code",
    "codecs",
    "collections",
    "concurrent",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "email",
    "enum",
    "functools",
    "html",
    "http",
    "io",
    "json",
    "logging",
    "multiprocessing",
    "operator",
    "platform",
    "queue",
    "random",
    "select",
    "signal",
    "socket",
    "string",
    "time",
    "token",
    "types",
    "typing",
    "unittest",
    "uuid",
    "warnings",
];

/// Files of `from module import names`, or of `import module`.
pub(super) fn resolve(
    modules: &Modules<'_>,
    from: &str,
    dots: usize,
    module: &[String],
    names: &[String],
) -> Vec<usize> {
    let bases =
        if dots > 0 { relative_base(from, dots).into_iter().collect() } else { roots(modules, from, module) };
    let mut found = Vec::new();
    // Two places for one name: no telling which.
    let [base] = bases.as_slice() else { return found };
    let package = file(modules, base, module);
    let mut whole = names.is_empty();
    for name in names {
        let mut longer = module.to_vec();
        longer.push(name.clone());
        match file(modules, base, &longer) {
            Some(submodule) if !found.contains(&submodule) => found.push(submodule),
            Some(_) => {}
            None => whole = true,
        }
    }
    if let Some(package) = package.filter(|_| whole) {
        found.insert(0, package);
    }
    found
}

/// Folder that the dots lead to.
fn relative_base(from: &str, dots: usize) -> Option<String> {
    let mut base = folder(from);
    for _ in 1..dots {
        if base.is_empty() {
            return None;
        }
        base = folder(base);
    }
    Some(base.to_owned())
}

/// Folders below which the first name of an absolute import is a module.
fn roots(modules: &Modules<'_>, from: &str, module: &[String]) -> Vec<String> {
    let Some(first) = module.first() else { return Vec::new() };
    let is_package = |folder: &str| modules.place(&child(folder, "__init__.py")).is_some();
    let mut roots = Vec::new();
    let package = |n: usize| {
        Some(folder(folder(modules.paths[n])))
            .filter(|_| folder(modules.paths[n]).rsplit('/').next() == Some(first))
    };
    for root in modules.named("__init__.py").filter_map(package) {
        if !is_package(root) {
            roots.push(root.to_owned());
        }
    }
    // A module without a package: at the top, below `src`, or a script's neighbour.
    let beside = folder(from);
    for root in ["", "src", "lib", beside] {
        let stands = modules.place(&child(root, &format!("{first}.py"))).is_some();
        if stands
            && !is_package(root)
            && !STANDARD.contains(&first.as_str())
            && !roots.iter().any(|known| known == root)
        {
            roots.push(root.to_owned());
        }
    }
    roots
}

/// File of a module below a folder.
fn file(modules: &Modules<'_>, base: &str, module: &[String]) -> Option<usize> {
    let path = child(base, &module.join("/"));
    let own = (!module.is_empty()).then(|| modules.place(&format!("{path}.py"))).flatten();
    own.or_else(|| modules.place(&format!("{path}.pyi")))
        .or_else(|| modules.place(&child(path.trim_end_matches('/'), "__init__.py")))
}

fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
