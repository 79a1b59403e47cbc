//! How a repository is built, tested and checked, as its own pipelines and manifests say.

use super::{manifests, pipelines};
use crate::report::{Commands, FoundCommand};
use crate::tree::content;
use crate::tree::listing::Listed;
use std::path::Path;

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
}

/// Finds the commands. Only what stands in a file is found; nothing is run.
pub(crate) fn find(root: &Path, files: &[Listed]) -> Commands {
    let mut found: Vec<(Trust, FoundCommand)> = Vec::new();
    let at_root = |path: &str| !path.contains('/');
    for path in files.iter().map(|file| file.path.as_str()) {
        let pipeline = pipelines::is_pipeline(path);
        let manifest = at_root(path) && is_manifest(path);
        if !(pipeline || manifest) {
            continue;
        }
        let Some(text) = content::read_text(root, path) else { continue };
        let mut add = |trust, line, kind: &str, run: &str| {
            found.push((
                trust,
                FoundCommand { kind: kind.to_owned(), run: run.to_owned(), path: path.to_owned(), line },
            ));
        };
        if pipeline {
            for line in pipelines::shell_lines(&text) {
                if let Some((kind, run)) = judged(line.text) {
                    add(Trust::Pipeline, line.line, kind, run);
                }
            }
            continue;
        }
        for (line, run) in manifests::offered(path, &text).unwrap_or_default() {
            if let Some(kind) = offered_kind(&run) {
                add(Trust::Offered, line, kind, &run);
            }
        }
        for (kind, run) in manifests::implied(path, &text) {
            add(Trust::Implied, 1, kind, run);
        }
    }
    let best = |kind: &str| {
        let of_kind = found.iter().filter(|(_, command)| command.kind == kind);
        let best = of_kind.min_by_key(|(trust, command)| (*trust, roughness(&command.run)));
        best.map(|(_, command)| command.run.clone())
    };
    let (build, test, lint) = (best("build"), best("test"), best("lint"));
    let mut all: Vec<FoundCommand> = Vec::new();
    for (_, command) in found {
        if !all.iter().any(|known| known.run == command.run && known.kind == command.kind) {
            all.push(command);
        }
    }
    all.truncate(MOST_FOUND);
    Commands { build, test, lint, found: all }
}

const MOST_FOUND: usize = 40;

/// Where a command comes from, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    Pipeline,
    Offered,
    Implied,
}

fn is_manifest(path: &str) -> bool {
    const NAMES: [&str; 19] = [
        "package.json",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
        ".justfile",
        "tox.ini",
        "noxfile.py",
        "Cargo.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "pyproject.toml",
        "setup.cfg",
        "pytest.ini",
        "mix.exs",
        "CMakeLists.txt",
    ];
    NAMES.contains(&path) || path == "Gemfile"
}

/// What a line of shell does, and the part of it that does so. Lines that install, print or decide are nothing.
fn judged(line: &str) -> Option<(&'static str, &str)> {
    let commands = line.split("&&").flat_map(|part| part.split(';')).map(str::trim);
    commands.into_iter().find_map(|run| kind_of(run).map(|kind| (kind, run)))
}

fn kind_of(run: &str) -> Option<&'static str> {
    if run.len() > 200 || run.contains(['|', '>', '<', '`']) || run.contains("$(") {
        return None;
    }
    let bare = run.strip_prefix("sudo ").unwrap_or(run);
    // `RUSTFLAGS=x cargo test`
    let mut words = bare.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next()?;
    if !PROGRAMS.contains(&program.rsplit('/').next().unwrap_or(program)) {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    if rest.first().is_some_and(|first| NOT_WORK.contains(first)) || rest.contains(&"--version") {
        return None;
    }
    let all: Vec<&str> = std::iter::once(program).chain(rest).collect();
    kind_of_words(&all)
}

/// The kind of `npm run x`, `make x` and their like: the word itself must say it.
fn offered_kind(run: &str) -> Option<&'static str> {
    match run {
        "tox" | "nox" => return Some("test"),
        _ => {}
    }
    let name = run.split(' ').next_back()?;
    match name {
        "build" | "compile" | "all" => Some("build"),
        "test" | "tests" | "check-all" => Some("test"),
        "lint" | "clippy" | "typecheck" | "check" | "fmt-check" | "format:check" | "vet" => Some("lint"),
        _ => None,
    }
}

fn kind_of_words(words: &[&str]) -> Option<&'static str> {
    let has = |wanted: &[&str]| {
        words.iter().any(|word| {
            let word = word.rsplit('/').next().unwrap_or(word);
            word.split([':', '-', '.']).any(|part| wanted.contains(&part)) || wanted.contains(&word)
        })
    };
    if has(&[
        "clippy",
        "fmt",
        "rustfmt",
        "eslint",
        "ruff",
        "flake8",
        "black",
        "isort",
        "mypy",
        "pyright",
        "lint",
        "golangci-lint",
        "vet",
        "prettier",
        "tsc",
        "typecheck",
        "checkstyle",
        "spotless",
        "deny",
    ]) {
        return Some("lint");
    }
    if has(&[
        "test", "tests", "nextest", "pytest", "jest", "vitest", "mocha", "tox", "nox", "ctest", "verify",
        "rspec",
    ]) {
        return Some("test");
    }
    has(&["build", "compile", "package", "assemble", "check"]).then_some("build")
}

/// The programs people build and test with.
const PROGRAMS: [&str; 37] = [
    "bazel",
    "bundle",
    "bun",
    "cargo",
    "cmake",
    "cross",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "flake8",
    "go",
    "golangci-lint",
    "gradle",
    "gradlew",
    "hatch",
    "jest",
    "just",
    "make",
    "mix",
    "mvn",
    "mvnw",
    "mypy",
    "nox",
    "npm",
    "npx",
    "pnpm",
    "poetry",
    "pytest",
    "python",
    "python3",
    "rake",
    "ruff",
    "swift",
    "tox",
    "uv",
    "yarn",
];

/// First words after which a program does not build, test or check.
const NOT_WORK: [&str; 16] = [
    "install",
    "ci",
    "add",
    "publish",
    "login",
    "--version",
    "version",
    "get",
    "mod",
    "update",
    "config",
    "clean",
    "fetch",
    "new",
    "init",
    "doc",
];

/// How much of a command depends on where it is run: the plainest is the best to type.
fn roughness(run: &str) -> usize {
    let odd = run.matches(['$', '\\', '{', '*']).count() * 200;
    let flags =
        run.split(' ').filter(|word| word.starts_with("--target") || word.starts_with("--manifest")).count()
            * 60;
    odd + flags + run.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_shell_are_judged() {
        for (line, expected) in [
            ("cargo test --workspace", Some(("test", "cargo test --workspace"))),
            (
                "RUSTFLAGS=-Dwarnings cargo nextest run",
                Some(("test", "RUSTFLAGS=-Dwarnings cargo nextest run")),
            ),
            (
                "cargo clippy --all-targets -- -D warnings",
                Some(("lint", "cargo clippy --all-targets -- -D warnings")),
            ),
            ("cargo fmt --all --check", Some(("lint", "cargo fmt --all --check"))),
            ("cargo build --release", Some(("build", "cargo build --release"))),
            ("npm ci && npm test", Some(("test", "npm test"))),
            ("npm run lint", Some(("lint", "npm run lint"))),
            ("python -m pytest -x", Some(("test", "python -m pytest -x"))),
            ("go vet ./...", Some(("lint", "go vet ./..."))),
            ("./gradlew build", Some(("build", "./gradlew build"))),
            ("mvn -B verify", Some(("test", "mvn -B verify"))),
            ("cargo install cargo-nextest", None),
            ("echo test", None),
            ("curl https://x | sh", None),
            ("rustup component add clippy", None),
            ("git diff --exit-code", None),
            ("", None),
        ] {
            assert_eq!(judged(line), expected, "{line}");
        }
    }
}
