//! Small repositories, and what is proposed for them.

use super::proposal::{RepositoryFiles, is_read, propose_commands};
use crate::tree::listing::TreeFile;

fn repository(files: &[(&str, &str)]) -> RepositoryFiles {
    let listed: Vec<TreeFile> =
        files.iter().map(|(path, _)| TreeFile { path: (*path).to_owned(), fingerprint: None }).collect();
    let texts = files.iter().filter(|(path, _)| is_read(path));
    RepositoryFiles::new(
        &listed,
        texts.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
    )
}

/// Everything that is proposed, a line each: `name = command  # file`.
fn proposal(files: &[(&str, &str)]) -> Vec<String> {
    let proposed = propose_commands(&repository(files));
    proposed
        .all()
        .iter()
        .map(|(name, command)| format!("{name} = {}  # {}", command.run, command.from))
        .collect()
}

/// One repository and its proposal.
struct Case {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    expected: &'static [&'static str],
}

fn check(cases: &[Case]) {
    for case in cases {
        assert_eq!(proposal(case.files), case.expected, "{}", case.name);
    }
}

#[test]
fn cargo() {
    check(&[
        Case {
            name: "package",
            files: &[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "")],
            expected: &[
                "setup = cargo fetch  # Cargo.toml",
                "build = cargo build  # Cargo.toml",
                "test = cargo test  # Cargo.toml",
                "test_one = cargo test {test}  # Cargo.toml",
            ],
        },
        Case {
            name: "workspace with clippy, nextest and a lock file",
            files: &[
                ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n"),
                ("Cargo.lock", ""),
                ("clippy.toml", ""),
                (".config/nextest.toml", ""),
                ("a/src/lib.rs", ""),
            ],
            expected: &[
                "setup = cargo fetch --locked  # Cargo.lock",
                "build = cargo build --workspace  # Cargo.toml",
                "lint = cargo clippy --workspace --all-targets -- -D warnings  # clippy.toml",
                "test = cargo nextest run --workspace  # .config/nextest.toml",
                "test_one = cargo nextest run --workspace {test}  # .config/nextest.toml",
            ],
        },
        Case {
            name: "a pipeline says how",
            files: &[
                ("Cargo.toml", "[package]\nname = \"a\"\n"),
                ("src/lib.rs", ""),
                (
                    ".github/workflows/ci.yml",
                    "steps:\n  - run: cargo fmt\n  - run: cargo clippy --all-targets\n  - run: cargo test --locked\n  - run: cargo test -p a\n  - run: cargo build $FLAGS\n",
                ),
            ],
            expected: &[
                "setup = cargo fetch  # Cargo.toml",
                "build = cargo build  # Cargo.toml",
                "lint = cargo clippy --all-targets  # .github/workflows/ci.yml:3",
                "test = cargo test --locked  # .github/workflows/ci.yml:4",
                "test_one = cargo test {test}  # Cargo.toml",
            ],
        },
    ]);
}

#[test]
fn node() {
    check(&[
        Case {
            name: "npm with scripts",
            files: &[
                (
                    "package.json",
                    "{\n\"scripts\": {\n\"build\": \"tsc -p .\",\n\"lint\": \"eslint .\",\n\"lint:fix\": \"eslint --fix .\",\n\"test\": \"vitest run\",\n\"test:unit\": \"vitest run unit\",\n\"typecheck\": \"tsc --noEmit\"\n}}",
                ),
                ("package-lock.json", ""),
                ("src/a.ts", ""),
            ],
            expected: &[
                "setup = npm ci  # package-lock.json",
                "build = npm run build  # package.json:3",
                "lint = npm run lint  # package.json:4",
                "types = npm run typecheck  # package.json:8",
                "test = npm test  # package.json:6",
                "fast = npm run test:unit  # package.json:7",
                "test_one = npx vitest run --reporter=verbose -t {test}  # package.json",
            ],
        },
        Case {
            name: "pnpm without scripts, with configured tools",
            files: &[
                (
                    "package.json",
                    "{\"packageManager\": \"pnpm@9.1.0\", \"devDependencies\": {\"typescript\": \"5\", \"eslint\": \"9\", \"jest\": \"30\"}}",
                ),
                ("pnpm-lock.yaml", ""),
                ("tsconfig.json", ""),
                ("eslint.config.js", ""),
                ("src/a.ts", ""),
            ],
            expected: &[
                "setup = pnpm install --frozen-lockfile  # pnpm-lock.yaml",
                "lint = pnpm exec eslint .  # eslint.config.js",
                "types = pnpm exec tsc --noEmit  # tsconfig.json",
                "test_one = pnpm exec jest --verbose -t {test}  # package.json",
            ],
        },
        Case {
            name: "classic yarn, mocha, the placeholder of npm init",
            files: &[
                (
                    "package.json",
                    "{\n\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"},\n\"devDependencies\": {\"mocha\": \"10\"}}",
                ),
                ("yarn.lock", ""),
                ("a.js", ""),
            ],
            expected: &[
                "setup = yarn install --frozen-lockfile  # yarn.lock",
                "test_one = yarn mocha --grep {test}  # package.json",
            ],
        },
        Case {
            name: "modern yarn",
            files: &[
                ("package.json", "{\"scripts\": {\n\"test\": \"node --test\"}}"),
                ("yarn.lock", ""),
                (".yarnrc.yml", ""),
                ("a.js", ""),
            ],
            expected: &[
                "setup = yarn install --immutable  # yarn.lock",
                "test = yarn test  # package.json:2",
                "test_one = node --test --test-name-pattern {test}  # package.json",
            ],
        },
        Case {
            name: "bun",
            files: &[("package.json", "{}"), ("bun.lock", ""), ("src/a.test.ts", "")],
            expected: &[
                "setup = bun install --frozen-lockfile  # bun.lock",
                "test = bun test  # package.json",
                "test_one = bun test -t {test}  # package.json",
            ],
        },
    ]);
}

#[test]
fn python() {
    check(&[
        Case {
            name: "uv, pytest, ruff, mypy",
            files: &[
                (
                    "pyproject.toml",
                    "[dependency-groups]\ndev = [\"pytest\"]\n[tool.ruff]\n[tool.mypy]\nfiles = [\"src\"]\n[tool.x]\n",
                ),
                ("uv.lock", ""),
                ("src/a.py", ""),
            ],
            expected: &[
                "setup = uv sync  # uv.lock",
                "lint = uv run ruff check  # pyproject.toml",
                "types = uv run mypy  # pyproject.toml",
                "test = uv run pytest  # pyproject.toml",
                "fast = uv run pytest -x -q  # pyproject.toml",
                "test_one = uv run pytest -v {test}  # pyproject.toml",
            ],
        },
        Case {
            name: "requirements, flake8, mypy without files",
            files: &[
                ("requirements-dev.txt", "pytest==8\n"),
                ("requirements.txt", "flask\n"),
                ("setup.cfg", "[flake8]\nmax-line-length = 100\n[mypy]\nstrict = true\n"),
                ("app/a.py", ""),
            ],
            expected: &[
                "lint = flake8  # setup.cfg",
                "types = mypy .  # setup.cfg",
                "test = python -m pytest  # requirements-dev.txt",
                "fast = python -m pytest -x -q  # requirements-dev.txt",
                "test_one = python -m pytest -v {test}  # requirements-dev.txt",
            ],
        },
        Case {
            name: "poetry and tox",
            files: &[
                ("pyproject.toml", "[tool.poetry]\n"),
                ("poetry.lock", ""),
                ("tox.ini", "[testenv]\ndeps = pytest\n"),
                ("a.py", ""),
            ],
            expected: &[
                "setup = poetry install  # poetry.lock",
                "test = tox  # tox.ini:1",
                "fast = poetry run pytest -x -q  # tox.ini",
                "test_one = poetry run pytest -v {test}  # tox.ini",
            ],
        },
        Case {
            name: "unittest in a package",
            files: &[("a.py", ""), ("tests/__init__.py", ""), ("tests/test_a.py", "")],
            expected: &[
                "test = python -m unittest  # tests/test_a.py",
                "fast = python -m unittest -f  # tests/test_a.py",
                "test_one = python -m unittest -v {test}  # tests/test_a.py",
            ],
        },
        Case {
            name: "unittest in a folder",
            files: &[("a.py", ""), ("tests/test_a.py", "")],
            expected: &[
                "test = python -m unittest discover -s tests  # tests/test_a.py",
                "fast = python -m unittest discover -f -s tests  # tests/test_a.py",
                "test_one = python -m unittest -v {test}  # tests/test_a.py",
            ],
        },
    ]);
}

#[test]
fn go_and_jvm() {
    check(&[
        Case {
            name: "go",
            files: &[("go.mod", "module a\n"), ("a.go", "")],
            expected: &[
                "setup = go mod download  # go.mod",
                "build = go build ./...  # go.mod",
                "lint = go vet ./...  # go.mod",
                "test = go test ./...  # go.mod",
                "fast = go test -short ./...  # go.mod",
                "test_one = go test -v -run '^{test}$' ./...  # go.mod",
            ],
        },
        Case {
            name: "maven with its wrapper",
            files: &[
                ("pom.xml", "<artifactId>maven-checkstyle-plugin</artifactId>"),
                ("mvnw", ""),
                ("src/main/java/A.java", ""),
            ],
            expected: &[
                "build = ./mvnw -B -DskipTests package  # pom.xml",
                "lint = ./mvnw -B checkstyle:check  # pom.xml",
                "test = ./mvnw -B test  # pom.xml",
                "test_one = ./mvnw -B test -Dtest={test}  # pom.xml",
            ],
        },
        Case {
            name: "gradle",
            files: &[
                ("build.gradle.kts", "plugins { id(\"com.diffplug.spotless\") }"),
                ("gradlew", ""),
                ("src/main/kotlin/A.kt", ""),
            ],
            expected: &[
                "build = ./gradlew assemble  # build.gradle.kts",
                "lint = ./gradlew spotlessCheck  # build.gradle.kts",
                "test = ./gradlew test  # build.gradle.kts",
                "test_one = ./gradlew test --tests {test}  # build.gradle.kts",
            ],
        },
    ]);
}

#[test]
fn make_and_ruby() {
    check(&[
        Case {
            name: "make alone",
            files: &[
                ("Makefile", "build:\n\tcc a.c\ntest: build\n\t./a\nlint:\n\tx\nunit:\n\ty\nsetup:\n\tz\n"),
                ("a.c", ""),
            ],
            expected: &[
                "setup = make setup  # Makefile:9",
                "build = make build  # Makefile:1",
                "lint = make lint  # Makefile:5",
                "test = make test  # Makefile:3",
                "fast = make unit  # Makefile:7",
            ],
        },
        Case {
            name: "make in front of go",
            files: &[("Makefile", "test:\n\tgo test ./...\n"), ("go.mod", ""), ("a.go", "")],
            expected: &[
                "setup = go mod download  # go.mod",
                "build = go build ./...  # go.mod",
                "lint = go vet ./...  # go.mod",
                "test = make test  # Makefile:1",
                "fast = go test -short ./...  # go.mod",
                "test_one = go test -v -run '^{test}$' ./...  # go.mod",
            ],
        },
        Case {
            name: "rspec and rubocop",
            files: &[
                ("Gemfile", "gem \"rspec\"\ngem \"rubocop\"\n"),
                ("lib/a.rb", ""),
                ("spec/a_spec.rb", ""),
            ],
            expected: &[
                "setup = bundle install  # Gemfile",
                "lint = bundle exec rubocop  # Gemfile",
                "test = bundle exec rspec  # Gemfile",
                "fast = bundle exec rspec --fail-fast  # Gemfile",
                "test_one = bundle exec rspec --format documentation -e {test}  # Gemfile",
            ],
        },
        Case {
            name: "rails",
            files: &[
                ("Gemfile", "gem \"rails\"\n"),
                ("bin/rails", ""),
                ("app/a.rb", ""),
                ("test/a_test.rb", ""),
            ],
            expected: &[
                "setup = bundle install  # Gemfile",
                "test = bin/rails test  # bin/rails",
                "fast = bin/rails test --fail-fast  # bin/rails",
                "test_one = bin/rails test -v -n {test}  # bin/rails",
            ],
        },
    ]);
}

#[test]
fn the_language_of_most_files_decides_between_manifests() {
    let files = [
        ("Cargo.toml", "[package]\n"),
        ("package.json", "{\n\"scripts\": {\"test\": \"jest\"}}"),
        ("src/a.rs", ""),
        ("src/b.rs", ""),
        ("web/a.ts", ""),
    ];
    let proposed = propose_commands(&repository(&files));
    assert_eq!(proposed.test.unwrap().run, "cargo test");
    assert_eq!(proposed.test_one.unwrap().run, "cargo test {test}");
}

#[test]
fn a_repository_that_says_nothing_gets_no_proposal() {
    assert!(propose_commands(&repository(&[])).is_empty());
    assert!(
        propose_commands(&repository(&[("README.md", "make test"), ("docs/Makefile", "test:\n")])).is_empty()
    );
    assert!(propose_commands(&repository(&[("package.json", "{torn")])).test.is_none());
}
