//! What is watched where the environment and the user's own configuration count. The watch is a child process of the test,
//! which is this program with another name of a test.

use crate::tree::with_own_work;
use crate::watched::{describe, shell};
use charrette_checkout::tree::UserGitFiles;
use charrette_checkout::{Surroundings, TreeWatch};
use charrette_model::tree::OwnPaths;
use charrette_testkit::Sandbox;
use std::path::PathBuf;
use std::process::Command;

/// Beginning of a line that the child prints.
const MARK: &str = "changed: ";

/// Changes while a shell script runs in the work tree, as a driver with these variables sees them.
fn changes(sandbox: &Sandbox, variables: &[(&str, &str)], act: &str) -> Vec<String> {
    let output = sandbox
        .command(std::env::current_exe().unwrap())
        .args(["--exact", "watched_elsewhere::the_child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("ACT", act)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let home = format!("{}/", sandbox.home().canonicalize().unwrap().display());
    text.lines().filter_map(|line| line.strip_prefix(MARK)).map(|line| line.replace(&home, "~/")).collect()
}

#[test]
#[ignore = "the child of the other tests"]
fn the_child() {
    charrette_git::set_environment(&std::env::vars_os().collect());
    let root = std::env::current_dir().unwrap().canonicalize().unwrap();
    let home = PathBuf::from(std::env::var_os("HOME").unwrap()).canonicalize().unwrap();
    let user = UserGitFiles {
        configuration: vec![home.join(".gitconfig")],
        rules: Vec::new(),
        home: Some(home.clone()),
    };
    let watch = TreeWatch::new(root, OwnPaths::default(), Surroundings { user, state: None });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let before = runtime.block_on(watch.snapshot()).unwrap();
    runtime.block_on(watch.copy_head(home.join("copy"))).unwrap();
    let mut act = Command::new("sh");
    assert!(act.args(["-ec", &std::env::var("ACT").unwrap()]).status().unwrap().success());
    let after = runtime.block_on(watch.snapshot()).unwrap();
    let changes = runtime.block_on(watch.changes(before, after)).unwrap();
    for change in describe(&changes) {
        println!("\n{MARK}{change}");
    }
    runtime.block_on(watch.patch(changes.clone())).unwrap();
    runtime.block_on(watch.undo(changes)).unwrap();
}

/// A repository whose `.git` is beside the work tree, with another one in `dep`; and the variables that say so.
fn elsewhere() -> (Sandbox, [String; 2]) {
    let sandbox = with_own_work();
    shell(
        &sandbox,
        "git init -q dep; cd dep; echo x > x.txt; git add .; git commit -q -m x; cd ..; mv .git ../gd.git",
    );
    let place = |name: &str| sandbox.outside(name).canonicalize().unwrap().to_str().unwrap().to_owned();
    let places = [place("gd.git"), place("work")];
    (sandbox, places)
}

#[test]
fn a_repository_that_the_environment_names_is_watched() {
    for (act, expected) in [
        ("true", &[][..]),
        ("git config core.sshCommand evil", &["modified .git/config"]),
        ("echo evil > $GIT_DIR/hooks/pre-commit", &["added .git/hooks/pre-commit"]),
        ("git update-index --assume-unchanged a.txt; echo evil >> a.txt", &["modified a.txt"]),
        ("git branch evil; git tag evil", &["added .git/refs/heads/evil", "added .git/refs/tags/evil"]),
        ("echo evil > dep/x.txt", &["modified dep/x.txt"]),
        ("echo evil > new.txt", &["added new.txt"]),
    ] {
        let (sandbox, [git_dir, work_tree]) = elsewhere();
        let variables = [("GIT_DIR", git_dir.as_str()), ("GIT_WORK_TREE", work_tree.as_str())];
        assert_eq!(changes(&sandbox, &variables, act), expected, "{act}");
        let copied = sandbox.home().join("copy/a.txt");
        assert_eq!(fs_err::read_to_string(copied).unwrap(), "one\ntwo\n", "the copy has what HEAD has");
    }
}

#[test]
fn what_changed_in_a_repository_that_the_environment_names_is_undone() {
    let (sandbox, [git_dir, work_tree]) = elsewhere();
    let variables = [("GIT_DIR", git_dir.as_str()), ("GIT_WORK_TREE", work_tree.as_str())];
    let act = "git config core.worktree /nowhere; echo evil >> a.txt; echo evil > new.txt";
    let found = changes(&sandbox, &variables, act);
    assert_eq!(found, ["modified a.txt", "added new.txt", "modified .git/config"]);
    assert_eq!((sandbox.read("a.txt"), sandbox.path("new.txt").exists()), ("one\ntwo\n".to_owned(), false));
}

#[test]
fn bytes_that_a_filter_of_the_user_leaves_out_are_found() {
    for (act, expected) in [
        ("rm a.nb; git checkout -q a.nb; touch a.nb b.nb", &[][..]),
        ("echo 'OUTPUT evil' >> a.nb; git add a.nb", &["modified a.nb"]),
    ] {
        let sandbox = with_own_work();
        shell(
            &sandbox,
            "git config --global filter.strip.clean 'grep -v ^OUTPUT'; git config --global filter.strip.smudge cat; \
             echo '*.nb filter=strip' > .gitattributes; echo text > a.nb; echo text > b.nb; \
             git add .gitattributes a.nb b.nb; git commit -q -m notebooks",
        );
        assert_eq!(changes(&sandbox, &[], act), expected, "{act}");
    }
}
