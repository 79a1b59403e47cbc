//! The example repository: a tiny web API with tests, CI, an origin, and a history that is the same everywhere.

use crate::Sandbox;
use std::path::{Path, PathBuf};

/// Commits: date, message, and prefixes of the files.
const HISTORY: [(&str, &str, &[&str]); 4] = [
    (
        "2026-09-01T09:00:00Z",
        "Find and announce parcels",
        &["README", "pyproject", ".gitignore", "parcels/__init__", "parcels/store", "parcels/routes"],
    ),
    ("2026-09-14T15:30:00Z", "Accounts, keys and errors with codes", &["parcels/"]),
    ("2026-10-02T08:45:00Z", "Tests, here and in CI", &["tests/", ".github/"]),
    ("2026-10-20T17:10:00Z", "How it runs in production", &["deploy/", "CHANGELOG"]),
];

/// A sandbox with the example repository.
pub fn parcels() -> Sandbox {
    let sandbox = Sandbox::new();
    parcels_in(&sandbox);
    sandbox
}

/// Creates the example repository in the empty work folder of a sandbox: on `main`, clean, and pushed to an origin.
pub fn parcels_in(sandbox: &Sandbox) {
    sandbox.git(["init", "-q", "-b", "main"]);
    sandbox.git(["config", "user.name", "Ada L"]);
    sandbox.git(["config", "user.email", "ada@example.com"]);
    let mut files = files(&source(), "");
    for (date, message, names) in HISTORY {
        let is_named = |file: &String| names.iter().any(|name| file.starts_with(name));
        let (now, later): (Vec<String>, Vec<String>) = files.into_iter().partition(is_named);
        files = later;
        for file in now {
            sandbox.write(&file, fs_err::read(source().join(&file)).expect("a file of the repository"));
        }
        sandbox.git(["add", "-A"]);
        let mut commit = sandbox.command("git");
        commit.args(["commit", "-q", "-m", message]);
        commit.env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date);
        assert!(commit.status().expect("git runs").success());
    }
    assert_eq!(files, [""; 0], "files that no commit has");
    let origin = sandbox.outside("origin.git");
    sandbox.git(["init", "-q", "--bare", "-b", "main", &origin.to_string_lossy()]);
    sandbox.git(["remote", "add", "origin", &origin.to_string_lossy()]);
    sandbox.git(["push", "-q", "-u", "origin", "main"]);
    sandbox.git(["remote", "set-head", "origin", "main"]);
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/parcels")
}

/// All files below a folder, with `/` between, sorted.
fn files(folder: &Path, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).expect("a folder of the repository") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true if name.ends_with("__pycache__") => {}
            true => found.extend(files(&entry.path(), &format!("{name}/"))),
            false => found.push(name),
        }
    }
    found.sort();
    found
}
