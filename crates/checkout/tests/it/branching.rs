//! Going to the branch of a feature.

use crate::fixture::{
    USER, begin, behind, checkout, configure, create, current, diverged, empty_repository, enter, noted,
    repository, stay, subject, vouched,
};
use charrette_checkout::{BranchReport, PortError};
use charrette_testkit::Sandbox;

/// Settings under which no remote is missed.
const ALONE: &str = "[preflight]\nfetch = \"off\"\n";

fn alone() -> Sandbox {
    let sandbox = repository("main");
    configure(&sandbox, ALONE);
    begin(&sandbox);
    sandbox
}

fn made(name: &str) -> BranchReport {
    BranchReport { name: format!("{USER}/{name}"), created: true, warnings: Vec::new() }
}

#[test]
fn a_branch_is_made_from_the_remotes_main_and_noted() {
    for main in ["main", "trunk"] {
        let sandbox = behind(main);
        begin(&sandbox);
        let checkout = checkout(&sandbox);
        assert_eq!(create(&checkout), Ok(made("add-login")));
        assert_eq!(current(&sandbox), "ada-lovelace/add-login");
        assert_eq!(
            (subject(&sandbox, "HEAD").as_str(), subject(&sandbox, main).as_str()),
            ("second", "first")
        );
        assert_eq!(sandbox.git(["for-each-ref", "--format=%(upstream)", "refs/heads/ada-lovelace"]), "");
        assert_eq!(noted(&sandbox).as_deref(), Some("ada-lovelace/add-login"));
        // Once more, as after a crash: from there, and from elsewhere.
        assert_eq!(create(&checkout), Ok(made("add-login")));
        sandbox.git(["switch", "-q", main]);
        assert_eq!(create(&checkout), Ok(made("add-login")));
        assert_eq!(current(&sandbox), "ada-lovelace/add-login");
        assert_eq!(enter(&checkout).unwrap().decision, "reuse");
    }
}

#[test]
fn a_branch_made_here_counts_as_the_users_whatever_it_is_called() {
    let sandbox = alone();
    let said = "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=team CURRENT_BRANCH=main";
    assert_eq!(create(&vouched(&sandbox, Some(said))).unwrap().name, "team/add-login");
    let entrance = enter(&checkout(&sandbox)).unwrap();
    assert_eq!((entrance.current.as_str(), entrance.decision.as_str()), ("team/add-login", "reuse"));
}

#[test]
fn a_branch_that_another_worktree_took_first_is_left_to_it() {
    let sandbox = alone();
    let checkout = checkout(&sandbox);
    assert_eq!(create(&checkout), Ok(made("add-login")));
    // As if a run in another worktree had created the branch between our record of it and its creation.
    sandbox.git(["switch", "-q", "main"]);
    let other = sandbox.outside("other");
    sandbox.git(["worktree", "add", "-q", other.to_str().unwrap(), "ada-lovelace/add-login"]);
    assert_eq!(create(&checkout), Ok(made("add-login-2")));
    assert_eq!(current(&sandbox), "ada-lovelace/add-login-2");
    assert_eq!(noted(&sandbox).as_deref(), Some("ada-lovelace/add-login-2"));
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let sandbox = alone();
    sandbox.git(["branch", "ada-lovelace/add-login"]);
    sandbox.git(["branch", "ada-lovelace/add-login-2/deeper"]);
    sandbox.git(["update-ref", "refs/remotes/origin/ada-lovelace/add-login-3", "HEAD"]);
    assert_eq!(create(&checkout(&sandbox)), Ok(made("add-login-4")));
    assert_eq!(noted(&sandbox).as_deref(), Some("ada-lovelace/add-login-4"));
}

#[test]
fn a_run_that_stays_keeps_its_branch() {
    let sandbox = alone();
    let stays = |warnings: &[&str]| {
        let warnings = warnings.iter().map(|&warning| warning.to_owned()).collect();
        Ok(BranchReport { name: "main".to_owned(), created: false, warnings })
    };
    assert_eq!(stay(&checkout(&sandbox), "main"), stays(&[]));
    assert_eq!(
        stay(&checkout(&sandbox), "other"),
        stays(&["**⚠ The run began on 'other', and 'main' is checked out now.**"])
    );
    let said = "IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=p CURRENT_BRANCH=p/x";
    assert_eq!(stay(&vouched(&sandbox, Some(said)), "p/x"), stays(&[]));
    assert_eq!(noted(&sandbox), None);
    let empty = empty_repository("trunk");
    assert_eq!(create(&checkout(&empty)).unwrap().name, "trunk");
    assert_eq!(create(&checkout(&Sandbox::new())), Ok(BranchReport::default()));
}

#[test]
fn uncommitted_changes_move_along_or_block_the_switch() {
    let sandbox = behind("main");
    begin(&sandbox);
    sandbox.git(["switch", "-q", "-c", "ada-lovelace/search"]);
    sandbox.write("file", "changed");
    let Err(PortError::Refused(said)) = create(&checkout(&sandbox)) else { panic!("not refused") };
    assert!(said.starts_with("cannot switch to branch 'ada-lovelace/add-login': "), "{said}");
    assert!(
        said.ends_with("\nCommit or stash your changes first; nothing was lost.\nThen resume the run."),
        "{said}"
    );
    assert_eq!(
        (sandbox.read("file").as_str(), current(&sandbox).as_str()),
        ("changed", "ada-lovelace/search")
    );
    sandbox.git(["checkout", "-q", "file"]);
    sandbox.write("new", "new");
    assert_eq!(create(&checkout(&sandbox)), Ok(made("add-login")));
    assert_eq!((sandbox.read("new").as_str(), sandbox.read("file").as_str()), ("new", "second"));
}

#[test]
fn what_is_only_on_the_local_main_is_mentioned() {
    let sandbox = diverged("main");
    begin(&sandbox);
    assert_eq!(
        create(&checkout(&sandbox)).unwrap().warnings,
        ["**⚠ Commits on main that origin/main does not have are not on the new branch: 1.**"]
    );
}

#[test]
fn a_caller_cannot_smuggle_anything_in_by_the_prefix() {
    for (prefix, name) in [
        ("--orphan", "orphan/add-login"),
        ("../../x", "x/add-login"),
        ("$(touch${IFS}pwned)", "$(touch${IFS}pwned)/add-login"),
        ("wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinha/add-login"),
    ] {
        let sandbox = alone();
        let said = format!("IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX={prefix} CURRENT_BRANCH=main");
        assert_eq!(create(&vouched(&sandbox, Some(&said))).unwrap().name, name);
        assert_eq!(current(&sandbox), name);
        assert!(!sandbox.path("pwned").exists());
    }
}

#[test]
fn a_configured_main_cannot_smuggle_options_into_git() {
    for main in ["--upload-pack=touch pwned", "-x", "../../x"] {
        let sandbox = repository("main");
        configure(&sandbox, &format!("[preflight]\nmain = \"{main}\"\n"));
        begin(&sandbox);
        let said = format!("'{main}' is not a valid branch name");
        assert_eq!(create(&checkout(&sandbox)), Err(PortError::Failed(said)));
        assert_eq!((current(&sandbox).as_str(), noted(&sandbox)), ("main", None));
        assert!(!sandbox.path("pwned").exists());
    }
}

#[test]
fn a_document_cannot_send_git_anywhere() {
    let sandbox = alone();
    let document = ".claude/state/design-add-login.json";
    let text = sandbox.read(document).replace("\"id\": \"r\"", "\"id\": \"r\", \"branch\": \"--detach\"");
    sandbox.write(document, text);
    assert_eq!(create(&checkout(&sandbox)), Ok(made("add-login")));
}

#[test]
fn a_repository_that_cannot_be_written_says_why_and_can_be_tried_again() {
    let sandbox = alone();
    sandbox.write(".git/HEAD.lock", "");
    let Err(PortError::Failed(said)) = create(&checkout(&sandbox)) else { panic!("it did not fail") };
    assert!(said.starts_with("cannot switch to branch 'ada-lovelace/add-login': "), "{said}");
    assert_eq!(current(&sandbox), "main");
    fs_err::remove_file(sandbox.path(".git/HEAD.lock")).unwrap();
    assert_eq!(create(&checkout(&sandbox)), Ok(made("add-login")));
}

#[test]
fn a_run_without_a_document_still_gets_its_branch() {
    let sandbox = repository("main");
    configure(&sandbox, ALONE);
    let branched = create(&checkout(&sandbox)).unwrap();
    assert_eq!(branched.name, "ada-lovelace/add-login");
    assert!(branched.warnings[0].contains("Cannot record the new branch"), "{:?}", branched.warnings);
}

#[test]
fn a_prefix_that_is_a_branch_is_in_the_way() {
    let sandbox = alone();
    sandbox.git(["branch", USER]);
    let Err(PortError::Failed(said)) = create(&checkout(&sandbox)) else { panic!("it did not fail") };
    assert!(said.contains("ada-lovelace"), "{said}");
    assert_eq!(current(&sandbox), "main");
}

#[test]
fn submodules_that_do_not_come_along_are_mentioned() {
    let library = repository("main");
    let sandbox = behind("main");
    let path = library.work();
    sandbox.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        path.to_str().unwrap(),
        "lib",
    ]);
    sandbox.commit("a library");
    assert_eq!(enter(&checkout(&sandbox)).unwrap().warnings, [""; 0], "it stands where it should");
    sandbox.git(["push", "-q", "origin", "main"]);
    begin(&sandbox);
    assert_eq!(create(&checkout(&sandbox)), Ok(made("add-login")));
    // The remote's main wants another commit of it.
    sandbox.git(["switch", "-q", "main"]);
    let lib = sandbox.path("lib");
    sandbox.git_in(&lib, ["commit", "-q", "--allow-empty", "-m", "next"]);
    sandbox.git(["commit", "-q", "-a", "-m", "next library"]);
    sandbox.git(["push", "-q", "origin", "main"]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.git_in(&lib, ["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(
        enter(&checkout(&sandbox)).unwrap().warnings,
        ["**⚠ Submodules are not as committed here. To bring them along: git submodule update --init**"]
    );
}
