//! Conventions of Python: pytest, unittest, tox, ruff, flake8, mypy, pyright; uv, Poetry, PDM and Pipenv.

use super::proposal::{ProposedCommand, ProposedCommands, RepositoryFiles, TEST, from};
use crate::tree::kind::file_name;

pub(super) const MANIFESTS: [&str; 6] =
    ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini"];

/// Files that may configure or require pytest.
const PYTEST: [&str; 9] = [
    "pyproject.toml",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements.txt",
    "Pipfile",
];

/// Lock file, the command that installs from it, and how a program of that environment is started.
const ENVIRONMENTS: [(&str, &str, &str); 4] = [
    ("uv.lock", "uv sync", "uv run "),
    ("poetry.lock", "poetry install", "poetry run "),
    ("pdm.lock", "pdm sync", "pdm run "),
    ("Pipfile.lock", "pipenv sync --dev", "pipenv run "),
];

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    let environment = ENVIRONMENTS.into_iter().find(|(lock, ..)| files.has(lock));
    let start = environment.map_or("", |(_, _, start)| start);
    let in_environment = |run: &str, file: &str| from(&format!("{start}{run}"), file);
    let tests = Tests::of(files);
    ProposedCommands {
        setup: environment.map(|(lock, install, _)| from(install, lock)),
        build: None,
        lint: linter(files).map(|(run, file)| in_environment(run, file)),
        types: type_checker(files).map(|(run, file)| in_environment(run, file)),
        test: tests.as_ref().map(|tests| tests.command(start, tests.all)),
        fast: tests.as_ref().map(|tests| tests.command(start, tests.fast)),
        test_one: tests.as_ref().map(|tests| tests.command(start, tests.one)),
    }
}

/// A runner of tests with its arguments: for all, until the first failure, for one.
struct Tests {
    module: &'static str,
    all: &'static str,
    fast: &'static str,
    one: &'static str,
    file: String,
}

impl Tests {
    fn of(files: &RepositoryFiles) -> Option<Tests> {
        let is_test = |path: &&String| {
            let name = file_name(path);
            name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"))
        };
        let conftest = files.paths.iter().find(|path| file_name(path) == "conftest.py").map(String::as_str);
        if let Some(file) = files.mentions(&PYTEST, "pytest").or(conftest) {
            return Some(Tests {
                module: "pytest",
                all: "",
                fast: " -x -q",
                one: " -v {test}",
                file: file.to_owned(),
            });
        }
        let first = files.paths.iter().find(is_test)?;
        // Modules of a folder that is no package are only found from inside it.
        let is_loose = first.starts_with("tests/") && !files.has("tests/__init__.py");
        let (all, fast) =
            if is_loose { (" discover -s tests", " discover -f -s tests") } else { ("", " -f") };
        Some(Tests { module: "unittest", all, fast, one: " -v {test}", file: first.clone() })
    }

    fn command(&self, start: &str, arguments: &str) -> ProposedCommand {
        debug_assert!(arguments != self.one || arguments.contains(TEST));
        // Outside an environment the module finds the packages of the current folder.
        let program = match (start, self.module) {
            ("", module) => format!("python -m {module}"),
            (start, "unittest") => format!("{start}python -m unittest"),
            (start, module) => format!("{start}{module}"),
        };
        from(&format!("{program}{arguments}"), &self.file)
    }
}

fn linter(files: &RepositoryFiles) -> Option<(&'static str, &'static str)> {
    let ruff =
        files.first_of(&["ruff.toml", ".ruff.toml"]).or(files.mentions(&["pyproject.toml"], "[tool.ruff"));
    let flake8 = || files.first_of(&[".flake8"]).or(files.mentions(&["setup.cfg", "tox.ini"], "[flake8]"));
    let pylint = || files.first_of(&[".pylintrc", "pylintrc"]);
    ruff.map(|file| ("ruff check", file))
        .or_else(|| Some(("flake8", flake8()?)))
        .or_else(|| Some(("pylint --recursive=y .", pylint()?)))
}

fn type_checker(files: &RepositoryFiles) -> Option<(&'static str, &'static str)> {
    let sections = [
        ("pyproject.toml", "[tool.mypy]"),
        ("setup.cfg", "[mypy]"),
        ("mypy.ini", "[mypy]"),
        (".mypy.ini", "[mypy]"),
    ];
    let mypy = sections.into_iter().find(|(file, section)| files.text(file).contains(section));
    if let Some((file, section)) = mypy {
        // It checks the files that its section names, if it names any.
        let own = files.text(file).split_once(section).map_or("", |(_, rest)| rest);
        let names_files = own.lines().take_while(|line| !line.starts_with('[')).any(|line| {
            ["files", "packages", "modules"].iter().any(|key| line.trim_start().starts_with(key))
        });
        return Some((if names_files { "mypy" } else { "mypy ." }, file));
    }
    let pyright = files.first_of(&["pyrightconfig.json"]);
    pyright.or(files.mentions(&["pyproject.toml"], "[tool.pyright]")).map(|file| ("pyright", file))
}
