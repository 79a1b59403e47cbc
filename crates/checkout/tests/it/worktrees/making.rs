//! Worktrees are made, found and restored.

use crate::workshop::{RUN, Workshop, git, order, told, wait, write};
use charrette_checkout::PortError;
use charrette_engine::ports::worktrees::{Overlay, WorktreeOrder, Worktrees as _};
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_worktree_has_the_content_of_its_commit_and_is_locked() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let made = workshop.try_prepare(order("T001", &base.commit)).unwrap();
    assert!(made.is_new);
    let folder = std::path::PathBuf::from(&made.path);
    assert_eq!(folder, workshop.folder().join("T001"));
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(git(&folder, &["rev-parse", "HEAD"]), base.commit);
    assert_eq!(folder.join("tool.sh").metadata().unwrap().permissions().mode() & 0o111, 0o111);
    let listed = workshop.sandbox.git(["worktree", "list", "--porcelain"]);
    assert!(listed.contains(&format!("locked charrette {RUN} T001")), "{listed}");
    assert!(listed.contains("detached"), "{listed}");
    // Again: as it was left.
    write(&folder, "new.py", "x = 1\n");
    let found = workshop.try_prepare(order("T001", &base.commit)).unwrap();
    assert_eq!((found.is_new, found.path), (false, made.path));
    assert!(folder.join("new.py").exists());
}

/// The first is registered by git, the second by writing the files that git writes.
#[test]
fn worktrees_are_registered_alike() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let [first, second] = ["T001", "T002"].map(|name| workshop.prepare(name, &base.commit));
    let listed = workshop.sandbox.git(["worktree", "list", "--porcelain"]);
    let told = |name: &str| {
        let told = listed.split("\n\n").find(|told| told.contains(&format!("/{name}\n"))).unwrap();
        told.replace(name, "NAME")
    };
    assert_eq!(told("T001"), told("T002"));
    for folder in [&first, &second] {
        assert_eq!(git(folder, &["status", "--porcelain"]), "");
        assert_eq!(git(folder, &["rev-parse", "HEAD"]), base.commit);
    }
    let registration = |name: &str| workshop.sandbox.path(&format!(".git/worktrees/{name}"));
    assert!(registration("T001").join("logs").exists() && !registration("T002").join("logs").exists());
    for args in [&["worktree", "prune", "--verbose"][..], &["worktree", "repair"]] {
        assert_eq!(git(&workshop.sandbox.work(), args), "", "{args:?}");
    }
    workshop.sandbox.git(["worktree", "unlock", "--", second.to_str().unwrap()]);
    workshop.sandbox.git(["worktree", "remove", second.to_str().unwrap()]);
    assert!(first.exists() && !second.exists() && !registration("T002").exists());
}

#[test]
fn two_runs_do_not_share_a_worktree() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let first = workshop.prepare("T001", &base.commit);
    let other = WorktreeOrder { run: "0194-other".to_owned(), ..order("T001", &base.commit) };
    let second = workshop.try_prepare(other).unwrap();
    assert!(second.is_new && first != std::path::Path::new(&second.path));
    write(std::path::Path::new(&second.path), "a", "a");
    workshop.clean_up(&[]);
    assert!(!first.exists() && std::path::Path::new(&second.path).join("a").exists());
    let left: Vec<String> =
        workshop.worktrees.find_left_over(&[]).unwrap().into_iter().map(|left| left.run).collect();
    assert_eq!(left, ["0194-other"]);
}

#[test]
fn unsafe_names_are_refused() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    for name in ["", "..", "../x", ".charrette", "a/b", "-f", "x.lock"] {
        assert!(
            matches!(workshop.try_prepare(order(name, &base.commit)), Err(PortError::Failed(_))),
            "{name}"
        );
        let run = WorktreeOrder { run: name.to_owned(), ..order("T001", &base.commit) };
        assert!(matches!(workshop.try_prepare(run), Err(PortError::Failed(_))), "{name}");
    }
    assert!(workshop.try_prepare(order("T001", "--detach")).is_err());
    assert!(workshop.try_prepare(order("T001", "HEAD")).is_err());
}

#[test]
fn what_was_made_by_half_is_made_again() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    let record = workshop.folder().join(".charrette/T001/record.json");
    // A folder without a record, with a registration.
    fs_err::remove_file(&record).unwrap();
    write(&folder, "rest", "x");
    assert!(workshop.try_prepare(order("T001", &base.commit)).unwrap().is_new);
    assert!(!folder.join("rest").exists());
    // A registration without a folder.
    fs_err::remove_dir_all(&folder).unwrap();
    assert!(workshop.try_prepare(order("T001", &base.commit)).unwrap().is_new);
    // A folder without a registration.
    fs_err::remove_file(&record).unwrap();
    fs_err::remove_dir_all(workshop.sandbox.path(".git/worktrees/T001")).unwrap();
    assert!(workshop.try_prepare(order("T001", &base.commit)).unwrap().is_new);
    // A registration that git had only begun.
    wait(workshop.worktrees.remove(RUN.to_owned(), "T001".to_owned())).unwrap();
    workshop.sandbox.write(".git/worktrees/T001/locked", format!("charrette {RUN} T001\n"));
    assert!(workshop.try_prepare(order("T001", &base.commit)).unwrap().is_new);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    let registered = fs_err::read_dir(workshop.sandbox.path(".git/worktrees")).unwrap().count();
    assert_eq!(registered, 1);
}

#[test]
fn a_reset_restores_bytes_and_keeps_ignored_files() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    let commit = workshop.work("T002", &base.commit, &[("src/other.py", "y = 2\n")]);
    write(&folder, "new.py", "x");
    write(&folder, "build/out", "cached");
    fs_err::remove_file(folder.join("tool.sh")).unwrap();
    // The same size, and the same time as before.
    let file = folder.join("src/lib.py");
    let (text, time) = (fs_err::read_to_string(&file).unwrap(), file.metadata().unwrap().modified().unwrap());
    fs_err::write(&file, text.replace("return 1", "return 9")).unwrap();
    fs_err::File::options().write(true).open(&file).unwrap().file().set_modified(time).unwrap();
    let reset = |content: &str| WorktreeOrder { reset: true, ..order("T001", content) };
    assert!(!workshop.try_prepare(reset(&base.commit)).unwrap().is_new);
    assert_eq!(fs_err::read_to_string(&file).unwrap(), text);
    assert!(
        !folder.join("new.py").exists()
            && folder.join("tool.sh").exists()
            && folder.join("build/out").exists()
    );
    // To another commit, which becomes its HEAD.
    workshop.try_prepare(reset(&commit)).unwrap();
    assert_eq!(git(&folder, &["rev-parse", "HEAD"]), commit);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(workshop.capture("T001", &commit).files, []);
    assert_eq!(told(&workshop.capture("T001", &base.commit)), ["Added src/other.py"]);
}

#[test]
fn a_reset_of_a_worktree_that_was_tampered_with_makes_it_anew() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    fs_err::remove_file(folder.join(".git")).unwrap();
    fs_err::create_dir(folder.join(".git")).unwrap();
    let made = workshop.try_prepare(WorktreeOrder { reset: true, ..order("T001", &base.commit) }).unwrap();
    assert!(made.is_new);
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(workshop.capture("T001", &base.commit).tampering, Vec::<String>::new());
}

#[test]
fn a_tree_can_be_laid_out_and_tests_laid_over_it() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let commit = workshop.work(
        "T001",
        &base.commit,
        &[
            ("src/lib.py", "def one():\n    return 10\n"),
            ("tests/test_one.py", "assert 1\n"),
            ("tests/data/a", "a"),
        ],
    );
    let overlay = |paths: &[&str], tree: &str| {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        Some(Overlay { tree: tree.to_owned(), paths })
    };
    // The tests of the task on the old tree.
    let with_tests =
        WorktreeOrder { overlay: overlay(&["tests", "absent"], &commit), ..order("red", &base.commit) };
    let folder = std::path::PathBuf::from(workshop.try_prepare(with_tests).unwrap().path);
    assert!(folder.join("tests/test_one.py").exists() && folder.join("tests/data/a").exists());
    assert!(!fs_err::read_to_string(folder.join("src/lib.py")).unwrap().contains("10"));
    // Paths that the other tree does not have are removed.
    let without =
        WorktreeOrder { overlay: overlay(&["tests/test_one.py"], &base.commit), ..order("w", &commit) };
    let folder = std::path::PathBuf::from(workshop.try_prepare(without).unwrap().path);
    assert!(!folder.join("tests/test_one.py").exists() && folder.join("tests/data/a").exists());
    // A tree that is no commit.
    let tree = workshop.sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")]);
    let folder = workshop.prepare("tree", &tree);
    assert!(folder.join("tests/test_one.py").exists());
    assert_eq!(git(&folder, &["rev-parse", "HEAD"]), base.commit);
    assert_eq!(workshop.capture("tree", &tree).files, []);
}

#[test]
fn included_files_are_ignored_ones_and_no_links() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let sandbox = &workshop.sandbox;
    sandbox.write(".env", "SECRET=1\n");
    sandbox.write("sub/.env", "SECRET=2\n");
    sandbox.write("build/cache", "cache");
    sandbox.write("notes.txt", "not ignored");
    sandbox.write("outside-secret", "x");
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path("build/link")).unwrap();
    fs_err::set_permissions(sandbox.path(".env"), PermissionsExt::from_mode(0o640)).unwrap();
    let including = |name: &str| WorktreeOrder { includes: true, ..order(name, &base.commit) };
    assert_eq!(workshop.try_prepare(including("T000")).unwrap().included, Vec::<String>::new());
    sandbox.write(".worktreeinclude", "# local settings\n.env\n/build/link\nnotes.txt\ntool.sh\n");
    let made = workshop.try_prepare(including("T001")).unwrap();
    let folder = std::path::PathBuf::from(&made.path);
    assert_eq!(made.included, [".env", "sub/.env"]);
    assert_eq!(fs_err::read_to_string(folder.join("sub/.env")).unwrap(), "SECRET=2\n");
    assert_eq!(folder.join(".env").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(!folder.join("build").exists() && !folder.join("notes.txt").exists());
    // They are no change.
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
    assert_eq!(workshop.try_prepare(including("T001")).unwrap().included, [".env", "sub/.env"]);
}

#[test]
fn a_sparse_checkout_of_the_user_is_no_change() {
    let workshop = Workshop::new();
    workshop.sandbox.write("docs/page.md", "page\n");
    workshop.sandbox.git(["add", "-A"]);
    workshop.sandbox.commit("docs");
    workshop.sandbox.git(["sparse-checkout", "set", "--cone", "src"]);
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
    write(&folder, "docs/new.md", "new\n");
    let change = workshop.capture("T001", &base.commit);
    assert_eq!((told(&change), change.tampering), (vec!["Added docs/new.md".to_owned()], Vec::new()));
}
