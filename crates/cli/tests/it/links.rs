//! Symbolic links that lead out of the repository, there from the start or planted while a run is driven: nothing is
//! written behind them, and the message names the link and what to type.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::FEATURE;
use serde_json::json;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder outside the repository.
fn elsewhere(workshop: &Workshop) -> PathBuf {
    let outside = workshop.sandbox.outside("elsewhere");
    fs_err::create_dir_all(&outside).unwrap();
    outside
}

fn count(folder: &Path) -> usize {
    fs_err::read_dir(folder).unwrap().count()
}

/// Puts a link in the place of a path.
fn replace_by_link(workshop: &Workshop, path: &str, target: &Path) -> PathBuf {
    let link = workshop.sandbox.path(path);
    fs_err::create_dir_all(link.parent().unwrap()).unwrap();
    let _ = fs_err::remove_dir_all(&link);
    symlink(target, &link).unwrap();
    link
}

#[test]
fn the_link_of_a_specification_is_refused_before_anybody_is_asked() {
    let workshop = Workshop::brief();
    let outside = elsewhere(&workshop);
    workshop.sandbox.git(["switch", "-q", "-c", "ada-l/x"]);
    let link = replace_by_link(&workshop, &format!("specs/{FEATURE}"), &outside);
    let output = workshop.start(&["--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains(&format!("rm {}", link.display())), "{}", output.stderr);
    assert_eq!(workshop.calls(), [""; 0]);
    // As told.
    fs_err::remove_file(&link).unwrap();
    let output = workshop.start(&["--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(count(&outside), 0);
}

#[test]
fn a_link_into_gits_own_folder_is_refused() {
    for (link, target) in
        [("specs", ".git/refs/heads"), (".specs", ".git"), (".claude/state", "../.git/state")]
    {
        let workshop = Workshop::brief();
        workshop.sandbox.git(["switch", "-q", "-c", "ada-l/x"]);
        fs_err::create_dir_all(workshop.sandbox.path(".git/state")).unwrap();
        let refs = workshop.sandbox.git(["for-each-ref"]);
        replace_by_link(&workshop, link, Path::new(target));
        let output = workshop.start(&["--auto", "--no-checkpoint"]);
        assert_eq!(output.code, Some(1), "{link}: {output:?}");
        assert!(output.stderr.contains("is a symbolic link"), "{link}: {output:?}");
        assert_eq!(workshop.sandbox.git(["for-each-ref"]), refs, "{link}");
        assert_eq!(count(&workshop.sandbox.path(".git/state")), 0, "{link}");
    }
}

/// Names and contents of the files in a folder, sorted.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: fs_err::DirEntry| {
        let content = if entry.path().is_dir() { Vec::new() } else { fs_err::read(entry.path()).unwrap() };
        (PathBuf::from(entry.file_name()), content)
    };
    let mut all: Vec<_> = entries.map(read).collect();
    all.sort();
    all
}

#[test]
fn a_link_that_an_agent_puts_into_the_workspace_gets_nothing() {
    for (name, more) in
        [("", "true"), ("/superseded", "true"), ("/evidence", "echo evil > $w/research-tasks.md")]
    {
        let workshop = Workshop::regular();
        let (outside, before) = (elsewhere(&workshop), workshop.sandbox.outside("before"));
        // The link leads to a copy, so that what would be appended to finds its file.
        let script = format!(
            "[ -e {before} ] && exit; cd {root}; w=$(echo .specs/*-{FEATURE}); {more}; cp -a $w/. {outside}; cp -a {outside} {before}; \
             mv $w{name} {aside} 2> /dev/null; ln -s {outside} $w{name}",
            root = workshop.sandbox.work().display(),
            outside = outside.display(),
            before = before.display(),
            aside = workshop.sandbox.outside("aside").display(),
        );
        workshop.set_part("planner", &json!({"says": "planner.txt", "shell": script}));
        let output = workshop.start(&[]);
        assert_eq!(contents(&outside), contents(&before), "{name}");
        if output.code == Some(3) {
            // It could be put back at once, and is asked about.
            assert!(workshop.document()["gates"].to_string().contains("changed-record/"), "{name}");
            assert_eq!(workshop.answer("changed-record: continue\n").code, Some(0));
            let done = workshop.resume(&[]);
            assert_eq!(done.code, Some(0), "{name}: {done:?}");
            assert_eq!(contents(&outside), contents(&before), "{name}");
            continue;
        }
        assert_eq!(output.code, Some(1), "{name}: {output:?}");
        let resumed = workshop.resume(&[]);
        assert_eq!(resumed.code, Some(1), "{name}: {resumed:?}");
        let link = workshop.artifact("");
        let link = format!("{}{name}", link.display().to_string().trim_end_matches('/'));
        assert!(resumed.stderr.contains(&format!("rm {link}")), "{name}: {}", resumed.stderr);
        assert!(!resumed.stderr.contains("is gone"), "{}", resumed.stderr);
        assert_eq!(contents(&outside), contents(&before), "{name}");
        // As told.
        fs_err::remove_file(&link).unwrap();
        if name.is_empty() {
            fs_err::rename(workshop.sandbox.outside("aside"), &link).unwrap();
        }
        let done = workshop.resume(&[]);
        assert_eq!(done.code, Some(0), "{name}: {done:?}");
        assert_eq!(contents(&outside), contents(&before), "{name}");
    }
}

#[test]
fn a_lock_that_is_a_link_is_named_with_its_cure() {
    let workshop = Workshop::brief();
    let outside = elsewhere(&workshop);
    let link = replace_by_link(&workshop, ".claude/state/locks/checkout.lease", &outside.join("file"));
    let output = workshop.start(&["--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains(&format!("rm {}", link.display())), "{}", output.stderr);
    assert_eq!(count(&outside), 0);
}

#[test]
fn settings_are_not_created_behind_a_link() {
    for path in [".claude", ".claude/config"] {
        let workshop = Workshop::brief();
        let outside = elsewhere(&workshop);
        let link = replace_by_link(&workshop, path, &outside);
        let output = workshop.run(BINARY, ["config", "init"]);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stderr.contains(&format!("rm {}", link.display())), "{}", output.stderr);
        assert_eq!(count(&outside), 0, "{path}");
        assert!(!workshop.sandbox.path("charrette.toml").exists());
    }
}

#[test]
fn specifications_behind_a_link_are_not_said_to_be_missing() {
    let workshop = Workshop::brief();
    let link = replace_by_link(&workshop, "specs", &elsewhere(&workshop));
    let output = workshop.run(BINARY, ["implement", FEATURE]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains(&format!("rm {}", link.display())), "{}", output.stderr);
    assert!(!output.stderr.contains("not found"), "{}", output.stderr);
}
