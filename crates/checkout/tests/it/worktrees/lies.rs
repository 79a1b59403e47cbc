//! What agents may do to the link between their worktree and the repository: none of it counts, all of it is told.

use crate::workshop::{Workshop, git, order, told, write};
use charrette_engine::ports::worktrees::WorktreeOrder;
use std::path::{Path, PathBuf};

/// A way to cheat, and what is said about it.
struct Lie {
    name: &'static str,
    tell: fn(&Workshop, &Path),
    expected: &'static str,
}

const LIES: &[Lie] = &[
    Lie {
        name: "a .git file that leads elsewhere",
        tell: |_, folder| fs_err::write(folder.join(".git"), "gitdir: /tmp/elsewhere\n").unwrap(),
        expected: "the file .git of the worktree was changed",
    },
    Lie {
        name: "no .git file",
        tell: |_, folder| fs_err::remove_file(folder.join(".git")).unwrap(),
        expected: "the file .git of the worktree was removed",
    },
    Lie {
        name: "a repository of its own",
        tell: |_, folder| {
            fs_err::remove_file(folder.join(".git")).unwrap();
            git(folder, &["init", "-q"]);
        },
        expected: "the file .git of the worktree was replaced by something else",
    },
    Lie {
        name: "a link",
        tell: |workshop, folder| {
            fs_err::remove_file(folder.join(".git")).unwrap();
            std::os::unix::fs::symlink(workshop.sandbox.path(".git"), folder.join(".git")).unwrap();
        },
        expected: "the file .git of the worktree was replaced by something else",
    },
    Lie {
        name: "a commit",
        tell: |_, folder| {
            git(folder, &["add", "-A"]);
            git(folder, &["commit", "-q", "-m", "mine"]);
        },
        expected: "HEAD of the worktree was moved",
    },
    Lie {
        name: "a commit that is taken back",
        tell: |_, folder| {
            git(folder, &["add", "-A"]);
            git(folder, &["commit", "-q", "-m", "mine"]);
            git(folder, &["reset", "-q", "HEAD~1"]);
        },
        expected: "HEAD of the worktree was moved and is in its log",
    },
    Lie {
        name: "a branch",
        tell: |_, folder| {
            git(folder, &["branch", "mine"]);
        },
        expected: "refs/heads/mine was made, moved or deleted",
    },
    Lie {
        name: "a moved tag",
        tell: |_, folder| {
            git(folder, &["tag", "-f", "v1", "HEAD~1"]);
        },
        expected: "refs/tags/v1 was made, moved or deleted",
    },
    Lie {
        name: "a stash",
        tell: |_, folder| {
            write(folder, "src/lib.py", "stashed\n");
            git(folder, &["stash", "-q"]);
            write(folder, "src/lib.py", "changed\n");
        },
        expected: "a stash was made",
    },
    Lie {
        name: "a setting",
        tell: |_, folder| {
            git(folder, &["config", "core.fsmonitor", "/bin/evil"]);
        },
        expected: ".git/config was changed",
    },
    Lie {
        name: "a hook",
        tell: |workshop, _| workshop.sandbox.write(".git/hooks/post-merge", "#!/bin/sh\nevil\n"),
        expected: ".git/hooks/post-merge was changed",
    },
    Lie {
        name: "an exclusion",
        tell: |workshop, _| workshop.sandbox.write(".git/info/exclude", "/src\n"),
        expected: ".git/info/exclude was changed",
    },
    Lie {
        name: "a replaced object",
        tell: |_, folder| {
            git(folder, &["replace", "HEAD", "HEAD~1"]);
        },
        expected: "refs/replace/",
    },
    Lie {
        name: "a repository among the tracked files",
        tell: |_, folder| {
            git(&folder.join("src"), &["init", "-q"]);
        },
        expected: "src was made a git repository of its own",
    },
    Lie {
        name: "a repository in a new folder",
        tell: |_, folder| {
            write(folder, "sub/a", "a");
            git(&folder.join("sub"), &["init", "-q"]);
            git(&folder.join("sub"), &["add", "a"]);
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
            git(&folder.join("sub"), &[&identity[..], &["commit", "-q", "-m", "a"]].concat());
        },
        expected: "sub is a git repository of its own",
    },
    Lie {
        name: "an empty repository in a new folder",
        tell: |_, folder| {
            write(folder, "sub/a", "a");
            git(&folder.join("sub"), &["init", "-q"]);
        },
        expected: "git could not store everything",
    },
    Lie {
        name: "a file that git must not look at",
        tell: |_, folder| {
            git(folder, &["update-index", "--assume-unchanged", "src/lib.py"]);
        },
        expected: "git was told not to look at src/lib.py",
    },
    Lie {
        name: "a file that is said to be elsewhere",
        tell: |_, folder| {
            git(folder, &["update-index", "--skip-worktree", "src/lib.py"]);
        },
        expected: "git was told not to look at src/lib.py",
    },
    Lie {
        name: "a HEAD that is none",
        tell: |workshop, _| workshop.sandbox.write(".git/worktrees/T001/HEAD", "EVIL\n"),
        expected: "HEAD of the worktree was moved",
    },
    Lie {
        name: "another repository behind it",
        tell: |workshop, _| {
            let other = workshop.sandbox.outside("other");
            fs_err::create_dir(&other).unwrap();
            git(&other, &["init", "-q", "--bare"]);
            let text = format!("{}\n", other.display());
            workshop.sandbox.write(".git/worktrees/T001/commondir", text);
        },
        expected: "commondir was changed",
    },
    Lie {
        name: "no files of its own in the repository",
        tell: |workshop, _| fs_err::remove_dir_all(workshop.sandbox.path(".git/worktrees/T001")).unwrap(),
        expected: "HEAD of the worktree was moved",
    },
    Lie {
        name: "an index that is none",
        tell: |workshop, _| workshop.sandbox.write(".git/worktrees/T001/index", "EVIL\n"),
        expected: "the index of the worktree was damaged",
    },
    Lie {
        name: "a merge in progress",
        tell: |workshop, _| workshop.sandbox.write(".git/worktrees/T001/MERGE_HEAD", "x"),
        expected: "MERGE_HEAD was changed",
    },
];

#[test]
fn none_of_them_is_believed() {
    for lie in LIES {
        let workshop = Workshop::new();
        workshop.sandbox.git(["tag", "v1"]);
        let base = workshop.begin();
        let folder = workshop.prepare("T001", &base.commit);
        write(&folder, "src/lib.py", "changed\n");
        (lie.tell)(&workshop, &folder);
        let change = workshop.capture("T001", &base.commit);
        let tampering = change.tampering.join("\n");
        assert!(tampering.contains(lie.expected), "{}: {tampering:?}", lie.name);
        // What was changed is seen all the same.
        if !lie.name.contains("among") {
            let told = told(&change);
            assert!(told.contains(&"Modified src/lib.py".to_owned()), "{}: {told:?}", lie.name);
        }
        // It stays that way until the worktree is made anew.
        assert_eq!(workshop.capture("T001", &base.commit).tampering, change.tampering, "{}", lie.name);
        // The next attempt begins in a worktree that is whole.
        let again = WorktreeOrder { reset: true, ..order("T001", &base.commit) };
        let folder = PathBuf::from(workshop.try_prepare(again).unwrap().path);
        let text = fs_err::read_to_string(folder.join("src/lib.py")).unwrap();
        assert!(text.starts_with("def one"), "{}: {text}", lie.name);
        assert_eq!(git(&folder, &["rev-parse", "HEAD"]).trim(), base.commit, "{}", lie.name);
        workshop.clean_up(&[]);
        assert_eq!(workshop.traces(), Vec::<String>::new(), "{}", lie.name);
    }
}

#[test]
fn reading_with_git_and_what_the_user_does_meanwhile_is_no_lie() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    write(&folder, "src/lib.py", "changed\n");
    git(&folder, &["status"]);
    git(&folder, &["diff"]);
    git(&folder, &["add", "-A"]);
    // Another task, another tip, a commit and a tag of the user's, a fetch.
    let other = workshop.work("T002", &base.commit, &[("other.py", "x\n")]);
    workshop.advance(&base.commit, &other);
    workshop.sandbox.commit("of the user");
    workshop.sandbox.git(["tag", "v2"]);
    workshop.sandbox.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let change = workshop.capture("T001", &base.commit);
    assert_eq!((told(&change), change.tampering), (vec!["Modified src/lib.py".to_owned()], Vec::new()));
}

#[test]
fn no_program_of_the_agents_choice_runs() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    let (program, mark) = (workshop.sandbox.outside("evil"), workshop.sandbox.outside("it-ran"));
    fs_err::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display())).unwrap();
    fs_err::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    // A repository of its own with programs, that the .git file leads to.
    let evil = workshop.sandbox.outside("evil-repository");
    fs_err::create_dir(&evil).unwrap();
    git(&evil, &["init", "-q"]);
    for folder in [&evil, &workshop.sandbox.work()] {
        for key in [
            "core.fsmonitor",
            "filter.mine.clean",
            "filter.mine.smudge",
            "diff.external",
            "merge.mine.driver",
        ] {
            git(folder, &["config", key, program]);
        }
        write(folder, ".git/hooks/post-checkout", format!("#!/bin/sh\n{program}\n"));
        write(folder, ".git/hooks/post-index-change", format!("#!/bin/sh\n{program}\n"));
        for hook in ["post-checkout", "post-index-change"] {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs_err::set_permissions(folder.join(".git/hooks").join(hook), permissions).unwrap();
        }
    }
    workshop.sandbox.git(["config", "--unset", "core.hooksPath"]);
    fs_err::write(folder.join(".git"), format!("gitdir: {}/.git\n", evil.display())).unwrap();
    write(&folder, ".gitattributes", "* filter=mine diff=mine merge=mine\n");
    write(&folder, "src/lib.py", "changed\n");
    let change = workshop.capture("T001", &base.commit);
    assert!(!change.tampering.is_empty());
    let commit = workshop.commit("T001", &change.tree, &base.commit);
    workshop.merge(&base.commit, &base.commit, &commit);
    workshop.prepare("T002", &commit);
    workshop.clean_up(&[]);
    assert!(!mark.exists(), "{}", fs_err::read_to_string(&mark).unwrap_or_default());
}
