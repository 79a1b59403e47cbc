//! Commands declared in manifests and task files (scripts, targets, recipes), and those a manifest implies.

use serde_json::Value;

/// True for files at the root that may declare commands.
pub(super) fn is_manifest(path: &str) -> bool {
    const NAMES: [&str; 28] = [
        "package.json",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        ".justfile",
        "tox.ini",
        "tox.toml",
        "noxfile.py",
        "Cargo.toml",
        "clippy.toml",
        ".clippy.toml",
        "go.mod",
        ".golangci.yml",
        ".golangci.yaml",
        ".pre-commit-config.yaml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "pyproject.toml",
        "setup.cfg",
        "pytest.ini",
        "mix.exs",
        "CMakeLists.txt",
        "Gemfile",
    ];
    NAMES.contains(&path)
}

/// Commands of a task file or manifest at the root, with their lines. `siblings` are the files next to it.
pub(super) fn declared_commands(path: &str, text: &str, siblings: &[&str]) -> Vec<(usize, String)> {
    let one = |run: &str| vec![(1, run.to_owned())];
    match path {
        "package.json" => scripts(text, siblings),
        "Makefile" | "makefile" | "GNUmakefile" => targets(text, "make"),
        "justfile" | "Justfile" | ".justfile" => targets(text, "just"),
        "tox.ini" | "tox.toml" => one("tox"),
        "noxfile.py" => one("nox"),
        ".golangci.yml" | ".golangci.yaml" => one("golangci-lint run"),
        ".pre-commit-config.yaml" => one("pre-commit run --all-files"),
        _ => Vec::new(),
    }
}

/// Commands implied by a manifest, by the conventions of its language: kind, command.
pub(super) fn implied_commands(
    path: &str,
    text: &str,
    siblings: &[&str],
) -> Vec<(&'static str, &'static str)> {
    let wrapped = |wrapper: &str| siblings.contains(&wrapper);
    match path {
        "Cargo.toml" => {
            let workspace = text.lines().any(|line| line.trim() == "[workspace]");
            let mut all = if workspace {
                vec![("build", "cargo build --workspace"), ("test", "cargo test --workspace")]
            } else {
                vec![("build", "cargo build"), ("test", "cargo test")]
            };
            if text.contains("lints.clippy]") {
                all.push(("lint", if workspace { "cargo clippy --workspace" } else { "cargo clippy" }));
            }
            all
        }
        "clippy.toml" | ".clippy.toml" => vec![("lint", "cargo clippy")],
        "go.mod" => vec![("build", "go build ./..."), ("test", "go test ./..."), ("lint", "go vet ./...")],
        "pom.xml" if wrapped("mvnw") => vec![("build", "./mvnw package"), ("test", "./mvnw test")],
        "pom.xml" => vec![("build", "mvn package"), ("test", "mvn test")],
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => {
            if wrapped("gradlew") {
                vec![("build", "./gradlew build"), ("test", "./gradlew test")]
            } else {
                vec![("build", "gradle build"), ("test", "gradle test")]
            }
        }
        "pyproject.toml" | "setup.cfg" | "pytest.ini" => {
            let mut all = Vec::new();
            if text.contains("pytest") {
                all.push(("test", "python -m pytest"));
            }
            if text.contains("[tool.ruff") {
                all.push(("lint", "ruff check"));
            }
            if text.contains("[flake8]") {
                all.push(("lint", "flake8"));
            }
            all
        }
        "mix.exs" => vec![("build", "mix compile"), ("test", "mix test")],
        "Gemfile" if text.contains("rspec") => vec![("test", "bundle exec rspec")],
        "CMakeLists.txt" => vec![("build", "cmake --build build"), ("test", "ctest --test-dir build")],
        _ => Vec::new(),
    }
}

/// `npm run x` for the scripts of a `package.json`, or the same with another package manager.
fn scripts(text: &str, siblings: &[&str]) -> Vec<(usize, String)> {
    let Ok(manifest) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let scripts = manifest.get("scripts").and_then(Value::as_object).into_iter().flatten();
    let manager = package_manager(&manifest, siblings);
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
    // The placeholder of `npm init` is not a test.
    let real = |script: &Value| script.as_str().is_some_and(|script| !script.contains("no test specified"));
    scripts
        .filter(|(name, script)| plain(name) && real(script))
        .map(|(name, _)| {
            // `bun test` runs bun's own test runner, not the script.
            let short = name == "test" && manager != "bun";
            (place(name), if short { format!("{manager} test") } else { format!("{manager} run {name}") })
        })
        .collect()
}

/// Package manager: the one the manifest names, else the one of the lock file.
pub(super) fn package_manager(manifest: &Value, siblings: &[&str]) -> &'static str {
    let asked = manifest.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let locks = [
        ("pnpm", "pnpm-lock.yaml"),
        ("yarn", "yarn.lock"),
        ("bun", "bun.lock"),
        ("bun", "bun.lockb"),
        ("npm", "package-lock.json"),
    ];
    let by_name = locks.iter().find(|(name, _)| asked.split('@').next() == Some(name));
    let by_lock = || locks.iter().find(|(_, lock)| siblings.contains(lock));
    by_name.or_else(by_lock).map_or("npm", |(name, _)| name)
}

/// `make x` for the targets of a Makefile, `just x` for recipes.
fn targets(text: &str, program: &str) -> Vec<(usize, String)> {
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let name = name.trim_start_matches('@').split(' ').next()?;
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        (plain && !rest.starts_with('=')).then(|| format!("{program} {name}"))
    };
    text.lines().zip(1..).filter_map(|(line, n)| target(line).map(|run| (n, run))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_targets_and_recipes_are_offered() {
        let package = "{\n  \"name\": \"test\",\n  \"scripts\": {\n    \"build\": \"tsc\",\n    \"test\": \"jest\",\n    \"a b\": \"x\"\n  }\n}\n";
        let commands = |path, text| declared_commands(path, text, &[]);
        assert_eq!(
            commands("package.json", package),
            [(4, "npm run build".to_owned()), (5, "npm test".to_owned())]
        );
        let make = "CC := gcc\nall: build\nbuild:\n\tcc\n.PHONY: test\ntest-unit: build\n";
        assert_eq!(
            commands("Makefile", make),
            [(2, "make all".to_owned()), (3, "make build".to_owned()), (6, "make test-unit".to_owned())]
        );
        assert_eq!(
            commands("justfile", "test FILTER='':\n  x\nlint:\n"),
            [(1, "just test".to_owned()), (3, "just lint".to_owned())]
        );
        assert_eq!(commands("README.md", ""), []);
        assert_eq!(commands("package.json", "{"), []);
    }

    #[test]
    fn scripts_are_run_by_the_manager_the_repository_uses() {
        let package = |rest: &str| format!("{{\"scripts\": {{\"test\": \"x\", \"build\": \"y\"}}{rest}}}");
        for (rest, siblings, expected) in [
            ("", vec![], ["npm run build", "npm test"]),
            ("", vec!["yarn.lock"], ["yarn run build", "yarn test"]),
            ("", vec!["pnpm-lock.yaml"], ["pnpm run build", "pnpm test"]),
            ("", vec!["bun.lockb"], ["bun run build", "bun run test"]),
            (
                ", \"packageManager\": \"pnpm@9.1.0\"",
                vec!["package-lock.json"],
                ["pnpm run build", "pnpm test"],
            ),
        ] {
            let mut runs: Vec<String> =
                scripts(&package(rest), &siblings).into_iter().map(|(_, run)| run).collect();
            runs.sort_unstable();
            assert_eq!(runs, expected, "{rest} {siblings:?}");
        }
        let fresh = "{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}";
        assert_eq!(scripts(fresh, &[]), []);
    }

    #[test]
    fn manifests_imply_by_habit() {
        for (path, text, siblings, expected) in [
            ("pom.xml", "", vec!["mvnw"], vec!["./mvnw package", "./mvnw test"]),
            ("build.gradle", "", vec!["gradlew"], vec!["./gradlew build", "./gradlew test"]),
            ("build.gradle.kts", "", vec![], vec!["gradle build", "gradle test"]),
            (
                "Cargo.toml",
                "[workspace]\n[workspace.lints.clippy]\n",
                vec![],
                vec!["cargo build --workspace", "cargo test --workspace", "cargo clippy --workspace"],
            ),
            ("Cargo.toml", "[package]\n# not [workspace]\n", vec![], vec!["cargo build", "cargo test"]),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\n[tool.ruff]\n",
                vec![],
                vec!["python -m pytest", "ruff check"],
            ),
        ] {
            let runs: Vec<&str> =
                implied_commands(path, text, &siblings).into_iter().map(|(_, run)| run).collect();
            assert_eq!(runs, expected, "{path}");
        }
    }
}
