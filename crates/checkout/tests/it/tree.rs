//! Work trees before and after somebody worked in them, with real git.

use charrette_checkout::tree::{
    ChangeKind, OwnPaths, SkippedChange, Snapshot, TreeChange, TreePath, patch, undo,
};
use charrette_testkit::Sandbox;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A repository with some files, and with work of its owner that is not committed.
pub(crate) fn with_own_work() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("a.txt", "one\ntwo\n");
    sandbox.write("dir/b.txt", "b\n");
    sandbox.write("dir/c.txt", "c\n");
    sandbox.write("data.bin", [0_u8, 1, 2, 255]);
    sandbox.write("run.sh", "#!/bin/sh\n");
    sandbox.write("mine.txt", "committed\n");
    sandbox.write("staged.txt", "committed\n");
    sandbox.write(".gitignore", "ignored/\n*.log\n");
    symlink("a.txt", sandbox.path("link")).unwrap();
    sandbox.git(["add", "."]);
    sandbox.commit("files");
    sandbox.write("mine.txt", "my own change\n");
    sandbox.write("staged.txt", "my own change\n");
    sandbox.git(["add", "staged.txt"]);
    sandbox.write("notes.txt", "my own notes\n");
    sandbox
}

pub(crate) fn root(sandbox: &Sandbox) -> PathBuf {
    sandbox.work().canonicalize().unwrap()
}

fn take(sandbox: &Sandbox) -> Snapshot {
    Snapshot::take(&root(sandbox)).unwrap()
}

/// Changes made by `work`, as `kind path`, with a `!` where the owner had work of their own.
fn changed(sandbox: &Sandbox, work: impl FnOnce()) -> (Vec<TreeChange>, Vec<String>) {
    let before = take(sandbox);
    work();
    let changes = before.changes(&take(sandbox), &OwnPaths::default());
    let described = changes.iter().map(describe).collect();
    (changes, described)
}

fn describe(change: &TreeChange) -> String {
    format!("{}{} {}", if change.dirty_before { "!" } else { "" }, change.kind, change.path)
}

/// Outcome of an undo, with the patch that was saved first.
struct Discarded {
    patch: Option<PathBuf>,
    undone: Vec<TreePath>,
    skipped: Vec<SkippedChange>,
}

fn discard(sandbox: &Sandbox, changes: &[TreeChange]) -> Discarded {
    let bytes = patch(&root(sandbox), changes).unwrap();
    let file = sandbox.outside("undone.patch");
    fs_err::write(&file, &bytes).unwrap();
    let done = undo(&root(sandbox), changes).unwrap();
    Discarded { patch: (!bytes.is_empty()).then_some(file), undone: done.undone, skipped: done.skipped }
}

fn status(sandbox: &Sandbox) -> String {
    sandbox.git(["status", "--porcelain", "--untracked-files=all"])
}

/// Everything in the work tree: path, mode, content or target.
fn contents(root: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            if meta.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if meta.is_symlink() {
                let target = fs_err::read_link(&path).unwrap();
                found.push((path, 0, target.as_os_str().as_bytes().to_vec()));
            } else if meta.is_file() {
                found.push((path.clone(), meta.permissions().mode(), fs_err::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn work_that_was_there_before_is_no_change() {
    let sandbox = with_own_work();
    let (_, described) = changed(&sandbox, || {
        sandbox.write("ignored/deep/er/x", "ignored");
        sandbox.write("dir/some.log", "ignored");
        // Read and looked at, as agents do.
        sandbox.read("mine.txt");
        sandbox.git(["status"]);
        sandbox.git(["diff"]);
    });
    assert_eq!(described, Vec::<String>::new());
}

type Work = fn(&Sandbox);

/// Name, change, and expected report.
const WAYS: &[(&str, Work, &[&str])] = &[
    ("content", |s| s.write("a.txt", "changed\n"), &["modified a.txt"]),
    ("a new file", |s| s.write("new/x.txt", "x"), &["added new/x.txt"]),
    ("an empty new file", |s| s.write("empty", ""), &["added empty"]),
    ("a new binary file", |s| s.write("new.bin", [0, 159, 146, 150]), &["added new.bin"]),
    ("binary content", |s| s.write("data.bin", [9, 0, 9]), &["modified data.bin"]),
    ("a deleted file", |s| fs_err::remove_file(s.path("a.txt")).unwrap(), &["deleted a.txt"]),
    (
        "a deleted folder",
        |s| fs_err::remove_dir_all(s.path("dir")).unwrap(),
        &["deleted dir/b.txt", "deleted dir/c.txt"],
    ),
    (
        "a mode",
        |s| fs_err::set_permissions(s.path("run.sh"), PermissionsExt::from_mode(0o755)).unwrap(),
        &["modified run.sh"],
    ),
    (
        "a link",
        |s| {
            fs_err::remove_file(s.path("link")).unwrap();
            symlink("/etc/passwd", s.path("link")).unwrap();
            symlink("nowhere", s.path("dangling")).unwrap();
        },
        &["added dangling", "modified link"],
    ),
    (
        "a rename",
        |s| fs_err::rename(s.path("a.txt"), s.path("z.txt")).unwrap(),
        &["deleted a.txt", "added z.txt"],
    ),
    ("a staged rename", |s| drop(s.git(["mv", "a.txt", "z.txt"])), &["deleted a.txt", "added z.txt"]),
    (
        "staged and changed again",
        |s| {
            s.write("a.txt", "staged");
            s.git(["add", "a.txt"]);
            s.write("a.txt", "and changed");
        },
        &["modified a.txt"],
    ),
    (
        "staged and new",
        |s| {
            s.write("n.txt", "n");
            s.git(["add", "n.txt"]);
            s.write("i.txt", "i");
            s.git(["add", "-N", "i.txt"]);
        },
        &["added i.txt", "added n.txt"],
    ),
    ("deleted in the index only", |s| drop(s.git(["rm", "-q", "--cached", "a.txt"])), &["modified a.txt"]),
    (
        "a folder where a file was",
        |s| {
            fs_err::remove_file(s.path("a.txt")).unwrap();
            s.write("a.txt/inside", "x");
        },
        &["deleted a.txt", "added a.txt/inside"],
    ),
    (
        "a link where a folder was",
        |s| {
            fs_err::remove_dir_all(s.path("dir")).unwrap();
            symlink(s.home(), s.path("dir")).unwrap();
        },
        &["added dir", "deleted dir/b.txt", "deleted dir/c.txt"],
    ),
    (
        "names that mislead",
        |s| {
            for name in ["-rf", "a b", "new\nline", "\"quoted\"", "*", ":(top)x", "tab\t", "ü", "--", "$(id)"]
            {
                s.write(name, name);
            }
            fs_err::write(s.work().join(OsStr::from_bytes(b"not-\xff-text")), "x").unwrap();
        },
        &[
            "added \"quoted\"",
            "added $(id)",
            "added *",
            "added --",
            "added -rf",
            "added :(top)x",
            "added a b",
            "added new\\nline",
            "added not-\u{fffd}-text",
            "added tab\\t",
            "added ü",
        ],
    ),
    ("nothing", |_| {}, &[]),
];

#[test]
fn every_way_to_change_a_tree_is_noticed_and_undone_and_can_be_brought_back() {
    for (name, work, expected) in WAYS {
        let sandbox = with_own_work();
        let (before, dirt) = (contents(&sandbox.work()), status(&sandbox));
        let (changes, described) = changed(&sandbox, || work(&sandbox));
        assert_eq!(described, *expected, "{name}");
        let worked = contents(&sandbox.work());

        let done = discard(&sandbox, &changes);
        assert_eq!(done.skipped, [], "{name}");
        assert_eq!(done.undone.len(), changes.len(), "{name}");
        assert_eq!(contents(&sandbox.work()), before, "{name}");
        assert_eq!(status(&sandbox), dirt, "{name}");
        assert!(sandbox.home().exists());
        assert_eq!(done.patch.is_some(), !changes.is_empty(), "{name}");

        let Some(patch) = done.patch else { continue };
        if worked != before {
            sandbox.git([OsStr::new("apply"), patch.as_os_str()]);
            assert_eq!(contents(&sandbox.work()), worked, "{name}");
        }
    }
}

#[test]
fn work_of_the_owner_is_never_undone() {
    let table: &[(&str, Work, &[&str])] = &[
        ("changed further", |s| s.write("mine.txt", "changed further\n"), &["!modified mine.txt"]),
        ("same length", |s| s.write("mine.txt", "MY OWN CHANGE\n"), &["!modified mine.txt"]),
        ("reverted", |s| drop(s.git(["checkout", "-q", "--", "mine.txt"])), &["!modified mine.txt"]),
        ("deleted", |s| fs_err::remove_file(s.path("mine.txt")).unwrap(), &["!deleted mine.txt"]),
        ("unstaged", |s| drop(s.git(["reset", "-q", "staged.txt"])), &["!modified staged.txt"]),
        ("new, changed", |s| s.write("notes.txt", "overwritten"), &["!modified notes.txt"]),
        ("new, deleted", |s| fs_err::remove_file(s.path("notes.txt")).unwrap(), &["!deleted notes.txt"]),
        ("new, staged", |s| drop(s.git(["add", "notes.txt"])), &["!modified notes.txt"]),
    ];
    for (name, work, expected) in table {
        let sandbox = with_own_work();
        let (changes, described) = changed(&sandbox, || work(&sandbox));
        assert_eq!(described, *expected, "{name}");
        let after = contents(&sandbox.work());
        let done = discard(&sandbox, &changes);
        assert_eq!(done.undone, [], "{name}");
        assert_eq!(done.patch, None, "{name}");
        assert_eq!(done.skipped[0].reason, "had uncommitted changes before, which git cannot restore");
        assert_eq!(contents(&sandbox.work()), after, "{name}");
    }
}

#[test]
fn a_moved_head_is_reported_and_left() {
    let sandbox = with_own_work();
    let (changes, described) = changed(&sandbox, || {
        sandbox.write("a.txt", "committed by an agent\n");
        sandbox.git(["commit", "-q", "-m", "sneaky", "a.txt"]);
        sandbox.write("dir/b.txt", "not committed\n");
    });
    assert_eq!(described, ["moved HEAD", "modified dir/b.txt"]);
    let head = sandbox.git(["rev-parse", "HEAD"]);
    let done = discard(&sandbox, &changes);
    assert_eq!(done.undone, [TreePath::new("dir/b.txt")]);
    assert_eq!(done.skipped.len(), 1);
    assert_eq!(sandbox.git(["rev-parse", "HEAD"]), head);
    assert_eq!(sandbox.read("a.txt"), "committed by an agent\n");

    let (_, described) = changed(&sandbox, || drop(sandbox.git(["switch", "-q", "-c", "elsewhere"])));
    assert_eq!(described, ["moved HEAD"]);
}

#[test]
fn a_repository_without_commits_works_too() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", "main"]);
    sandbox.write("mine", "mine");
    sandbox.write("added", "mine too");
    sandbox.git(["add", "added"]);
    let before = contents(&sandbox.work());
    let (changes, described) = changed(&sandbox, || {
        sandbox.write("new", "new");
        sandbox.write("indexed", "x");
        sandbox.git(["add", "indexed"]);
    });
    assert_eq!(described, ["added indexed", "added new"]);
    let done = discard(&sandbox, &changes);
    assert_eq!((done.undone.len(), done.skipped.len()), (2, 0));
    assert_eq!(contents(&sandbox.work()), before);
    assert_eq!(status(&sandbox), "A  added\n?? mine");
}

#[test]
fn submodules_and_nested_repositories_are_reported_and_left() {
    let sandbox = with_own_work();
    let library = sandbox.outside("library");
    fs_err::create_dir(&library).unwrap();
    sandbox.git_in(&library, ["init", "-q", "-b", "main"]);
    sandbox.git_in(&library, ["commit", "-q", "--allow-empty", "-m", "first"]);
    let source = library.to_str().unwrap();
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "lib"]);
    sandbox.commit("with a library");
    let (changes, described) = changed(&sandbox, || {
        sandbox.git_in(&sandbox.path("lib"), ["commit", "-q", "--allow-empty", "-m", "inside"]);
        fs_err::create_dir(sandbox.path("nested")).unwrap();
        sandbox.git_in(&sandbox.path("nested"), ["init", "-q"]);
        sandbox.write("nested/x", "x");
    });
    assert_eq!(described, ["modified lib", "added nested/"]);
    let done = discard(&sandbox, &changes);
    let kept: Vec<String> =
        done.skipped.iter().map(|kept| format!("{} {}", kept.path, kept.reason)).collect();
    assert_eq!(kept, ["lib is a submodule", "nested/ is a nested git repository"]);
    assert_eq!(sandbox.read("nested/x"), "x");
}

#[test]
fn our_own_folders_are_never_dirty() {
    let sandbox = Sandbox::repository();
    sandbox.write("specs/known/design.md", "committed");
    sandbox.git(["add", "."]);
    sandbox.commit("a specification");
    let before = take(&sandbox);
    sandbox.write(".claude/state/design-x.json", "{}");
    sandbox.write(".claude/settings.json", "{}");
    sandbox.write(".specs/20261115-x/plan.txt", "plan");
    sandbox.write(".specsy", "not ours");
    sandbox.write("specs/new/design.md", "new");
    sandbox.write("specs/stray.md", "not in a folder");
    sandbox.write("specs/known/design.md", "changed");
    let own = OwnPaths {
        folders: vec![".claude/state".to_owned(), ".specs/".to_owned()],
        specs: Some("specs".to_owned()),
        spec_folders: None,
    };
    let described: Vec<String> = before.changes(&take(&sandbox), &own).iter().map(describe).collect();
    assert_eq!(
        described,
        [
            "added .claude/settings.json",
            "added .specsy",
            "modified specs/known/design.md",
            "added specs/stray.md"
        ]
    );
    assert!(!take(&sandbox).is_clean_except(&own));
    sandbox.git(["checkout", "-q", "specs/known/design.md"]);
    for stray in [".claude/settings.json", ".specsy", "specs/stray.md"] {
        assert!(!take(&sandbox).is_clean_except(&own), "{stray}");
        fs_err::remove_file(sandbox.path(stray)).unwrap();
    }
    assert!(take(&sandbox).is_clean_except(&own));
    assert!(!take(&sandbox).is_clean());
}

#[test]
fn paths_that_lead_out_are_refused() {
    let sandbox = with_own_work();
    fs_err::write(sandbox.outside("victim"), "x").unwrap();
    fs_err::create_dir(sandbox.outside("elsewhere")).unwrap();
    fs_err::write(sandbox.outside("elsewhere/victim"), "x").unwrap();
    symlink(sandbox.outside("elsewhere"), sandbox.path("out")).unwrap();
    let forged = |path: &str| TreeChange {
        path: TreePath::new(path),
        kind: ChangeKind::Added,
        dirty_before: false,
        restored: false,
    };
    let absolute = sandbox.outside("victim").to_str().unwrap().to_owned();
    let changes = [&absolute, "../victim", ".git/config", "dir/../../victim", "", "out/victim"].map(forged);
    let done = discard(&sandbox, &changes);
    assert_eq!((done.undone, done.skipped.len()), (Vec::new(), 5));
    assert!(sandbox.outside("victim").exists() && sandbox.outside("elsewhere/victim").exists());
    assert!(sandbox.path(".git/config").exists());
}

#[test]
fn a_patch_says_what_would_be_undone_and_leaves_no_trace() {
    let sandbox = with_own_work();
    let root = root(&sandbox);
    let (changes, _) = changed(&sandbox, || {
        sandbox.write("a.txt", "changed\n");
        sandbox.write("mine.txt", "changed further\n");
        sandbox.write("new", "new\n");
    });
    let listed = || {
        let entries = fs_err::read_dir(root.join(".git")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, git_folder) = (contents(&root), listed());
    let text = String::from_utf8(patch(&root, &changes).unwrap()).unwrap();
    assert_eq!((contents(&root), listed()), (before.clone(), git_folder));
    assert!(text.contains("+++ b/a.txt\n") && text.contains("+++ b/new\n"), "{text}");
    assert!(!text.contains("mine.txt"), "{text}");

    let done = undo(&root, &changes).unwrap();
    assert_eq!(done.undone, [TreePath::new("a.txt"), TreePath::new("new")]);
    assert_eq!(done.skipped.len(), 1);
    assert_eq!(undo(&root, &changes).unwrap().undone, [], "as after a crash");
    assert_eq!(patch(&root, &changes).unwrap(), b"");
    fs_err::write(sandbox.outside("patch"), text).unwrap();
    sandbox.git([OsStr::new("apply"), sandbox.outside("patch").as_os_str()]);
    assert_eq!(contents(&root), before);
}

#[test]
fn files_that_were_ignored_are_never_undone() {
    for rule in ["true > .gitignore", "rm .gitignore", "git rm -q -f .gitignore"] {
        let sandbox = with_own_work();
        sandbox.write("secret.log", "mine");
        sandbox.write("ignored/mine", "mine");
        let (changes, _) = changed(&sandbox, || {
            assert!(sandbox.command("sh").args(["-ec", rule]).status().unwrap().success());
        });
        assert_eq!(changes.len(), 3, "{rule}: {changes:?}");
        let done = discard(&sandbox, &changes);
        assert_eq!(done.undone, [TreePath::new(".gitignore")], "{rule}");
        assert_eq!(
            (sandbox.read("secret.log"), sandbox.read("ignored/mine")),
            ("mine".into(), "mine".into())
        );
    }
}

#[test]
fn odd_settings_of_the_repository_change_nothing() {
    let sandbox = with_own_work();
    for (key, value) in [
        ("status.showUntrackedFiles", "no"),
        ("status.relativePaths", "true"),
        ("diff.noprefix", "true"),
        ("diff.external", "/bin/false"),
        ("core.fsmonitor", "touch monitor-ran; false"),
        ("core.quotePath", "false"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
    ] {
        sandbox.git(["config", key, value]);
    }
    sandbox.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch hook-ran\n");
    fs_err::set_permissions(sandbox.path(".git/hooks/post-checkout"), PermissionsExt::from_mode(0o755))
        .unwrap();
    let before = contents(&sandbox.work());
    let root = root(&sandbox);
    let first = Snapshot::take(&root).unwrap();
    sandbox.write("a.txt", "changed\n");
    sandbox.write("new/ä", "x\n");
    let changes = first.changes(&Snapshot::take(&root).unwrap(), &OwnPaths::default());
    assert_eq!(changes.iter().map(describe).collect::<Vec<_>>(), ["modified a.txt", "added new/ä"]);
    let done = discard(&sandbox, &changes);
    assert_eq!(contents(&sandbox.work()), before);
    let patch = fs_err::read_to_string(done.patch.unwrap()).unwrap();
    assert!(patch.contains("diff --git a/a.txt b/a.txt\n") && !patch.contains('\u{1b}'), "{patch}");
}

#[test]
fn a_snapshot_and_its_changes_can_be_written_down() {
    let sandbox = with_own_work();
    fs_err::write(sandbox.work().join(OsStr::from_bytes(b"\xff")), "x").unwrap();
    let before = take(&sandbox);
    let read: Snapshot = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
    assert_eq!(read, before);
    sandbox.write("a.txt", "changed");
    let changes = read.changes(&take(&sandbox), &OwnPaths::default());
    assert_eq!(
        serde_json::to_string(&changes).unwrap(),
        r#"[{"path":"a.txt","kind":"modified","dirty_before":false}]"#
    );
}

#[test]
fn a_snapshot_outside_a_repository_is_an_error() {
    let sandbox = Sandbox::new();
    let error = Snapshot::take(&sandbox.work()).unwrap_err().to_string();
    assert!(error.starts_with("there is no git repository at "), "{error}");
}
