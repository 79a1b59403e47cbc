//! The repository of the example library and its specification.

use crate::Sandbox;
use crate::till::FEATURE;
use charrette_model::spec::approval::{Approval, approved_text};
use charrette_model::spec::record::{SpecRecord, with_approval, with_approved_text};
use charrette_model::spec::tasks::TaskList;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Date of the specification.
const TODAY: &str = "2026-11-15";

/// Files of a specification that people write.
const TEXTS: [&str; 5] = ["requirements.md", "design.md", "tasks.md", "summary.md", "meta.yaml"];

/// Creates the repository in the empty work folder of a sandbox: on `main`, clean, and pushed to an origin. The
/// specification is there, approved and untracked, as a design leaves it.
pub fn create(sandbox: &Sandbox) {
    sandbox.git(["init", "-q", "-b", "main"]);
    sandbox.git(["config", "user.name", "Ada L"]);
    sandbox.git(["config", "user.email", "ada@example.com"]);
    copy(&assets().join("repo"), &sandbox.work());
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "-m", "A till that adds up"]);
    let origin = sandbox.outside("origin.git");
    sandbox.git(["init", "-q", "--bare", "-b", "main", &origin.to_string_lossy()]);
    sandbox.git(["remote", "add", "origin", &origin.to_string_lossy()]);
    sandbox.git(["push", "-q", "-u", "origin", "main"]);
    sandbox.git(["remote", "set-head", "origin", "main"]);
    for name in TEXTS {
        let text = fs_err::read(assets().join("spec").join(name)).expect("a file of the specification");
        sandbox.write(&spec_path(name), text);
    }
    approve(sandbox);
}

/// Approves the specification as it is on disk.
pub fn approve(sandbox: &Sandbox) {
    let text = |name: &str| sandbox.read(&spec_path(name));
    let tasks = text("tasks.md");
    let approved = approved_text(&text("requirements.md"), &text("design.md"), &tasks);
    let digest = Sha256::digest(approved.as_bytes()).iter().fold(String::new(), |mut digest, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
        digest
    });
    let approval = Approval { digest, by: "Ada L".to_owned(), at: format!("{TODAY}T10:00:00.000Z") };
    let record = SpecRecord::draft(FEATURE, &TaskList::parse(&tasks), TODAY).to_text();
    let record = with_approval(&record, None, TODAY).expect("a record");
    sandbox.write(&spec_path("spec.json"), with_approved_text(&record, Some(&approval)).expect("a record"));
}

/// Path of a file of the specification in the repository.
pub fn spec_path(name: &str) -> String {
    format!("specs/{FEATURE}/{name}")
}

/// Files that this module and the scripted agents are made from.
pub(super) fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/till")
}

/// Copies the files of a folder into another one.
pub(super) fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).expect("a folder in the sandbox");
    for entry in fs_err::read_dir(from).expect("a folder of the repository") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true if entry.file_name() == "__pycache__" => {}
            true => copy(&entry.path(), &target),
            false => drop(fs_err::copy(entry.path(), target).expect("a file of the repository")),
        }
    }
}
