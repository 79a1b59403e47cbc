//! A cassette is replayed with the real program: an unchanged run is asked as before, and what is lost is reported. The
//! first run is played by the test kit's panel, as stand-ins for a cassette without calls.

#![expect(clippy::unwrap_used, reason = "a test with files of its own")]

use charrette_testkit::panel::{FEATURE, REQUEST, parcels};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Rehearsal {
    folder: tempfile::TempDir,
    repository: PathBuf,
    commit: String,
}

impl Rehearsal {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a cassette without calls; `repository` is the one that its prompts name.
    fn write_cassette(&self, name: &str, repository: &Path) -> PathBuf {
        let folder = self.path(name);
        fs_err::create_dir_all(folder.join("calls")).unwrap();
        let record = json!({
            "version": 1, "feature": FEATURE, "repository": repository, "commit": self.commit,
            "started_at": "2026-11-15T12:00:00.000Z", "options": [],
        });
        fs_err::write(folder.join("cassette.json"), record.to_string()).unwrap();
        fs_err::write(folder.join("request.md"), REQUEST).unwrap();
        fs_err::write(folder.join("answers.json"), "{}").unwrap();
        folder
    }

    /// Replays a cassette and keeps the run; the report, and whether it is free of losses.
    fn replay(&self, cassette: &Path, keep: &str, options: &[&str]) -> (String, bool) {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["rehearse", "--strict", "--replay"])
            .arg(cassette)
            .arg("--repo")
            .arg(&self.repository)
            .arg("--keep")
            .arg(self.path(keep))
            .args(options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(report.starts_with("# Replay of"), "{report}{}", String::from_utf8_lossy(&output.stderr));
        (report, output.status.success())
    }

    /// A cassette of what a replay asked and was answered.
    fn record(&self, kept: &str, name: &str) -> PathBuf {
        let repository = fs_err::canonicalize(self.path(kept)).unwrap().join("repository");
        let folder = self.write_cassette(name, &repository);
        for call in folders(&self.path(kept).join("log/calls")) {
            let to = folder.join("calls").join(call.file_name().unwrap());
            fs_err::create_dir(&to).unwrap();
            for file in fs_err::read_dir(&call).unwrap() {
                let file = file.unwrap();
                fs_err::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
        folder
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs_err::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// The first call of a step in a cassette.
fn find_call(cassette: &Path, step: &str) -> PathBuf {
    let is_step = |folder: &PathBuf| {
        let record: Value = serde_json::from_slice(&fs_err::read(folder.join("call.json")).unwrap()).unwrap();
        record["step"] == step
    };
    folders(&cassette.join("calls")).into_iter().find(is_step).unwrap()
}

#[test]
fn a_replay_says_what_changed() {
    let sandbox = parcels();
    let rehearsal = Rehearsal {
        folder: tempfile::tempdir().unwrap(),
        repository: sandbox.work(),
        commit: sandbox.git(["rev-parse", "HEAD"]),
    };
    let empty = rehearsal.write_cassette("empty", &sandbox.work());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/testkit/assets/panel");
    let (report, _) = rehearsal.replay(&empty, "first", &["--stand-ins", script]);
    assert!(!report.contains("stopped early") && report.contains("**new** (seat writer)"), "{report}");

    let recorded = rehearsal.record("first", "recorded");
    let (report, is_whole) = rehearsal.replay(&recorded, "second", &[]);
    assert!(report.contains(", 0 differently, 0 new, 0 gone; 0 refused, 0 lost an input."), "{report}");
    assert!(is_whole, "{report}");

    // An answer that no grammar takes, an input that is not quoted any more, a seat that is gone.
    let clarifier = find_call(&recorded, "clarifier");
    fs_err::write(clarifier.join("answer.md"), "## Q1: A question without its parts\n").unwrap();
    let aggregator = find_call(&recorded, "aggregator").join("prompt.md");
    let prompt = fs_err::read_to_string(&aggregator).unwrap();
    fs_err::write(&aggregator, prompt + "\n## lost.md\n\n```\nWords that no other input has.\n```\n")
        .unwrap();
    let gone = recorded.join("calls/9999");
    fs_err::create_dir(&gone).unwrap();
    fs_err::write(
        gone.join("call.json"),
        r#"{"seat": "old", "step": "old", "agent": "claude", "attempt": 1}"#,
    )
    .unwrap();
    fs_err::write(gone.join("prompt.md"), "Old.\n").unwrap();
    let (report, is_whole) = rehearsal.replay(&recorded, "third", &[]);
    assert!(!is_whole, "{report}");
    for part in ["**lost** lost.md", "**gone** (seat old)", "### clarifier refused", "\n> "] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}
