//! `charrette dirty-tree`: exact lines, exit 0, and lists beside the answer.

use crate::charrette;
use charrette_testkit::Sandbox;

fn lines(sandbox: &Sandbox, args: &str) -> String {
    let args: Vec<&str> = ["dirty-tree"].into_iter().chain(args.split_whitespace()).collect();
    let output = charrette(sandbox, &args);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{args:?}");
    output.stdout
}

fn bytes(sandbox: &Sandbox, name: &str) -> Vec<u8> {
    fs_err::read(sandbox.outside(name)).unwrap()
}

#[test]
fn a_checkpoint_is_clean_or_dirty() {
    let sandbox = Sandbox::repository();
    sandbox.write(".gitignore", "ignored\n");
    sandbox.git(["add", "."]);
    sandbox.commit("ignoring");
    sandbox.write("ignored", "x");
    assert_eq!(lines(&sandbox, "--mode checkpoint"), "STATUS=clean\nMODE=checkpoint\n");
    sandbox.write("sub/new", "x");
    let dirty = "STATUS=dirty\nMODE=checkpoint\nREASON=checkpoint-dirty\n";
    assert_eq!(lines(&sandbox, "--mode checkpoint"), dirty);
    fs_err::create_dir(sandbox.path("elsewhere")).unwrap();
    assert_eq!(charrette(&sandbox, &["-C", "elsewhere", "dirty-tree", "--mode", "checkpoint"]).stdout, dirty);
    assert_eq!(lines(&sandbox, "--mode checkpoint --output ../answer"), dirty);
    assert_eq!(bytes(&sandbox, "answer"), dirty.as_bytes());
    assert!(!sandbox.outside("answer.tracked-paths").exists());
    assert_eq!(lines(&sandbox, "--mode checkpoint --output /dev/null"), dirty);
}

#[test]
fn a_baseline_tells_new_files_from_old_ones() {
    let sandbox = Sandbox::repository();
    sandbox.write("known", "1");
    sandbox.write("staged", "1");
    sandbox.git(["add", "."]);
    sandbox.commit("files");
    sandbox.write("mine", "x");
    fs_err::write(sandbox.outside("list"), "mine\0").unwrap();
    let ask = "--mode baseline --baseline ../list --output ../answer";
    assert_eq!(lines(&sandbox, ask), "STATUS=clean\nMODE=baseline\n");

    sandbox.write("known", "2");
    sandbox.write("staged", "2");
    sandbox.git(["add", "staged"]);
    sandbox.write("dir/new\nline", "x");
    sandbox.write("-dash", "x");
    let dirty = "STATUS=dirty\nMODE=baseline\nREASON=working-tree-dirty\n";
    assert_eq!(lines(&sandbox, ask), dirty);
    assert_eq!(bytes(&sandbox, "answer"), dirty.as_bytes());
    assert_eq!(bytes(&sandbox, "answer.tracked-paths"), b"known\0staged\0");
    assert_eq!(bytes(&sandbox, "answer.new-untracked-paths"), b"-dash\0dir/new\nline\0");

    let ambiguous = "STATUS=unknown\nMODE=baseline\nREASON=baseline-missing-untracked-ambiguous\n";
    assert_eq!(lines(&sandbox, "--mode baseline --baseline ../gone --output ../answer"), ambiguous);
    assert!(sandbox.outside("answer.tracked-paths").exists());
    assert!(!sandbox.outside("answer.new-untracked-paths").exists(), "an old list is no answer");
    assert_eq!(sandbox.git(["status", "--porcelain"]).lines().count(), 5, "nothing is restored");
}

#[test]
fn git_failures_are_unknown_with_exit_0() {
    let sandbox = Sandbox::repository();
    for (args, mode, reason) in [
        ("", "unknown", "mode-missing"),
        ("--mode other", "unknown", "bad-mode"),
        ("--mode checkpoint --help", "checkpoint", "unknown-flag"),
        ("--mode baseline", "baseline", "baseline-required"),
        ("--mode baseline --baseline .", "baseline", "baseline-unreadable"),
        ("--mode checkpoint --output ./gone/answer", "checkpoint", "output-write-failed"),
    ] {
        let expected = format!("STATUS=unknown\nMODE={mode}\nREASON={reason}\n");
        assert_eq!(lines(&sandbox, args), expected, "{args}");
    }
    let wrong = "STATUS=unknown\nMODE=unknown\nREASON=bad-mode\n";
    assert_eq!(lines(&sandbox, "--output ../answer --mode x"), wrong);
    assert_eq!(bytes(&sandbox, "answer"), wrong.as_bytes());

    let nowhere = Sandbox::new();
    let failed = "STATUS=unknown\nMODE=checkpoint\nREASON=git-status-failed\n";
    assert_eq!(lines(&nowhere, "--mode checkpoint"), failed);
    sandbox.write(".git/index", "rubbish");
    assert_eq!(lines(&sandbox, "--mode checkpoint"), failed);
}
