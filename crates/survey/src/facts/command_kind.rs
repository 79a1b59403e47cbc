//! Classifies shell lines, scripts and make targets by their words: build, test, lint, or none of these; and picks
//! the plainest of several.

use crate::report::LanguageShare;

/// Kind of a shell line, and the command in it that has that kind. None for installing, printing and conditions.
pub(super) fn classify_shell_line(line: &str) -> Option<(&'static str, &str)> {
    let commands = line.split("&&").flat_map(|part| part.split(';')).map(str::trim);
    commands.into_iter().find_map(|run| classify_command(run).map(|kind| (kind, run)))
}

fn classify_command(run: &str) -> Option<&'static str> {
    if run.len() > 200 || run.contains(['|', '>', '<', '`']) || run.contains("$(") {
        return None;
    }
    let bare = run.strip_prefix("sudo ").unwrap_or(run);
    // `RUSTFLAGS=x cargo test`
    let mut words = bare.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if is_own_script(program) {
        return classify_task(name.split('.').next().unwrap_or(name));
    }
    if !PROGRAMS.contains(&name) {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    if rest.first().is_some_and(|first| OTHER_SUBCOMMANDS.contains(first)) || rest.contains(&"--version") {
        return None;
    }
    if let Some(environment) = environment(name, &rest) {
        return classify_environment(environment);
    }
    let all: Vec<&str> = std::iter::once(program).chain(rest).collect();
    classify_words(&all)
}

/// True for `scripts/test` and the like: a script of the repository, classified by its name.
fn is_own_script(program: &str) -> bool {
    let folders = ["scripts/", "script/", "ci/", "tools/", "dev/", "hack/", ".ci/"];
    let inside = program.strip_prefix("./").unwrap_or(program);
    folders.iter().any(|folder| inside.starts_with(folder))
}

/// Environment or session that `tox -e x` and `nox -s x` run, if they name one.
fn environment<'a>(program: &str, rest: &[&'a str]) -> Option<&'a str> {
    let runs = ["tox", "nox"].iter().any(|known| program == *known || rest.contains(known));
    let flag = rest.iter().position(|word| matches!(*word, "-e" | "-f" | "-s" | "--session"))?;
    runs.then(|| rest.get(flag + 1).copied()).flatten()
}

fn classify_environment(name: &str) -> Option<&'static str> {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["doc", "coverage", "build", "release", "changelog"]) {
        None
    } else if has(&["lint", "typ", "mypy", "flake", "style", "format", "pre-commit", "ruff"]) {
        Some("lint")
    } else {
        Some("test")
    }
}

fn classify_words(words: &[&str]) -> Option<&'static str> {
    let has = |wanted: &[&str]| words.iter().any(|word| matches_word(word, wanted));
    if has(&LINTERS) || has(&TYPE_CHECKERS) || has(&FORMATTERS) {
        return Some("lint");
    }
    if has(&TESTERS) {
        let only_built = words.contains(&"--no-run") || words.contains(&"-DskipTests");
        return Some(if only_built { "build" } else { "test" });
    }
    has(&["build", "compile", "package", "assemble", "check"]).then_some("build")
}

/// True if a word of a command is one of these, or has one as a part: `test:unit`, `./gradlew`, `test-all`. Options
/// are ignored.
fn matches_word(word: &str, wanted: &[&str]) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    let part = |part: &str| wanted.contains(&part);
    !word.starts_with('-') && (part(word) || word.split([':', '-', '.']).any(part))
}

const LINTERS: [&str; 14] = [
    "clippy",
    "eslint",
    "flake8",
    "lint",
    "pylint",
    "golangci-lint",
    "staticcheck",
    "vet",
    "checkstyle",
    "checkstyleMain",
    "biome",
    "xo",
    "standard",
    "rubocop",
];
const TYPE_CHECKERS: [&str; 5] = ["mypy", "pyright", "tsc", "typecheck", "pre-commit"];
const FORMATTERS: [&str; 12] = [
    "fmt",
    "rustfmt",
    "ruff",
    "black",
    "isort",
    "prettier",
    "gofmt",
    "gofumpt",
    "spotless",
    "spotlessCheck",
    "format",
    "deny",
];
const TESTERS: [&str; 13] = [
    "test", "tests", "nextest", "pytest", "unittest", "jest", "vitest", "mocha", "tox", "nox", "ctest",
    "verify", "rspec",
];

/// Kind of `npm run x`, `make x` and the like, by the name of the task.
pub(super) fn classify_task(run: &str) -> Option<&'static str> {
    match run {
        "tox" | "nox" => return Some("test"),
        "golangci-lint run" | "pre-commit run --all-files" => return Some("lint"),
        _ => {}
    }
    let (program, name) = (run.split(' ').next()?, run.split(' ').next_back()?);
    match name {
        "build" | "compile" | "all" => return Some("build"),
        "test" | "tests" | "check-all" | "unit" => return Some("test"),
        // By convention, `make check` runs the tests.
        "check" if program == "make" => return Some("test"),
        "lint" | "clippy" | "typecheck" | "type-check" | "check" | "fmt-check" | "format:check" | "vet" => {
            return Some("lint");
        }
        _ => {}
    }
    let (head, tail) = name.split_once([':', '-'])?;
    if ["fix", "watch", "dev", "debug", "update", "clean"].iter().any(|other| tail.contains(other)) {
        return None;
    }
    [("test", "test"), ("lint", "lint")].iter().find(|(word, _)| *word == head).map(|(_, kind)| *kind)
}

/// True for a command that only checks types.
pub(super) fn is_type_check(run: &str) -> bool {
    let names = [
        "typecheck",
        "type-check",
        "check-types",
        "check:types",
        "types",
        "typing",
        "mypy",
        "pyright",
        "tsc",
    ];
    let mut words = run.split_whitespace();
    words.any(|word| names.contains(&word) || names.contains(&word.rsplit('/').next().unwrap_or(word)))
}

/// True for a command that repairs files instead of judging them.
pub(super) fn changes_files(run: &str) -> bool {
    let words: Vec<&str> = run.split_whitespace().collect();
    let is_option = |option: &[&str]| words.iter().any(|word| option.contains(word));
    let is_format =
        words.iter().any(|word| matches_word(word, &FORMATTERS) && !matches!(*word, "ruff" | "deny"));
    let only_looks = is_option(&["--check", "-c", "--check-only", "-l", "--list-different", "-d", "--diff"])
        || words.iter().any(|word| matches_word(word, &["check", "spotlessCheck"]));
    is_option(&["--fix", "--write", "-w", "--unsafe-fixes"])
        || words.contains(&"pre-commit")
        || (is_format && !only_looks)
}

/// Distance of a command from the plain one a person would type; the lowest is the best.
pub(super) fn command_cost(kind: &str, run: &str) -> usize {
    let words: Vec<&str> = run.split_whitespace().collect();
    let has = |wanted: &[&str]| words.iter().any(|word| matches_word(word, wanted));
    let aside = match kind {
        "lint" if has(&LINTERS) || run.contains("ruff check") => 0,
        "lint" if has(&TYPE_CHECKERS) => 1,
        "lint" => 2 + usize::from(!run.contains("check") && !run.contains("-l") && !run.contains("diff")),
        "test"
            if words.contains(&"--doc")
                || has(&["miri", "bench", "fuzz", "e2e", "integration", "doc", "docs"]) =>
        {
            2
        }
        "test" => 0,
        _ if has(&[
            "doc",
            "docs",
            "mkdocs",
            "sphinx",
            "book",
            "site",
            "website",
            "storybook",
            "zensical",
        ]) =>
        {
            2
        }
        _ if has(&["build", "compile", "package", "assemble"]) => 0,
        _ => 2,
    };
    let elsewhere =
        ["--target", "--manifest", "--package", "-p", "--features", "--no-default-features", "--bin"];
    let narrow = words.iter().filter(|word| elsewhere.iter().any(|flag| word.starts_with(flag))).count();
    (aside * 1000) + (narrow * 60) + run.len()
}

/// True if a command covers only a part: one package, one environment, the docs.
pub(super) fn is_partial(kind: &str, run: &str) -> bool {
    let words: Vec<&str> = run.split_whitespace().collect();
    let part = [
        "-p",
        "--package",
        "--bin",
        "--manifest-path",
        "--target",
        "--test",
        "--lib",
        "--features",
        "--no-default-features",
    ];
    let of_one = words.iter().any(|word| part.contains(word) || word.starts_with("--package="));
    let environment = words.split_first().and_then(|(program, rest)| environment(program, rest));
    of_one || environment.is_some() || command_cost(kind, run) >= 2000
}

/// Language of most files, of those in [`LANGUAGE_TOOLS`]; empty if there is none.
pub(super) fn main_language(languages: &[LanguageShare]) -> &str {
    let known = |name: &str| LANGUAGE_TOOLS.iter().any(|(languages, _)| languages.contains(&name));
    languages.iter().map(|share| share.name.as_str()).find(|name| known(name)).unwrap_or_default()
}

/// True if a command is a tool of another language than `main_language`.
pub(super) fn is_other_language(run: &str, main_language: &str) -> bool {
    let mut words = run.split_whitespace().skip_while(|word| word.contains('='));
    let program = words.next().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    let tools = LANGUAGE_TOOLS.iter().find(|(_, tools)| tools.contains(&program));
    !main_language.is_empty() && tools.is_some_and(|(languages, _)| !languages.contains(&main_language))
}

/// Tools by language.
const LANGUAGE_TOOLS: [(&[&str], &[&str]); 5] = [
    (&["Rust"], &["cargo", "cross"]),
    (
        &["JavaScript", "TypeScript", "Vue", "Svelte"],
        &["npm", "pnpm", "yarn", "bun", "npx", "deno", "jest", "eslint", "tsc", "vitest", "mocha", "biome"],
    ),
    (
        &["Python"],
        &[
            "python", "python3", "pytest", "tox", "nox", "ruff", "mypy", "uv", "uvx", "poetry", "hatch",
            "pdm", "flake8", "black", "isort", "pipenv", "coverage", "pyright",
        ],
    ),
    (&["Go"], &["go", "golangci-lint", "gofmt", "staticcheck", "mage"]),
    (&["Java", "Kotlin", "Scala", "Groovy"], &["mvn", "mvnw", "gradle", "gradlew", "ant", "sbt"]),
];

/// True if a command can be typed as it is: no variables, escapes or globs.
pub(super) fn is_literal(run: &str) -> bool {
    !run.contains(['$', '\\', '{', '*'])
}

/// Build and test programs.
const PROGRAMS: [&str; 58] = [
    "ant",
    "bazel",
    "biome",
    "black",
    "bundle",
    "bun",
    "cargo",
    "cmake",
    "coverage",
    "cross",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "flake8",
    "go",
    "gofmt",
    "golangci-lint",
    "gradle",
    "gradlew",
    "hatch",
    "isort",
    "jest",
    "just",
    "lerna",
    "mage",
    "make",
    "mix",
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "pipenv",
    "pnpm",
    "poetry",
    "pre-commit",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "ruff",
    "sbt",
    "staticcheck",
    "swift",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "uvx",
    "vitest",
    "yarn",
];

/// Subcommands that do not build, test or check.
const OTHER_SUBCOMMANDS: [&str; 20] = [
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
    "sync",
    "bench",
    "fuzz",
    "pip",
];

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
            ("cargo test --no-run", Some(("build", "cargo test --no-run"))),
            ("cargo run --package generate-book", None),
            ("npm ci && npm test", Some(("test", "npm test"))),
            ("npm run lint", Some(("lint", "npm run lint"))),
            ("python -m pytest -x", Some(("test", "python -m pytest -x"))),
            ("uv run pytest", Some(("test", "uv run pytest"))),
            ("tox run -e docset", None),
            ("tox run -f typing", Some(("lint", "tox run -f typing"))),
            (
                "uvx --with=tox-uv tox run -f py313-tests",
                Some(("test", "uvx --with=tox-uv tox run -f py313-tests")),
            ),
            ("nox -s lint", Some(("lint", "nox -s lint"))),
            ("pre-commit run --all-files", Some(("lint", "pre-commit run --all-files"))),
            ("go vet ./...", Some(("lint", "go vet ./..."))),
            ("go test -race ./...", Some(("test", "go test -race ./..."))),
            ("golangci-lint run", Some(("lint", "golangci-lint run"))),
            ("./gradlew build", Some(("build", "./gradlew build"))),
            ("./gradlew spotlessCheck", Some(("lint", "./gradlew spotlessCheck"))),
            ("mvn -B verify", Some(("test", "mvn -B verify"))),
            ("./mvnw -B package -DskipTests", Some(("build", "./mvnw -B package -DskipTests"))),
            ("cargo install cargo-nextest", None),
            ("uv sync --all-extras", None),
            ("./scripts/test.sh --all", Some(("test", "./scripts/test.sh --all"))),
            ("scripts/install", None),
            ("echo test", None),
            ("curl https://x | sh", None),
            ("rustup component add clippy", None),
            ("git diff --exit-code", None),
            ("", None),
        ] {
            assert_eq!(classify_shell_line(line), expected, "{line}");
        }
    }

    #[test]
    fn scripts_are_judged_by_their_names() {
        for (run, expected) in [
            ("npm test", Some("test")),
            ("pnpm run test:unit", Some("test")),
            ("npm run test:watch", None),
            ("npm run lint:fix", None),
            ("yarn run lint:eslint", Some("lint")),
            ("make check", Some("test")),
            ("just check", Some("lint")),
            ("make install", None),
            ("npm run docs", None),
            ("npm run build:validation", None),
        ] {
            assert_eq!(classify_task(run), expected, "{run}");
        }
    }

    #[test]
    fn the_plainest_of_its_kind_is_nearest() {
        for (kind, near, far) in [
            ("lint", "cargo clippy --all --all-targets", "cargo fmt --all -- --check"),
            ("lint", "ruff check src tests", "ruff format --check"),
            ("lint", "cargo fmt --check", "cargo fmt"),
            ("build", "cargo build --all-targets", "cargo check"),
            ("test", "cargo test --workspace --locked", "cargo test --doc"),
            ("test", "cargo test --all", "cargo test -p one"),
            ("test", "npm test", "npm run test:integration"),
        ] {
            assert!(command_cost(kind, near) < command_cost(kind, far), "{near} before {far}");
        }
    }

    #[test]
    fn commands_of_a_part_or_of_another_language_are_told_apart() {
        for (kind, run, expected) in [
            ("test", "cargo test --workspace", false),
            ("test", "cargo test -p one", true),
            ("test", "cargo test --test gui", true),
            ("build", "cargo build --target wasm32-unknown-unknown", true),
            ("test", "uvx tox run -f color", true),
            ("build", "uv run mkdocs build", true),
        ] {
            assert_eq!(is_partial(kind, run), expected, "{run}");
        }
        for (run, language, expected) in [
            ("npm run lint", "Rust", true),
            ("RUSTFLAGS=x cargo test", "Rust", false),
            ("make test", "Rust", false),
            ("npm test", "", false),
            ("./gradlew test", "Kotlin", false),
        ] {
            assert_eq!(is_other_language(run, language), expected, "{run}");
        }
    }
}
