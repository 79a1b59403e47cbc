//! Kinds of paths: tests, lock files, manifests and files that no agent may change.

/// True if a file holds tests by its name or its folder.
pub fn is_test_path(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_test_folder = folders.split('/').any(|folder| {
        matches!(folder, "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "e2e")
    });
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let is_named = stem == "test"
        || stem == "tests"
        || stem.starts_with("test_")
        || stem.starts_with("test-")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("-test")
        || stem.ends_with("_spec")
        || name.contains(".test.")
        || name.contains(".spec.")
        || is_camel_test(path);
    is_code(name) && (in_test_folder || is_named)
}

/// `LimitTest.java`, `TestLimit.kt`, `LimitTests.cs`, `LimitIT.java`.
fn is_camel_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_jvm = matches!(extension, "java" | "kt" | "kts" | "scala" | "groovy" | "cs" | "php" | "swift");
    let starts = stem.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    is_jvm
        && (starts
            || ["Test", "Tests", "Spec", "IT", "TestCase"]
                .iter()
                .any(|end| stem.ends_with(end) && stem != *end))
}

fn is_code(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    !matches!(extension, "md" | "txt" | "rst" | "adoc" | "png" | "jpg" | "jpeg" | "gif" | "svg" | "pdf")
}

/// Lock files of package managers, each with the manifests it is made from.
const LOCK_FILES: [(&str, &[&str]); 16] = [
    ("cargo.lock", &["cargo.toml"]),
    ("package-lock.json", &["package.json"]),
    ("npm-shrinkwrap.json", &["package.json"]),
    ("yarn.lock", &["package.json"]),
    ("pnpm-lock.yaml", &["package.json", "pnpm-workspace.yaml"]),
    ("bun.lockb", &["package.json"]),
    ("bun.lock", &["package.json"]),
    ("poetry.lock", &["pyproject.toml"]),
    ("uv.lock", &["pyproject.toml"]),
    ("pdm.lock", &["pyproject.toml"]),
    ("pipfile.lock", &["pipfile"]),
    ("gemfile.lock", &["gemfile"]),
    ("composer.lock", &["composer.json"]),
    ("go.sum", &["go.mod"]),
    ("mix.lock", &["mix.exs"]),
    ("gradle.lockfile", &["build.gradle", "build.gradle.kts"]),
];

/// Names of the manifests that a lock file is made from; none if it is no lock file.
pub fn manifests_of(path: &str) -> Option<&'static [&'static str]> {
    let name = file_name(path);
    LOCK_FILES.iter().find(|(lock, _)| *lock == name).map(|(_, manifests)| *manifests)
}

/// True if a file is one of these, whichever folder it is in.
pub fn is_named(path: &str, names: &[&str]) -> bool {
    let name = file_name(path);
    names.contains(&name.as_str()) || (name.ends_with(".gemspec") && names.contains(&"gemfile"))
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_recognised_by_name_and_folder() {
        for path in [
            "tests/http.rs",
            "src/limit_test.go",
            "tests/test_a.py",
            "test_a.py",
            "src/__tests__/a.ts",
            "a.test.tsx",
            "a.spec.js",
            "spec/models/user_spec.rb",
            "src/test/java/LimitTest.java",
            "src/limit/tests.rs",
            "LimitIT.java",
            "tests/UserTest.php",
            "crates/x/tests/it/main.rs",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/a.rs",
            "src/contest.py",
            "src/latest.js",
            "README.md",
            "tests/README.md",
            "src/attest.rs",
            "testing.md",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn lock_files_know_their_manifests() {
        assert_eq!(manifests_of("a/Cargo.lock"), Some(&["cargo.toml"][..]));
        assert_eq!(manifests_of("src/lock.rs"), None);
        assert!(is_named("x/Cargo.toml", &["cargo.toml"]) && is_named("a.gemspec", &["gemfile"]));
    }
}
