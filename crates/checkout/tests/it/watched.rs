//! What agents may hide from git or change in the repository itself, with real git.

use crate::tree::{root, with_own_work};
use charrette_checkout::tree::{ChangeKind, Snapshot, TreeChange, TreeError, WatchedSnapshot, patch, undo};
use charrette_checkout::{Surroundings, TreeWatch};
use charrette_model::tree::OwnPaths;
use charrette_testkit::Sandbox;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Changes of the tree and of the repository's own files while `act` runs.
pub(crate) fn watched(sandbox: &Sandbox, act: impl FnOnce()) -> Vec<TreeChange> {
    let before = WatchedSnapshot::take(&root(sandbox)).unwrap();
    act();
    let after = WatchedSnapshot::take(&root(sandbox)).unwrap();
    before.changes(&after, &OwnPaths::default(), &root(sandbox))
}

/// The same for a shell script, as this process and as a later one sees it.
fn both_changes(prepare: impl Fn() -> Sandbox, script: &str) -> [Vec<String>; 2] {
    let (first, second) = (prepare(), prepare());
    [
        watched_changes(&first, || shell(&first, script)),
        changes_across_processes(&second, || shell(&second, script)),
    ]
}

/// The same as `kind path`.
pub(crate) fn watched_changes(sandbox: &Sandbox, act: impl FnOnce()) -> Vec<String> {
    describe(&watched(sandbox, act))
}

/// The same with the first snapshot as a later process reads it.
fn changes_across_processes(sandbox: &Sandbox, act: impl FnOnce()) -> Vec<String> {
    let before = WatchedSnapshot::take(&root(sandbox)).unwrap();
    let before: WatchedSnapshot = serde_json::from_value(serde_json::to_value(&before).unwrap()).unwrap();
    act();
    let after = WatchedSnapshot::take(&root(sandbox)).unwrap();
    describe(&before.changes(&after, &OwnPaths::default(), &root(sandbox)))
}

pub(crate) fn describe(changes: &[TreeChange]) -> Vec<String> {
    changes.iter().map(|change| format!("{} {}", change.kind, change.path)).collect()
}

/// Runs a shell script in the work tree.
pub(crate) fn shell(sandbox: &Sandbox, script: &str) {
    let output = sandbox.command("sh").args(["-ec", script]).output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn files_of_the_repository_itself_are_watched() {
    for (act, expected) in [
        ("git config filter.x.clean evil", &["modified .git/config"][..]),
        ("git branch planted", &["added .git/refs/heads/planted"]),
        ("git tag planted", &["added .git/refs/tags/planted"]),
        ("git update-index --assume-unchanged a.txt", &["modified a.txt"]),
        ("git update-index --skip-worktree dir/b.txt", &["modified dir/b.txt"]),
        ("git rev-parse HEAD > .git/MERGE_HEAD", &["added .git/MERGE_HEAD"]),
        ("mkdir .git/rebase-merge", &["added .git/rebase-merge"]),
        ("echo evil > .git/MERGE_MSG", &["added .git/MERGE_MSG"]),
        ("git rev-parse HEAD > .git/shallow", &["added .git/shallow"]),
        ("echo /tmp > .git/objects/info/alternates", &["added .git/objects/info/alternates"]),
        ("touch .git/hooks/post-checkout", &["added .git/hooks/post-checkout"]),
        ("touch .git/info/attributes", &["added .git/info/attributes"]),
        ("git update-ref refs/charrette-evil HEAD", &["added .git/refs/charrette-evil"]),
        ("chmod -x .git/hooks/pre-push.sample", &["modified .git/hooks/pre-push.sample"]),
        ("chmod g-w,o-r .git/hooks/pre-push.sample", &[]),
    ] {
        for changes in both_changes(with_own_work, act) {
            assert_eq!(changes, expected, "{act}");
        }
    }
}

#[test]
fn a_stash_that_is_not_the_last_one_is_missed() {
    let sandbox = with_own_work();
    shell(&sandbox, "git stash -q; echo more >> a.txt; git stash -q");
    let changes = watched_changes(&sandbox, || shell(&sandbox, "git stash drop -q 'stash@{1}'"));
    assert_eq!(changes, ["modified .git/logs/refs/stash"]);
}

#[test]
fn a_flag_in_the_index_hides_no_change() {
    for version in ["2", "4"] {
        let sandbox = with_own_work();
        sandbox.git(["update-index", "--index-version", version]);
        sandbox.git(["update-index", "--assume-unchanged", "a.txt"]);
        sandbox.git(["update-index", "--skip-worktree", "dir/c.txt"]);
        let changes = watched_changes(&sandbox, || {
            sandbox.write("a.txt", "hidden\n");
            sandbox.write("dir/c.txt", "hidden\n");
        });
        assert_eq!(changes, ["modified a.txt", "modified dir/c.txt"], "index version {version}");
        assert_eq!(watched_changes(&sandbox, || {}), [""; 0]);
    }
    // A split index is left to git.
    let sandbox = with_own_work();
    sandbox.git(["update-index", "--assume-unchanged", "a.txt"]);
    sandbox.git(["update-index", "--split-index"]);
    assert_eq!(watched_changes(&sandbox, || sandbox.write("a.txt", "hidden\n")), ["modified a.txt"]);
}

/// Changes `a.txt`, and the index so that it says what it said, with the times and size of the changed file.
const LYING_INDEX: &str = r#"python3 - <<'E'
import hashlib, os, struct
os.utime("dir/b.txt")
open("a.txt", "w").write("planted\n")
os.utime("a.txt", (1700000000, 1700000000))
index = bytearray(open(".git/index", "rb").read())
at = index.find(b"a.txt\0") - 62
st = os.stat("a.txt")
seconds = lambda ns: (ns // 10**9 & 0xffffffff, ns % 10**9)
index[at:at + 40] = struct.pack(">10I", *seconds(st.st_ctime_ns), *seconds(st.st_mtime_ns), st.st_dev & 0xffffffff,
    st.st_ino & 0xffffffff, st.st_mode, st.st_uid, st.st_gid, st.st_size)
index[-20:] = hashlib.sha1(index[:-20]).digest()
open(".git/index", "wb").write(index)
E"#;

#[test]
fn an_index_that_was_made_to_lie_hides_no_change() {
    let sandbox = with_own_work();
    let changes = watched(&sandbox, || shell(&sandbox, LYING_INDEX));
    assert_eq!(
        sandbox.git(["diff", "--name-only", "--", "a.txt"]),
        "",
        "git itself must be deceived, or nothing is proven"
    );
    assert_eq!(describe(&changes), ["modified a.txt"], "and what was only touched is no change");
    undo_completely(&sandbox, &changes, "+planted");
    assert_eq!(sandbox.read("a.txt"), "one\ntwo\n");
}

/// Undoes all of these changes, whose patch has this line.
fn undo_completely(sandbox: &Sandbox, changes: &[TreeChange], line: &str) {
    let patch = patch(&root(sandbox), changes).unwrap();
    let patch = String::from_utf8_lossy(&patch);
    assert!(patch.contains(line), "{patch}");
    let done = undo(&root(sandbox), changes).unwrap();
    assert_eq!((done.undone.len(), done.skipped), (changes.len(), Vec::new()));
}

/// Commits a changed `a.txt` to the index only, and makes the cache of the history say that HEAD has it.
const LYING_HISTORY: &str = r#"python3 - <<'E'
import os, subprocess
git = lambda *args: subprocess.run(["git", *args], capture_output=True, check=True).stdout
old = bytes.fromhex(git("rev-parse", "HEAD^{tree}").decode())
open("a.txt", "w").write("planted\n")
git("add", "a.txt")
new = bytes.fromhex(git("write-tree").decode())
path = ".git/objects/info/commit-graph"
os.chmod(path, 0o644)
graph = open(path, "rb").read()
assert old in graph
open(path, "wb").write(graph.replace(old, new))
E"#;

#[test]
fn a_cache_of_the_history_that_was_made_to_lie_hides_no_change() {
    let prepare = || {
        let sandbox = Sandbox::repository();
        sandbox.write("a.txt", "one\n");
        sandbox.git(["add", "."]);
        sandbox.commit("files");
        sandbox.git(["commit-graph", "write", "--reachable"]);
        sandbox
    };
    for changes in both_changes(prepare, LYING_HISTORY) {
        assert_eq!(changes, ["modified a.txt"]);
    }
    let sandbox = prepare();
    shell(&sandbox, LYING_HISTORY);
    assert_eq!(sandbox.git(["status", "--porcelain"]), "", "git itself must be deceived");
}

/// The index and HEAD disagree, and git says that they do not: whatever deceived it, the entries have changed.
#[test]
fn entries_of_the_index_are_compared_with_earlier_ones() {
    let sandbox = with_own_work();
    let changes = watched_changes(&sandbox, || {
        sandbox.write("a.txt", "planted\n");
        sandbox.git(["add", "a.txt"]);
        let tree = sandbox.git(["write-tree"]);
        let old = sandbox.git(["rev-parse", "HEAD^{tree}"]);
        sandbox.git(["replace", &old, &tree]);
    });
    assert!(changes.contains(&"modified a.txt".to_owned()), "{changes:?}");
    assert!(changes.iter().any(|change| change.starts_with("added .git/refs/replace/")), "{changes:?}");
}

#[test]
fn permissions_are_compared_even_where_git_ignores_them() {
    for act in ["chmod +x a.txt", "chmod 0666 a.txt"] {
        let sandbox = with_own_work();
        sandbox.git(["config", "core.fileMode", "false"]);
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert_eq!(describe(&changes), ["modified a.txt"], "{act}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert_eq!((done.undone.len(), done.skipped), (1, Vec::new()), "{act}");
        let mode = fs_err::metadata(sandbox.path("a.txt")).unwrap().permissions().mode();
        assert_eq!(mode & 0o113, 0, "{act}");
    }
}

#[test]
fn a_rule_that_ignores_itself_hides_nothing() {
    for (act, expected) in [
        (
            "mkdir -p dir/n/deep; echo '*' > dir/n/.gitignore; echo evil > dir/n/evil.py; echo x > dir/n/deep/x",
            &["added dir/n/.gitignore", "added dir/n/deep/", "added dir/n/evil.py"][..],
        ),
        (
            "printf '.gitignore\\nconftest.py\\n' > dir/.gitignore; echo evil > dir/conftest.py",
            &["added dir/.gitignore", "added dir/conftest.py"],
        ),
        ("echo '/evil.py' >> .gitignore; echo evil > evil.py", &["modified .gitignore", "added evil.py"]),
        ("mkdir .pytest_cache; echo '*' > .pytest_cache/.gitignore", &[]),
        ("mkdir ignored; echo '*' > ignored/.gitignore; echo x > ignored/x", &[]),
    ] {
        let sandbox = with_own_work();
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert_eq!(describe(&changes), expected, "{act}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        let skipped: Vec<String> = done.skipped.iter().map(|skipped| skipped.path.to_string()).collect();
        assert!(skipped.iter().all(|path| path == "dir/n/deep/"), "{act}: {skipped:?}");
        assert!(!sandbox.path("dir/n/evil.py").exists() && !sandbox.path("evil.py").exists());
    }
    // One that was there before, and is changed.
    let sandbox = with_own_work();
    shell(&sandbox, "printf '.gitignore\\n' > dir/.gitignore");
    let changes = watched_changes(&sandbox, || {
        shell(&sandbox, "echo evil.py >> dir/.gitignore; echo evil > dir/evil.py");
    });
    assert_eq!(changes, ["modified dir/.gitignore", "added dir/evil.py"]);
}

#[test]
fn a_flag_that_is_taken_away_is_a_change_and_what_it_hid_is_kept() {
    let prepare = || {
        let sandbox = with_own_work();
        shell(
            &sandbox,
            "git update-index --assume-unchanged a.txt run.sh; git update-index --skip-worktree dir/b.txt; \
             echo mine > a.txt",
        );
        sandbox
    };
    for (act, expected) in [
        ("git update-index --no-assume-unchanged a.txt", &["modified a.txt"]),
        ("git update-index --no-skip-worktree dir/b.txt", &["modified dir/b.txt"]),
        ("chmod +x run.sh", &["modified run.sh"]),
        ("cp a.txt new; mv new a.txt; rm run.sh; ln -s a.txt run.sh", &["modified run.sh"]),
    ] {
        for changes in both_changes(prepare, act) {
            assert_eq!(changes, expected, "{act}");
        }
    }
    let sandbox = prepare();
    let changes = watched(&sandbox, || {
        shell(&sandbox, "git update-index --no-assume-unchanged a.txt; echo evil >> a.txt");
    });
    let done = undo(&root(&sandbox), &changes).unwrap();
    assert_eq!((done.undone.len(), done.skipped.len()), (0, 1));
    assert_eq!(sandbox.read("a.txt"), "mine\nevil\n");
}

/// A repository whose own files are links to others.
fn with_links() -> Sandbox {
    let sandbox = with_own_work();
    shell(
        &sandbox,
        "mkdir ../behind; mv .git/config .git/info/exclude ../behind; printf '#!/bin/sh\n' > ../behind/hook; \
         ln -s ../../behind/config .git/config; ln -s ../../../behind/exclude .git/info/exclude; \
         ln -s ../../../behind/hook .git/hooks/pre-commit; ln -s ../../../behind/nothing .git/info/attributes; \
         ln -s ../../behind/data data.link; git add data.link; git commit -q -m link; \
         git update-index --assume-unchanged data.link",
    );
    sandbox
}

#[test]
fn files_behind_links_of_the_repository_are_watched() {
    for (act, expected) in [
        ("true", &[][..]),
        ("echo '# evil' >> ../behind/config", &["modified .git/config"]),
        ("echo evil > ../behind/exclude", &["modified .git/info/exclude"]),
        ("echo evil >> ../behind/hook", &["modified .git/hooks/pre-commit"]),
        ("chmod +x ../behind/hook", &["modified .git/hooks/pre-commit"]),
        ("echo evil > ../behind/nothing", &["modified .git/info/attributes"]),
        ("rm ../behind/hook; mkfifo ../behind/hook", &["modified .git/hooks/pre-commit"]),
        ("truncate -s 1T ../behind/hook", &["modified .git/hooks/pre-commit"]),
        ("cp .git/config x; rm .git/config; mv x .git/config", &["modified .git/config"]),
        (
            "rm .git/hooks/pre-push.sample; mkfifo .git/hooks/pre-push.sample",
            &["modified .git/hooks/pre-push.sample"],
        ),
        ("echo data > ../behind/data", &[]),
    ] {
        for changes in both_changes(with_links, act) {
            assert_eq!(changes, expected, "{act}");
        }
    }
}

#[test]
fn a_repository_around_this_one_is_not_taken_for_it() {
    let sandbox = with_own_work();
    let root = root(&sandbox);
    let before = WatchedSnapshot::take(&root).unwrap();
    let changes = watched(&sandbox, || sandbox.write("new.txt", "new"));
    shell(&sandbox, "git init -q ..; mv .git ../moved.git; git status -s");
    let is_missing = |result: Result<String, TreeError>| match result {
        Err(TreeError::NoRepository(folder)) => folder == root,
        _ => false,
    };
    assert!(is_missing(WatchedSnapshot::take(&root).map(|taken| format!("{taken:?}"))));
    assert!(is_missing(Snapshot::take(&root).map(|taken| format!("{taken:?}"))));
    assert!(is_missing(patch(&root, &changes).map(|patch| format!("{patch:?}"))));
    assert!(is_missing(undo(&root, &changes).map(|done| format!("{done:?}"))));
    assert!(!before.has_same_git_files(&root));
    assert_eq!(sandbox.read("new.txt"), "new");
    shell(&sandbox, "mv ../moved.git .git");
    assert_eq!(WatchedSnapshot::take(&root).unwrap().changes(&before, &OwnPaths::default(), &root).len(), 1);
    // A link leads to the same work tree.
    symlink(&root, sandbox.outside("linked")).unwrap();
    assert!(before.has_same_git_files(&sandbox.outside("linked")));
}

#[test]
fn a_work_tree_that_a_setting_names_is_left_alone() {
    let sandbox = with_own_work();
    sandbox.write("secret.log", "secret");
    shell(
        &sandbox,
        "mkdir ../other; for file in a.txt dir.txt secret.log; do echo theirs > ../other/$file; done",
    );
    for set in [
        "git config core.worktree ../../other",
        "git config extensions.worktreeConfig true; git config --worktree core.worktree ../../other",
        "git config core.bare true",
        "git config core.worktree /nowhere",
    ] {
        let configured = sandbox.read(".git/config");
        let act = "echo evil >> a.txt; echo evil > new.txt; git update-index --assume-unchanged run.sh; \
                   echo evil >> run.sh; git update-index --no-assume-unchanged run.sh; ";
        let changes = watched(&sandbox, || shell(&sandbox, &format!("{act}{set}")));
        let found = describe(&changes);
        assert!(found.contains(&"modified .git/config".to_owned()), "{set}: {found:?}");
        assert_eq!(found[..3], ["modified a.txt", "added new.txt", "modified run.sh"], "{set}");
        let saved = patch(&root(&sandbox), &changes).unwrap();
        assert!(String::from_utf8_lossy(&saved).contains("+evil"), "{set}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert_eq!(done.undone.len(), 3, "{set}: {done:?}");
        assert!(!sandbox.path("new.txt").exists());
        assert_eq!(
            (sandbox.read("a.txt"), sandbox.read("secret.log")),
            ("one\ntwo\n".into(), "secret".into())
        );
        let others = fs_err::read_dir(sandbox.outside("other")).unwrap();
        assert_eq!(others.count(), 3);
        for file in ["a.txt", "dir.txt", "secret.log"] {
            assert_eq!(fs_err::read_to_string(sandbox.outside("other").join(file)).unwrap(), "theirs\n");
        }
        sandbox.write(".git/config", configured);
        let _ = fs_err::remove_file(sandbox.path(".git/config.worktree"));
    }
}

#[test]
fn nothing_is_restored_from_another_repository() {
    let sandbox = with_own_work();
    let act = "mv .git ../old.git; git init -q; echo evil > a.txt; git add .; git commit -q -m evil; echo evil > b.txt";
    let changes = watched(&sandbox, || shell(&sandbox, act));
    let done = undo(&root(&sandbox), &changes).unwrap();
    assert_eq!((done.undone.len(), done.skipped.len()), (0, changes.len()));
    let b = done.skipped.iter().find(|skipped| skipped.path.as_bytes() == b"b.txt").unwrap();
    assert!(b.reason.contains("put the old one back"), "{b:?}");
    assert!(patch(&root(&sandbox), &changes).unwrap().is_empty());
    assert_eq!(sandbox.read("b.txt"), "evil\n");
}

#[test]
fn another_repository_in_the_place_of_this_one_is_noticed() {
    for act in [
        "mv .git ../moved.git; ln -s ../moved.git .git",
        "cp -r .git ../evil.git; mv .git ../old.git; echo 'gitdir: ../evil.git' > .git",
        "cp -r .git ../evil.git; mv .git ../old.git; mv ../evil.git .git",
    ] {
        let sandbox = with_own_work();
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert_eq!(describe(&changes), ["modified .git"], "{act}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert!(done.skipped[0].reason.starts_with("leads to another repository"), "{act}");
    }
    // A link that was there before is none.
    let sandbox = with_own_work();
    fs_err::rename(sandbox.path(".git"), sandbox.outside("moved.git")).unwrap();
    symlink(sandbox.outside("moved.git"), sandbox.path(".git")).unwrap();
    assert_eq!(watched_changes(&sandbox, || {}), [""; 0]);
}

#[test]
fn refs_in_tables_are_watched() {
    let sandbox = Sandbox::new();
    let init = ["init", "-q", "-b", "main", "--ref-format=reftable"];
    if !sandbox.command("git").args(init).status().unwrap().success() {
        // Git is too old to keep refs in tables.
        return;
    }
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "first"]);
    sandbox.git(["branch", "keep"]);
    sandbox.git(["worktree", "add", "-q", "-b", "other", sandbox.outside("other").to_str().unwrap()]);
    let act = "git branch -f keep $(git commit-tree -m x HEAD^{tree}); git tag planted; git branch new";
    assert_eq!(
        watched_changes(&sandbox, || shell(&sandbox, act)),
        ["modified .git/refs/heads/keep", "added .git/refs/heads/new", "added .git/refs/tags/planted"]
    );
    let act = "git -C ../other commit -q --allow-empty -m more; git update-ref refs/remotes/origin/x HEAD";
    assert_eq!(watched_changes(&sandbox, || shell(&sandbox, act)), [""; 0]);
}

#[test]
fn an_agent_starts_with_a_new_snapshot_after_the_repository_was_replaced() {
    let sandbox = with_own_work();
    let watch = TreeWatch::new(root(&sandbox), OwnPaths::default(), Surroundings::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let taken = runtime.block_on(watch.snapshot()).unwrap();
    assert!(taken.has_same_git_files(&root(&sandbox)));
    shell(&sandbox, "cp -r .git ../evil.git; mv .git ../old.git; echo 'gitdir: ../evil.git' > .git");
    assert!(!taken.has_same_git_files(&root(&sandbox)));
    let changes = watched(&sandbox, || sandbox.write("a.txt", "x"));
    assert_eq!(changes[0].kind, ChangeKind::Modified);
}
