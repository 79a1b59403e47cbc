//! Resolves imports to files.

use super::statements::{Imported, imported};
use super::{python, rust};
use crate::tree::kind::{FileKind, file_name, folder};
use std::collections::HashMap;

/// Files of a repository, and what its manifests call its packages.
#[derive(Debug)]
pub(crate) struct Modules<'a> {
    pub(super) paths: Vec<&'a str>,
    places: HashMap<&'a str, usize>,
    /// Files by name, for languages whose imports begin at a root.
    by_file_name: HashMap<&'a str, Vec<usize>>,
    /// Go modules: folder and name.
    go_packages: Vec<(&'a str, String)>,
    /// Rust packages: name as in `use`, and folder.
    pub(super) rust_packages: Vec<(String, &'a str)>,
}

/// Maximum number of manifests read.
const MAX_MANIFESTS: usize = 200;
const MAX_IMPORTS: usize = 60;

impl<'a> Modules<'a> {
    /// `read` gives the text of a manifest.
    pub(crate) fn new(
        files: impl Iterator<Item = (&'a str, FileKind)>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Modules<'a> {
        let paths: Vec<&str> = files.map(|(path, _)| path).collect();
        let places = paths.iter().enumerate().map(|(n, path)| (*path, n)).collect();
        let mut by_file_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (n, path) in paths.iter().enumerate() {
            by_file_name.entry(file_name(path)).or_default().push(n);
        }
        let manifests = |name: &str| by_file_name.get(name).into_iter().flatten().take(MAX_MANIFESTS);
        let go_packages = manifests("go.mod").filter_map(|n| {
            let text = read(paths[*n])?;
            let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
            Some((folder(paths[*n]), name.trim().trim_matches('"').to_owned()))
        });
        let rust_packages = manifests("Cargo.toml").filter_map(|n| {
            let manifest: toml::Table = read(paths[*n])?.parse().ok()?;
            let name = |section: &str| manifest.get(section)?.get("name")?.as_str();
            let name = name("lib").or_else(|| name("package"))?;
            Some((name.replace('-', "_"), folder(paths[*n])))
        });
        let (go_packages, rust_packages) = (go_packages.collect(), rust_packages.collect());
        Modules { paths, places, by_file_name, go_packages, rust_packages }
    }

    /// Files imported by `text`, the content of `path`; each once, in order.
    pub(crate) fn resolve_imports(&self, path: &str, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let imports = imported(path, text);
        for import in &imports {
            let files = match import {
                Imported::Relative(name) => self.relative(path, name).into_iter().collect(),
                Imported::Package(name) => self.go_package(name).into_iter().collect(),
                Imported::Type(name) => self.java_type(name).into_iter().collect(),
                Imported::Module { dots, module, names } => python::resolve(self, path, *dots, module, names),
                // A declaration is no use.
                Imported::Child(_) => Vec::new(),
                Imported::Path(name) => {
                    let declared = imports.contains(&Imported::Child(name[0].clone()));
                    rust::resolve(self, path, name, declared).into_iter().collect()
                }
            };
            for file in files {
                if self.paths[file] != path && !found.contains(&file) && found.len() < MAX_IMPORTS {
                    found.push(file);
                }
            }
        }
        found
    }

    /// Path of a file.
    pub(crate) fn path(&self, place: usize) -> &'a str {
        self.paths[place]
    }

    /// Position of a file.
    pub(super) fn place(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// Files with a name, anywhere.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = usize> {
        self.by_file_name.get(name).into_iter().flatten().copied()
    }

    /// A path from the importing file: as written, with an extension, or a folder with an index.
    fn relative(&self, from: &str, name: &str) -> Option<usize> {
        let target = join(folder(from), name)?;
        let extension = from.rsplit_once('.').map_or("", |(_, extension)| extension);
        if extension == "rb" {
            return self.place(&target).or_else(|| self.place(&format!("{target}.rb")));
        }
        // TypeScript names the files that it is compiled to.
        let bare = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|ending| target.strip_suffix(ending));
        let exact = self.place(&target);
        let endings = ["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte"];
        exact
            .or_else(|| endings.iter().find_map(|ending| self.place(&format!("{target}.{ending}"))))
            .or_else(|| {
                let bare = bare?;
                ["ts", "tsx", "mts", "cts"].iter().find_map(|ending| self.place(&format!("{bare}.{ending}")))
            })
            .or_else(|| {
                let index = |ending: &&str| {
                    let slash = if target.is_empty() { "" } else { "/" };
                    self.place(&format!("{target}{slash}index.{ending}"))
                };
                endings.iter().find_map(index)
            })
    }

    /// The file that a package of this repository is known by: its only one, or the one with its name.
    fn go_package(&self, name: &str) -> Option<usize> {
        let (root, below) = self
            .go_packages
            .iter()
            .filter_map(|(root, module)| {
                let rest = name.strip_prefix(module.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| (*root, rest.trim_start_matches('/')))
            })
            .max_by_key(|(root, _)| root.len())?;
        let package = match (root, below) {
            ("", below) => below.to_owned(),
            (root, "") => root.to_owned(),
            (root, below) => format!("{root}/{below}"),
        };
        let is_source = |path: &str| path.ends_with(".go") && !path.ends_with("_test.go");
        let inside: Vec<usize> = (0..self.paths.len())
            .filter(|n| folder(self.paths[*n]) == package && is_source(self.paths[*n]))
            .collect();
        let last = name.rsplit('/').next().unwrap_or_default();
        match inside.as_slice() {
            [only] => Some(*only),
            _ => inside.into_iter().find(|n| file_name(self.paths[*n]) == format!("{last}.go")),
        }
    }

    /// `a.b.C`, or a member of it.
    fn java_type(&self, name: &[String]) -> Option<usize> {
        for end in (2..=name.len()).rev().take(3) {
            let wanted = format!("{}.java", name[..end].join("/"));
            let file = format!("{}.java", name[end - 1]);
            let mut fits = self.named(&file).filter(|n| {
                let before = self.paths[*n].strip_suffix(wanted.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
            });
            if let Some(first) = fits.next() {
                return fits.next().is_none().then_some(first);
            }
        }
        None
    }
}

/// Path of `name` below `folder`, without `.` and `..`; none if it leaves the repository.
fn join(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::kind::file_kind;

    const PATHS: [&str; 26] = [
        "Cargo.toml",
        "src/lib.rs",
        "src/words/mod.rs",
        "src/words/split.rs",
        "src/look.rs",
        "src/look/far.rs",
        "tests/it.rs",
        "web/app.ts",
        "web/util/dates.ts",
        "web/http.ts",
        "pkg/__init__.py",
        "pkg/logging.py",
        "pkg/server/__init__.py",
        "pkg/server/server.py",
        "pkg/store/__init__.py",
        "scripts/tool.py",
        "scripts/helper.py",
        "go.mod",
        "internal/cache/cache.go",
        "internal/cache/clock.go",
        "internal/two/a.go",
        "internal/two/b.go",
        "cmd/main.go",
        "src/main/java/org/acme/Parser.java",
        "src/main/java/org/acme/Lexer.java",
        "c/list.h",
    ];

    fn read(path: &str) -> Option<String> {
        match path {
            "go.mod" => Some("module example.org/acme\n".to_owned()),
            "Cargo.toml" => Some("[package]\nname = \"acme-core\"\n".to_owned()),
            _ => None,
        }
    }

    fn resolve_imports(path: &str, text: &str) -> Vec<&'static str> {
        let modules = Modules::new(PATHS.iter().map(|path| (*path, file_kind(path).unwrap())), read);
        modules.resolve_imports(path, text).into_iter().map(|n| PATHS[n]).collect()
    }

    #[test]
    fn rust_imports_lead_to_files() {
        for (path, text, expected) in [
            ("src/look.rs", "use crate::words::split::{terms, words};", vec!["src/words/split.rs"]),
            ("src/look.rs", "use crate::{words::Split, far};", vec!["src/words/mod.rs", "src/lib.rs"]),
            ("src/look.rs", "use self::far::Far;", vec!["src/look/far.rs"]),
            ("src/look.rs", "mod far;\nuse far::Far;", vec!["src/look/far.rs"]),
            ("src/words/mod.rs", "pub(crate) mod split;\nuse std::fmt;", vec![]),
            ("src/words/split.rs", "pub use super::super::look::look;", vec!["src/look.rs"]),
            ("src/words/split.rs", "use super::Word;", vec!["src/words/mod.rs"]),
            ("tests/it.rs", "use acme_core::words::split::terms;", vec!["src/words/split.rs"]),
            ("src/look.rs", "// use crate::words::split;\nlet x = 1;", vec![]),
            ("src/look.rs", "const X: &str = r#\"\nuse crate::words::split;\n\"#;", vec![]),
            ("src/look.rs", "use words::split::X;", vec![]),
            ("src/look.rs", "mod far { use super::words; }", vec![]),
        ] {
            assert_eq!(resolve_imports(path, text), expected, "{path}: {text}");
        }
    }

    #[test]
    fn python_imports_lead_to_files() {
        for (path, text, expected) in [
            ("pkg/server/server.py", "from pkg.store import Store\nimport os", vec!["pkg/store/__init__.py"]),
            ("pkg/server/server.py", "from ..store import (\n  A,\n  B,\n)", vec!["pkg/store/__init__.py"]),
            ("pkg/server/server.py", "from .. import store", vec!["pkg/store/__init__.py"]),
            ("pkg/server/server.py", "import pkg.server", vec!["pkg/server/__init__.py"]),
            ("scripts/tool.py", "import helper", vec!["scripts/helper.py"]),
            ("pkg/server/server.py", "import logging", vec![]),
            ("pkg/logging.py", "from logging import getLogger", vec![]),
            ("pkg/server/server.py", "'''\nfrom pkg.store import Store\n'''", vec![]),
            ("pkg/app.py", "import server", vec![]),
            ("pkg/app.py", "from other.store import Store", vec![]),
        ] {
            assert_eq!(resolve_imports(path, text), expected, "{path}: {text}");
        }
    }

    #[test]
    fn other_imports_lead_to_files() {
        for (path, text, expected) in [
            (
                "web/app.ts",
                "import { day } from './util/dates';\nimport x from 'react';",
                vec!["web/util/dates.ts"],
            ),
            ("web/app.ts", "import {\n  day,\n} from './util/dates.js';", vec!["web/util/dates.ts"]),
            ("web/app.ts", "const d = require(\"./util/dates\");", vec!["web/util/dates.ts"]),
            ("web/app.ts", "import x from 'dates';\nconst h = require('http');", vec![]),
            ("web/app.ts", "/** @param {import('./util/dates').Day} day */", vec![]),
            ("web/app.ts", "const s = `\nimport x from './util/dates';\n`;", vec![]),
            (
                "cmd/main.go",
                "package main\nimport (\n\t\"fmt\"\n\tc \"example.org/acme/internal/cache\"\n)",
                vec!["internal/cache/cache.go"],
            ),
            ("cmd/main.go", "package main\nimport \"other.org/internal/cache\"", vec![]),
            ("cmd/main.go", "package main\nimport \"example.org/acme/internal/two\"", vec![]),
            (
                "src/main/java/org/acme/Parser.java",
                "import org.acme.Lexer;\nimport java.util.List;",
                vec!["src/main/java/org/acme/Lexer.java"],
            ),
            (
                "src/main/java/org/acme/Parser.java",
                "import static org.acme.Lexer.lex;",
                vec!["src/main/java/org/acme/Lexer.java"],
            ),
            ("src/main/java/org/acme/Parser.java", "import com.other.Lexer;\nimport org.acme.*;", vec![]),
            ("c/list.c", "#include \"list.h\"\n#include <stdio.h>", vec!["c/list.h"]),
            ("c/list.c", "// #include \"list.h\"", vec![]),
            ("other/list.c", "#include \"list.h\"", vec![]),
        ] {
            assert_eq!(resolve_imports(path, text), expected, "{path}: {text}");
        }
    }
}
