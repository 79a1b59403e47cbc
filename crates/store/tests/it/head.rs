//! HEAD as read here equals HEAD as git reports it, in every layout of a repository.

use charrette_store::head::{find_ref, head};
use charrette_store::{Location, locate, repository};
use charrette_testkit::Sandbox;
use std::path::Path;

/// The commit read here, after a comparison with git.
fn checked(sandbox: &Sandbox, folder: &Path) -> Option<String> {
    let Location::WorkTree(repository) = locate(&folder.canonicalize().unwrap()).unwrap() else {
        panic!("no work tree at {}", folder.display());
    };
    let ours = head(&repository).unwrap();
    let output = sandbox
        .command("git")
        .args(["rev-parse", "--verify", "-q", "HEAD"])
        .current_dir(folder)
        .output()
        .unwrap();
    let theirs = output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    assert_eq!(ours, theirs, "{}", folder.display());
    let toplevel = sandbox.git_in(folder, ["rev-parse", "--show-toplevel"]);
    assert_eq!(repository.work_tree, Path::new(&toplevel).canonicalize().unwrap());
    ours
}

#[test]
fn on_a_branch_loose_then_packed_then_both() {
    let sandbox = Sandbox::repository();
    let first = checked(&sandbox, &sandbox.work());
    sandbox.git(["pack-refs", "--all"]);
    assert_eq!(checked(&sandbox, &sandbox.work()), first);
    sandbox.commit("second");
    assert_ne!(checked(&sandbox, &sandbox.work()), first);
}

#[test]
fn a_ref_loose_packed_and_gone() {
    let sandbox = Sandbox::repository();
    let name = "refs/charrette/run";
    let found = || {
        let Location::WorkTree(repository) = locate(&sandbox.work()).unwrap() else { panic!() };
        find_ref(&repository, name)
    };
    assert_eq!(found().unwrap(), None);
    sandbox.git(["update-ref", name, "HEAD"]);
    let commit = sandbox.git(["rev-parse", "HEAD"]);
    assert_eq!(found().unwrap().as_ref(), Some(&commit));
    sandbox.git(["pack-refs", "--all"]);
    assert_eq!(found().unwrap().as_ref(), Some(&commit));
    sandbox.git(["symbolic-ref", name, "HEAD"]);
    assert_eq!(found().unwrap_err().kind(), std::io::ErrorKind::Unsupported, "left to git");
    sandbox.git(["symbolic-ref", "--delete", name]);
    sandbox.git(["update-ref", "-d", name]);
    assert_eq!(found().unwrap(), None);
}

#[test]
fn on_a_branch_with_slashes_and_from_a_folder_below() {
    let sandbox = Sandbox::repository();
    sandbox.git(["checkout", "-q", "-b", "ada/add/login"]);
    sandbox.git(["pack-refs", "--all"]);
    sandbox.write("a/b/c.txt", "x");
    assert!(checked(&sandbox, &sandbox.path("a/b")).is_some());
}

#[test]
fn detached_and_unborn() {
    let sandbox = Sandbox::repository();
    sandbox.git(["checkout", "-q", "--detach"]);
    assert!(checked(&sandbox, &sandbox.work()).is_some());
    sandbox.git(["checkout", "-q", "--orphan", "new"]);
    assert_eq!(checked(&sandbox, &sandbox.work()), None);
}

#[test]
fn in_linked_work_trees_and_submodules() {
    let sandbox = Sandbox::repository();
    let linked = sandbox.outside("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    sandbox.git_in(&linked, ["commit", "-q", "--allow-empty", "-m", "on the side"]);
    assert_ne!(checked(&sandbox, &linked), checked(&sandbox, &sandbox.work()));
    sandbox.git(["pack-refs", "--all"]);
    assert!(checked(&sandbox, &linked).is_some());

    let url = sandbox.work().to_str().unwrap().to_owned();
    let other = sandbox.outside("other");
    sandbox.git(["init", "-q", other.to_str().unwrap()]);
    sandbox
        .git_in(&other, ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "module"]);
    assert!(checked(&sandbox, &other.join("module")).is_some());
}

#[test]
fn in_repositories_with_other_formats() {
    for init in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let sandbox = Sandbox::new();
        let mut args = vec!["init", "-q", "-b", "main"];
        args.extend(init);
        sandbox.git(&args);
        assert_eq!(checked(&sandbox, &sandbox.work()), None, "{init:?}");
        sandbox.commit("first");
        assert!(checked(&sandbox, &sandbox.work()).is_some(), "{init:?}");
    }
}

#[test]
fn through_symbolic_refs() {
    let sandbox = Sandbox::repository();
    sandbox.git(["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    sandbox.git(["symbolic-ref", "HEAD", "refs/heads/alias"]);
    assert!(checked(&sandbox, &sandbox.work()).is_some());
}

#[test]
fn hostile_heads_read_nothing_outside() {
    let sandbox = Sandbox::repository();
    sandbox.write("secret", "f".repeat(40));
    for text in [
        "ref: refs/../../secret\n",
        "ref: /etc/passwd\n",
        "ref: refs/heads/../../../secret\n",
        "\u{0}\u{1}",
        "",
        "ref:",
    ] {
        sandbox.write(".git/HEAD", text);
        if let Location::WorkTree(repository) = locate(&sandbox.work()).unwrap() {
            assert_ne!(head(&repository).unwrap(), Some("f".repeat(40)), "{text:?}");
        }
    }
}

#[test]
fn places_without_a_work_tree_are_told_apart() {
    let sandbox = Sandbox::new();
    assert_eq!(locate(&sandbox.work()).unwrap(), Location::Outside);
    let bare = sandbox.outside("bare.git");
    sandbox.git(["init", "-q", "--bare", bare.to_str().unwrap()]);
    assert_eq!(locate(&bare).unwrap(), Location::Bare(bare.clone()));
    assert_eq!(locate(&bare.join("refs")).unwrap(), Location::Bare(bare.clone()));
    assert!(matches!(repository::locate_with_git(&bare).unwrap(), Location::Bare(_)));
    assert_eq!(repository::locate_with_git(&sandbox.work()).unwrap(), Location::Outside);
}
