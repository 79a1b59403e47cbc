//! Output of git, and its error messages.

use crate::repository;
use charrette_git::{Git, GitError};
use charrette_testkit::Sandbox;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

#[test]
fn output_is_read_as_bytes_text_or_success() {
    let sandbox = repository();
    let folder = sandbox.work();
    let git = Git::new(&folder);
    assert_eq!(git.bytes(&["ls-files", "-z"]).unwrap(), b"a.txt\0");
    assert_eq!(git.text(&["log", "-1", "--format=%s%n"]).unwrap(), "a file");
    assert_eq!(git.find(&["config", "user.name"]).as_deref(), Some("Ada L"));
    assert_eq!(git.find(&["config", "no.such"]), None);
    assert_eq!(git.find(&["ls-files", "nothing"]), None, "nothing printed");
    assert!(git.succeeds(&["rev-parse", "--verify", "-q", "HEAD"]));
    assert!(!git.succeeds(&["rev-parse", "--verify", "-q", "no-such-branch"]));
    assert!(Git::new(Path::new(".")).succeeds(&["--version"]));
}

#[test]
fn errors_have_gits_own_words() {
    let sandbox = Sandbox::new();
    let folder = sandbox.work();
    let error = Git::new(&folder).text(&["status", "-z"]).unwrap_err();
    assert!(error.to_string().starts_with("git status: fatal: not a git repository"), "{error}");
    assert!(error.reason().starts_with("fatal: not a git repository"), "{error}");
    let error = Git::new(&sandbox.outside("nowhere")).text(&["status"]).unwrap_err();
    assert!(matches!(&error, GitError::NotRun(_)), "{error:?}");
    assert_eq!(error.to_string(), error.reason());
    assert!(error.reason().starts_with("cannot run git: "), "{error}");
    let repository = repository();
    let error = Git::new(&repository.work()).text(&["rev-parse", "-q", "--verify", "x"]).unwrap_err();
    assert_eq!(error.reason(), "git failed (exit status: 1)", "it said nothing");
}

#[test]
fn names_are_taken_literally_and_may_be_any_bytes() {
    let sandbox = repository();
    let odd = OsStr::from_bytes(b"odd \xff\n*");
    fs_err::write(sandbox.work().join(odd), "x").unwrap();
    sandbox.git(["add", "."]);
    let folder = sandbox.work();
    let git = Git::new(&folder);
    assert_eq!(git.bytes(&["ls-files", "-z", "*"]).unwrap(), b"");
    assert_eq!(git.bytes(&[OsStr::new("ls-files"), OsStr::new("-z"), odd]).unwrap(), b"odd \xff\n*\0");
    let blob = sandbox.git(["rev-parse", "HEAD:a.txt"]);
    assert_eq!(
        git.bytes_from(&["hash-object", "--stdin"], b"one\n").unwrap(),
        format!("{blob}\n").as_bytes()
    );
}

#[test]
fn long_input_and_long_output_do_not_wait_for_each_other() {
    let sandbox = repository();
    let names: Vec<u8> = (0..100_000).flat_map(|n| format!("a-long-name-{n}: x\n").into_bytes()).collect();
    let answer = Git::new(&sandbox.work()).bytes_from(&["stripspace"], &names).unwrap();
    assert_eq!(answer.len(), names.len());
    // Git ends at the first word without having read the rest.
    assert!(Git::new(&sandbox.work()).bytes_from(&["mktree"], &names).is_err());
}

#[test]
fn reading_leaves_the_index_as_it_is() {
    let sandbox = repository();
    let index = sandbox.path(".git/index");
    let before = fs_err::read(&index).unwrap();
    fs_err::File::open(sandbox.path("a.txt")).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(Git::new(&sandbox.work()).text(&["status", "--porcelain"]).unwrap(), "");
    assert_eq!(fs_err::read(&index).unwrap(), before);
    sandbox.git(["status"]);
    assert_ne!(fs_err::read(&index).unwrap(), before, "a plain git writes it, or nothing is proven");
}

#[test]
fn a_worktree_is_that_of_its_git_folder_whatever_its_own_file_says() {
    let sandbox = repository();
    let linked = sandbox.outside("linked");
    sandbox.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let (root, git_dir) = (sandbox.work(), sandbox.path(".git/worktrees/linked"));
    let git = Git::new(&root).in_worktree(&git_dir, &linked);
    fs_err::write(linked.join(".git"), "gitdir: /nowhere\n").unwrap();
    fs_err::write(linked.join("new.txt"), "new").unwrap();
    assert_eq!(git.text(&["status", "--porcelain"]).unwrap(), "?? new.txt");
    assert_eq!(git.text(&["rev-parse", "--show-prefix"]).unwrap(), "");
    assert!(Git::new(&linked).text(&["status"]).is_err());
}

#[test]
fn settings_win_and_several_exit_codes_can_be_answers() {
    let sandbox = repository();
    let root = sandbox.work();
    let git = Git::new(&root).with_settings(&["user.name=Somebody Else"]);
    assert_eq!(git.text(&["config", "user.name"]).unwrap(), "Somebody Else");
    assert_eq!(git.answer(&["config", "no.such"], &[0, 1]).unwrap(), (1, Vec::new()));
    assert_eq!(git.answer(&["config", "user.name"], &[0, 1]).unwrap(), (0, b"Somebody Else\n".to_vec()));
    assert!(git.answer(&["config", "no.such"], &[0]).is_err());
}

#[test]
fn output_is_read_up_to_a_limit() {
    let sandbox = repository();
    fs_err::write(sandbox.path("long.txt"), "a line\n".repeat(1 << 20)).unwrap();
    let root = sandbox.work();
    let git = Git::new(&root);
    let args = ["diff", "--no-index", "--", "/dev/null", "long.txt"];
    let cut = git.bytes_limited(&args, 1000).unwrap();
    assert_eq!((cut.bytes.len(), cut.is_cut), (1000, true));
    let whole = git.bytes_limited(&["rev-parse", "HEAD"], 1000).unwrap();
    assert_eq!((whole.bytes.len(), whole.is_cut), (41, false));
    assert!(git.bytes_limited(&["rev-parse", "--verify", "nothing"], 1000).is_err());
}
