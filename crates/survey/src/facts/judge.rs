//! What a line of shell, a script or a target does, by the words it is written with: build, test, lint, or nothing of
//! these. And which of several is the one to type.

use crate::report::LanguageShare;

/// What a line of shell does, and the part of it that does so. Lines that install, print or decide are nothing.
pub(super) fn judged(line: &str) -> Option<(&'static str, &str)> {
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
    let name = program.rsplit('/').next().unwrap_or(program);
    if is_own_script(program) {
        return offered_kind(name.split('.').next().unwrap_or(name));
    }
    if !PROGRAMS.contains(&name) {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    if rest.first().is_some_and(|first| NOT_WORK.contains(first)) || rest.contains(&"--version") {
        return None;
    }
    if let Some(environment) = environment(name, &rest) {
        return of_environment(environment);
    }
    let all: Vec<&str> = std::iter::once(program).chain(rest).collect();
    of_words(&all)
}

/// `scripts/test` and the like: a script of the repository, whose name says what it does.
fn is_own_script(program: &str) -> bool {
    let folders = ["scripts/", "script/", "ci/", "tools/", "dev/", "hack/", ".ci/"];
    let inside = program.strip_prefix("./").unwrap_or(program);
    folders.iter().any(|folder| inside.starts_with(folder))
}

/// The environment or session that `tox -e x` and `nox -s x` run, if they name one.
fn environment<'a>(program: &str, rest: &[&'a str]) -> Option<&'a str> {
    let runs = ["tox", "nox"].iter().any(|known| program == *known || rest.contains(known));
    let flag = rest.iter().position(|word| matches!(*word, "-e" | "-f" | "-s" | "--session"))?;
    runs.then(|| rest.get(flag + 1).copied()).flatten()
}

fn of_environment(name: &str) -> Option<&'static str> {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["doc", "coverage", "build", "release", "changelog"]) {
        None
    } else if has(&["lint", "typ", "mypy", "flake", "style", "format", "pre-commit", "ruff"]) {
        Some("lint")
    } else {
        Some("test")
    }
}

fn of_words(words: &[&str]) -> Option<&'static str> {
    let has = |wanted: &[&str]| words.iter().any(|word| says(word, wanted));
    if has(&LINTERS) || has(&TYPE_CHECKERS) || has(&FORMATTERS) {
        return Some("lint");
    }
    if has(&TESTERS) {
        let only_built = words.contains(&"--no-run") || words.contains(&"-DskipTests");
        return Some(if only_built { "build" } else { "test" });
    }
    has(&["build", "compile", "package", "assemble", "check"]).then_some("build")
}

/// Whether a word of a command is one of these, or has one as a part: `test:unit`, `./gradlew`, `test-all`. Options say
/// how, not what.
fn says(word: &str, wanted: &[&str]) -> bool {
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

/// The kind of `npm run x`, `make x` and their like: the word itself must say it.
pub(super) fn offered_kind(run: &str) -> Option<&'static str> {
    match run {
        "tox" | "nox" => return Some("test"),
        "golangci-lint run" | "pre-commit run --all-files" => return Some("lint"),
        _ => {}
    }
    let (program, name) = (run.split(' ').next()?, run.split(' ').next_back()?);
    match name {
        "build" | "compile" | "all" => return Some("build"),
        "test" | "tests" | "check-all" | "unit" => return Some("test"),
        // By an old habit, `make check` runs the tests.
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

/// How far a command is from the plain one that a person would type for this; the lowest is the best.
pub(super) fn distance(kind: &str, run: &str) -> usize {
    let words: Vec<&str> = run.split_whitespace().collect();
    let has = |wanted: &[&str]| words.iter().any(|word| says(word, wanted));
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

/// Whether a command does only a part: one package, one environment, the documents.
pub(super) fn is_narrow(kind: &str, run: &str) -> bool {
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
    of_one || environment.is_some() || distance(kind, run) >= 2000
}

/// The language most files are written in, of those whose programs are known; empty if there is none.
pub(super) fn main_language(languages: &[LanguageShare]) -> &str {
    let known = |name: &str| TOOLS.iter().any(|(languages, _)| languages.contains(&name));
    languages.iter().map(|share| share.name.as_str()).find(|name| known(name)).unwrap_or_default()
}

/// Whether a command belongs to another language than the one most of the repository is written in.
pub(super) fn is_foreign(run: &str, main_language: &str) -> bool {
    let mut words = run.split_whitespace().skip_while(|word| word.contains('='));
    let program = words.next().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    let tools = TOOLS.iter().find(|(_, tools)| tools.contains(&program));
    !main_language.is_empty() && tools.is_some_and(|(languages, _)| !languages.contains(&main_language))
}

/// The programs of one language and its neighbours.
const TOOLS: [(&[&str], &[&str]); 5] = [
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

/// Whether a command can be typed as it stands: nothing in it is filled in elsewhere.
pub(super) fn is_plain(run: &str) -> bool {
    !run.contains(['$', '\\', '{', '*'])
}

/// The programs people build and test with.
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

/// First words after which a program does not build, test or check.
const NOT_WORK: [&str; 20] = [
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
            assert_eq!(judged(line), expected, "{line}");
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
            assert_eq!(offered_kind(run), expected, "{run}");
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
            assert!(distance(kind, near) < distance(kind, far), "{near} before {far}");
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
            assert_eq!(is_narrow(kind, run), expected, "{run}");
        }
        for (run, language, expected) in [
            ("npm run lint", "Rust", true),
            ("RUSTFLAGS=x cargo test", "Rust", false),
            ("make test", "Rust", false),
            ("npm test", "", false),
            ("./gradlew test", "Kotlin", false),
        ] {
            assert_eq!(is_foreign(run, language), expected, "{run}");
        }
    }
}
