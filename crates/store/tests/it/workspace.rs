//! The workspace of a run: batches of files that are written, collected, kept and listed.

use crate::parts;
use charrette_store::Workspace;
use charrette_store::workspace::sha256;
use charrette_testkit::Sandbox;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;

fn workspace(sandbox: &Sandbox) -> Workspace {
    let workspace = Workspace::new(&sandbox.path(".specs/x"), &sandbox.outside("lanes"));
    workspace.prepare().unwrap();
    workspace.with_specs(&sandbox.path("specs/x"))
}

fn superseded(sandbox: &Sandbox, name: &str, old: &str) -> String {
    sandbox.read(&format!(".specs/x/superseded/{name}.{}", &sha256(old.as_bytes())[..12]))
}

#[test]
fn a_set_is_written_with_its_digests() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    let files = [("a.md", "one"), ("roles/b.md", "two"), ("specs/design.md", "three")];
    let digests = workspace.put_all(&files).unwrap();
    assert_eq!(digests, ["one", "two", "three"].map(|text| sha256(text.as_bytes())));
    assert_eq!(sandbox.read(".specs/x/roles/b.md"), "two");
    assert_eq!(sandbox.read("specs/x/design.md"), "three");
    assert_eq!(workspace.digest("a.md", None).unwrap().as_ref(), Some(&digests[0]));
    assert_eq!(workspace.put_all(&[] as &[(&str, &str)]).unwrap(), [""; 0]);
}

#[test]
fn a_set_that_cannot_be_written_changes_nothing() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.put("a.md", b"old").unwrap();
    for bad in [[("a.md", "new"), ("../b.md", "x")], [("a.md", "new"), ("a.md", "newer")]] {
        assert_eq!(workspace.put_all(&bad).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(workspace.publish(&bad).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
    // The second file cannot be placed, because its folder is a file.
    sandbox.write(".specs/x/in-the-way", "");
    workspace.put_all(&[("a.md", "new"), ("in-the-way/b.md", "new")]).unwrap_err();
    assert_eq!(sandbox.read(".specs/x/a.md"), "old");
    assert!(!sandbox.path(".specs/x/.a.md.tmp").exists());
}

#[test]
fn a_folder_with_the_name_of_a_temp_file_is_not_in_the_way() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    fs_err::create_dir_all(sandbox.path(".specs/x/.b.md.tmp/in-the-way")).unwrap();
    workspace.put_all(&[("a.md", "new"), ("b.md", "new")]).unwrap();
    assert_eq!((sandbox.read(".specs/x/a.md"), sandbox.read(".specs/x/b.md")), ("new".into(), "new".into()));
    assert_eq!(workspace.list().unwrap(), ["a.md", "b.md"]);
}

#[test]
fn staged_outputs_are_collected_and_replaced_ones_kept() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.put_all(&[("a.md", "old"), ("same.md", "same")]).unwrap();
    workspace.stage_all("one-1", &[("a.md", "new"), ("same.md", "same"), ("deep/b.md", "b")]).unwrap();
    workspace.stage("two-1", "c.md", b"c").unwrap();
    assert_eq!(workspace.read("a.md", None).unwrap().unwrap(), b"old");
    assert_eq!(workspace.read("a.md", Some("one-1")).unwrap().unwrap(), b"new");
    let batch = [("one-1", vec!["a.md", "same.md", "deep/b.md"]), ("two-1", vec!["c.md", "never-made.md"])];
    workspace.collect_all(batch.clone()).unwrap();
    assert_eq!(superseded(&sandbox, "a.md", "old"), "old");
    let kept = fs_err::read_dir(sandbox.path(".specs/x/superseded")).unwrap().count();
    assert_eq!(kept, 1, "what is the same supersedes nothing");
    for (name, text) in [("a.md", "new"), ("same.md", "same"), ("deep/b.md", "b"), ("c.md", "c")] {
        assert_eq!(sandbox.read(&format!(".specs/x/{name}")), text);
    }
    assert!(!workspace.has_leftovers("one-1", ["a.md"]));
    workspace.collect_all(batch).unwrap();
}

#[test]
fn what_an_earlier_process_staged_is_found_and_so_is_what_comes_later() {
    let sandbox = Sandbox::new();
    workspace(&sandbox).stage("lane-1", "a.md", b"staged").unwrap();
    let workspace = workspace(&sandbox);
    assert!(workspace.has_leftovers("lane-1", ["a.md"]));
    assert!(!workspace.has_leftovers("lane-2", ["a.md"]));
    assert_eq!(workspace.read("a.md", Some("lane-1")).unwrap().as_deref(), Some(&b"staged"[..]));
    workspace.stage("lane-2", "a.md", b"newer").unwrap();
    assert!(workspace.has_leftovers("lane-2", ["a.md"]));
    assert_eq!(workspace.read("a.md", Some("lane-2")).unwrap().as_deref(), Some(&b"newer"[..]));
    workspace.take_custody().unwrap();
    fs_err::create_dir_all(workspace.lane("lane-3")).unwrap();
    assert!(workspace.has_leftovers("lane-3", [""; 0]), "an agent may leave something at any time");
}

#[test]
fn a_staging_folder_on_another_disk_is_collected_from() {
    let sandbox = Sandbox::new();
    let other = Path::new("/dev/shm");
    let device = |path: &Path| path.metadata().map(|meta| meta.dev()).ok();
    if device(other).is_none() || device(other) == device(&sandbox.work()) {
        return;
    }
    let staging = other.join(sandbox.work().parent().unwrap().file_name().unwrap());
    let workspace = Workspace::new(&sandbox.path(".specs/x"), &staging);
    workspace.put("a.md", b"old").unwrap();
    workspace.stage_all("lane-1", &[("a.md", "new"), ("b.md", "b")]).unwrap();
    workspace.collect("lane-1", ["a.md", "b.md"]).unwrap();
    assert_eq!(workspace.list().unwrap(), ["a.md", "b.md", &kept_name("a.md", "old")]);
    assert_eq!(superseded(&sandbox, "a.md", "old"), "old");
    assert_eq!(fs_err::read_dir(&staging).unwrap().count(), 0);
    workspace.remove_staging().unwrap();
}

#[test]
fn a_specification_on_another_disk_is_superseded_by_a_copy() {
    let sandbox = Sandbox::new();
    let other = Path::new("/dev/shm");
    let device = |path: &Path| path.metadata().map(|meta| meta.dev()).ok();
    if device(other).is_none() || device(other) == device(&sandbox.work()) {
        return;
    }
    let folder = other.join(sandbox.work().parent().unwrap().file_name().unwrap());
    let workspace = Workspace::new(&folder, &sandbox.outside("lanes")).with_specs(&sandbox.path("specs/x"));
    workspace.publish(&[("specs/design.md", "old")]).unwrap();
    workspace.publish(&[("specs/design.md", "new")]).unwrap();
    assert_eq!(sandbox.read("specs/x/design.md"), "new");
    let kept = fs_err::read_to_string(folder.join(kept_name("specs/design.md", "old")));
    fs_err::remove_dir_all(&folder).unwrap();
    assert_eq!(kept.unwrap(), "old");
}

fn kept_name(name: &str, old: &str) -> String {
    format!("superseded/{name}.{}", &sha256(old.as_bytes())[..12])
}

#[test]
fn published_outputs_are_visible_and_replaced_ones_kept() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.publish(&[("a.md", "old"), ("specs/design.md", "old design")]).unwrap();
    let digests = workspace.publish(&[("a.md", "new"), ("specs/design.md", "new design")]).unwrap();
    assert_eq!(digests, [sha256(b"new"), sha256(b"new design")]);
    assert_eq!(
        (sandbox.read(".specs/x/a.md"), sandbox.read("specs/x/design.md")),
        ("new".into(), "new design".into())
    );
    assert_eq!(superseded(&sandbox, "a.md", "old"), "old");
    assert_eq!(superseded(&sandbox, "specs/design.md", "old design"), "old design");
}

#[test]
fn no_folder_of_a_workspace_may_be_a_link_out_of_the_repository() {
    for link in [".specs/x/superseded", ".specs/x/evidence", ".specs/x", ".specs", "specs/x", "specs"] {
        let sandbox = Sandbox::new();
        let outside = sandbox.outside("elsewhere");
        fs_err::create_dir_all(&outside).unwrap();
        fs_err::create_dir_all(sandbox.path("specs/x")).unwrap();
        let workspace = workspace(&sandbox).inside(&sandbox.work());
        workspace.put_all(&[("a.md", "old"), ("specs/b.md", "old")]).unwrap();
        workspace.check_links().unwrap();
        let _ = fs_err::rename(sandbox.path(link), sandbox.path("aside"));
        symlink(&outside, sandbox.path(link)).unwrap();
        let refused = workspace.check_links().unwrap_err().to_string();
        assert!(
            refused.contains(&format!("{} is a symbolic link", sandbox.path(link).display())),
            "{refused}"
        );
        workspace.stage_all("one", &[("a.md", "new"), ("specs/b.md", "new")]).unwrap();
        let published = workspace.publish(&[("a.md", "newer"), ("specs/b.md", "newer")]);
        let collected = workspace.collect("one", ["a.md", "specs/b.md"]);
        let is_used = link != ".specs/x/evidence";
        assert_eq!((published.is_err(), collected.is_err()), (is_used, is_used), "{link}");
        assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0, "{link}");
    }
}

#[test]
fn artifacts_are_listed_by_name_and_nothing_else_is() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    assert_eq!(workspace.list().unwrap(), [""; 0]);
    let names = ["roles/b.md", "a.md", "specs/design.md", "specs/.project-marker", "gates/pre-design-1.md"];
    workspace.put_all(&names.map(|name| (name, name))).unwrap();
    sandbox.write(".specs/x/.a.md.tmp", "half");
    sandbox.write(".specs/x/with space.md", "foreign");
    sandbox.write(".specs/x/specs/design.md", "hidden by the real one");
    sandbox.write("specs/x/nested/design.md", "another specification");
    symlink(sandbox.path("specs"), sandbox.path(".specs/x/link")).unwrap();
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(workspace.list().unwrap(), sorted);
    assert!(workspace.list().unwrap().iter().all(|name| workspace.read(name, None).unwrap().is_some()));
    let gone = Workspace::new(&sandbox.path("nowhere"), &sandbox.outside("lanes"));
    assert_eq!(gone.list().unwrap(), [""; 0]);
}

#[test]
fn a_half_started_workspace_is_unused_and_discarded() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    sandbox.write(".specs/x/.request.md.tmp", "half");
    sandbox.write(".specs/x/request.md", "whole");
    sandbox.write(".specs/x/roles/planner.md", "pinned");
    assert!(workspace.is_unused(&["request.md", "roles"]));
    workspace.put("a.md", b"").unwrap();
    assert!(!workspace.is_unused(&["request.md", "roles"]));

    workspace.stage("lane-1", "a.md", b"new").unwrap();
    workspace.stage("lane-10", "a.md", b"of another").unwrap();
    fs_err::write(sandbox.outside("lanes/.lane-1@b.md.tmp"), "half").unwrap();
    workspace.discard("lane-1").unwrap();
    assert_eq!(fs_err::read_dir(sandbox.outside("lanes")).unwrap().count(), 1);
}

const SET: [&str; 3] = ["a.md", "b.md", "deep/c.md"];

/// A part: three files in two folders of a prepared workspace.
#[test]
fn part_that_puts() {
    if parts::is_part("workspace::part_that_puts") {
        here().put_all(&SET.map(|name| (name, "new"))).unwrap();
    }
}

/// A part: the same files, staged by two lanes, are collected.
#[test]
fn part_that_collects() {
    if parts::is_part("workspace::part_that_collects") {
        here().collect_all([("one-1", &SET[..1]), ("two-1", &SET[1..])]).unwrap();
    }
}

/// A part: the same files, published.
#[test]
fn part_that_publishes() {
    if parts::is_part("workspace::part_that_publishes") {
        here().publish(&SET.map(|name| (name, "new"))).unwrap();
    }
}

/// The workspace of the process that runs a part.
fn here() -> Workspace {
    let work = std::env::current_dir().unwrap();
    Workspace::new(&work.join(".specs/x"), &work.parent().unwrap().join("lanes"))
}

/// A workspace in which the set has an old version, and a new one that two lanes have staged.
fn half_way() -> Sandbox {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.put_all(&SET.map(|name| (name, "old"))).unwrap();
    workspace.stage_all("one-1", &[(SET[0], "new")]).unwrap();
    workspace.stage_all("two-1", &[(SET[1], "new"), (SET[2], "new")]).unwrap();
    sandbox
}

#[test]
fn each_file_and_each_folder_is_synced_once() {
    for (part, expected, why) in [
        ("workspace::part_that_puts", 3 + 2, "three files, two folders"),
        // The folder superseded/, and the folder deep/ in it, are made.
        (
            "workspace::part_that_collects",
            2 + 2 + 2,
            "two folders, and those of what is kept, made and synced",
        ),
        ("workspace::part_that_publishes", 3 + 2 + 2 + 2, "all of that"),
    ] {
        let Some(found) = parts::syncs(&half_way(), part) else { return };
        assert_eq!(found, expected, "{part}: {why}");
    }
}

#[test]
fn a_kill_at_any_call_leaves_each_file_old_or_new_and_what_was_staged_is_not_lost() {
    let all = "fsync,?rename,?renameat,?renameat2,linkat";
    for part in ["puts", "collects", "publishes"].map(|what| format!("workspace::part_that_{what}")) {
        for n in 1.. {
            let sandbox = half_way();
            let Some(status) = parts::killed_at(&sandbox, &part, all, n) else { return };
            for (name, lane) in SET.iter().zip(["one-1", "two-1", "two-1"]) {
                let text = sandbox.read(&format!(".specs/x/{name}"));
                assert!(["old", "new"].contains(&text.as_str()), "{part}: {name} after call {n}: {text:?}");
                let newest = workspace(&sandbox).read(name, Some(lane)).unwrap().unwrap();
                assert_eq!(newest, b"new", "{part}: {name} after call {n}");
                if text == "new" && part != "workspace::part_that_puts" {
                    assert_eq!(superseded(&sandbox, name, "old"), "old", "{part}: {name} after call {n}");
                }
            }
            if status.success() {
                assert!(n > 5, "{part} was killed only {n} times");
                break;
            }
        }
    }
}
