//! The commands that manifests and task files offer: scripts, targets, recipes; and what a manifest alone implies.

use super::commands::Line;
use crate::tree::kind::file_name;
use serde_json::Value;

/// The commands of a task file or manifest at the root, ready to be typed; `None` if the file is neither.
pub(super) fn offered(path: &str, text: &str) -> Option<Vec<(usize, String)>> {
    match file_name(path) {
        "package.json" => Some(scripts(text)),
        "Makefile" | "makefile" | "GNUmakefile" => Some(targets(text, "make")),
        "justfile" | "Justfile" | ".justfile" => Some(targets(text, "just")),
        "tox.ini" => Some(vec![(1, "tox".to_owned())]),
        "noxfile.py" => Some(vec![(1, "nox".to_owned())]),
        _ => None,
    }
}

/// What a manifest alone implies, by the habits of its language: kind, command.
pub(super) fn implied(path: &str, text: &str) -> &'static [(&'static str, &'static str)] {
    match path {
        "Cargo.toml" if text.contains("[workspace]") => {
            &[("build", "cargo build --workspace"), ("test", "cargo test --workspace")]
        }
        "Cargo.toml" => &[("build", "cargo build"), ("test", "cargo test")],
        "go.mod" => &[("build", "go build ./..."), ("test", "go test ./..."), ("lint", "go vet ./...")],
        "pom.xml" => &[("build", "mvn package"), ("test", "mvn test")],
        "build.gradle" | "build.gradle.kts" => &[("build", "./gradlew build"), ("test", "./gradlew test")],
        "pyproject.toml" | "setup.cfg" | "pytest.ini" if text.contains("pytest") => {
            &[("test", "python -m pytest")]
        }
        "mix.exs" => &[("build", "mix compile"), ("test", "mix test")],
        "Gemfile" if text.contains("rspec") => &[("test", "bundle exec rspec")],
        "CMakeLists.txt" => &[("build", "cmake --build build"), ("test", "ctest --test-dir build")],
        _ => &[],
    }
}

/// `npm run x` for the scripts of a `package.json`.
fn scripts(text: &str) -> Vec<(usize, String)> {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let names =
        manifest.get("scripts").and_then(Value::as_object).into_iter().flat_map(|scripts| scripts.keys());
    let start = text.lines().position(|line| line.contains("\"scripts\"")).unwrap_or(0);
    let place = |name: &str| {
        let key = format!("\"{name}\"");
        let below = text.lines().enumerate().skip(start);
        below
            .into_iter()
            .find(|(_, line)| line.trim_start().starts_with(&key))
            .map_or(start + 1, |(n, _)| n + 1)
    };
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b":_-.".contains(&b))
    };
    names
        .filter(|name| plain(name))
        .map(|name| {
            (place(name), if name == "test" { "npm test".to_owned() } else { format!("npm run {name}") })
        })
        .collect()
}

/// `make x` for the targets of a Makefile, `just x` for recipes.
fn targets(text: &str, program: &str) -> Vec<(usize, String)> {
    let target = |line: &Line<'_>| {
        let (name, rest) = line.text.split_once(':')?;
        let name = name.trim_start_matches('@').split(' ').next()?;
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        (plain && !rest.starts_with('=')).then(|| (line.line, format!("{program} {name}")))
    };
    let lines = text.lines().enumerate().map(|(n, text)| Line { line: n + 1, text });
    lines.filter_map(|line| target(&line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_targets_and_recipes_are_offered() {
        let package = "{\n  \"name\": \"test\",\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"jest\",\n    \"a b\": \"x\"\n  }\n}\n";
        let offered = |path, text| offered(path, text).unwrap();
        assert_eq!(
            offered("package.json", package),
            [(4, "npm run build".to_owned()), (5, "npm test".to_owned())]
        );
        let make = "CC := gcc\nall: build\nbuild:\n\tcc\n.PHONY: test\ntest-unit: build\n";
        assert_eq!(
            offered("Makefile", make),
            [(2, "make all".to_owned()), (3, "make build".to_owned()), (6, "make test-unit".to_owned())]
        );
        assert_eq!(
            offered("justfile", "test FILTER='':\n  x\nlint:\n"),
            [(1, "just test".to_owned()), (3, "just lint".to_owned())]
        );
        assert_eq!(super::offered("README.md", ""), None);
        assert_eq!(offered("package.json", "{"), []);
    }
}
