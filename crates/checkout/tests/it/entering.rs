//! The probe, the gate and the preflight.

use crate::fixture::{
    USER, begin, checkout, configure, current, empty_repository, enter, preflight_refused, repository,
    vouched,
};
use charrette_checkout::{EntryReport, PortError};
use charrette_testkit::Sandbox;

/// Settings under which no remote is missed.
const ALONE: &str = "[preflight]\nfetch = \"off\"\n";

fn on(branch: &str, decision: &str) -> EntryReport {
    EntryReport {
        current: branch.to_owned(),
        user_prefix: USER.to_owned(),
        decision: decision.to_owned(),
        is_dirty: false,
        warnings: Vec::new(),
    }
}

#[test]
fn from_a_clean_main_a_branch_is_made_whatever_main_is_called() {
    for main in ["main", "master", "trunk"] {
        let sandbox = repository(main);
        configure(&sandbox, ALONE);
        assert_eq!(enter(&checkout(&sandbox)), Ok(on(main, "create")));
    }
}

#[test]
fn a_dirty_main_is_refused_and_left_as_it_is() {
    let sandbox = repository("main");
    configure(&sandbox, ALONE);
    let refused = || Err(PortError::Refused(preflight_refused("Working tree is not clean")));
    sandbox.write("file", "changed");
    assert_eq!(enter(&checkout(&sandbox)), refused());
    assert_eq!(sandbox.read("file"), "changed");
    sandbox.git(["add", "file"]);
    assert_eq!(enter(&checkout(&sandbox)), refused(), "staged");
    sandbox.git(["reset", "-q", "--hard"]);
    sandbox.write("new", "untracked");
    assert_eq!(enter(&checkout(&sandbox)), refused(), "untracked");
}

#[test]
fn our_own_folders_and_new_specifications_are_no_dirt() {
    let sandbox = repository("main");
    configure(&sandbox, ALONE);
    begin(&sandbox);
    sandbox.write("specs/add-login/design.md", "new");
    sandbox.write(".specs/20261115-add-login/plan.txt", "plan");
    assert_eq!(enter(&checkout(&sandbox)), Ok(on("main", "create")));
    sandbox.write("specs/stray.md", "not in a folder");
    assert!(matches!(enter(&checkout(&sandbox)), Err(PortError::Refused(_))));
}

#[test]
fn a_branch_of_the_users_is_entered_as_it_is() {
    let sandbox = repository("main");
    for (branch, decision) in [
        ("ada-lovelace/add-login", "reuse"),
        ("ada-lovelace/Login_page", "reuse"),
        ("ada-lovelace/search", "ask"),
    ] {
        sandbox.git(["switch", "-q", "-c", branch]);
        assert_eq!(enter(&checkout(&sandbox)), Ok(on(branch, decision)));
    }
    sandbox.write("file", "changed");
    assert_eq!(
        enter(&checkout(&sandbox)),
        Ok(EntryReport { is_dirty: true, ..on("ada-lovelace/search", "ask") })
    );
}

#[test]
fn somebody_elses_branch_and_no_branch_are_refused() {
    let sandbox = repository("main");
    sandbox.git(["switch", "-q", "-c", "bob/add-login"]);
    assert_eq!(
        enter(&checkout(&sandbox)),
        Err(PortError::Refused(preflight_refused("Not on main branch (current: 'bob/add-login')")))
    );
    sandbox.git(["switch", "-q", "--detach"]);
    assert_eq!(
        enter(&checkout(&sandbox)),
        Err(PortError::Refused(preflight_refused("Not on main branch (current: '')")))
    );
}

#[test]
fn hostile_names_stay_words() {
    let sandbox = repository("main");
    let branch = "bob/$(touch${IFS}pwned);'\"`x`--exec=y";
    sandbox.git(["switch", "-q", "-c", branch]);
    let Err(PortError::Refused(said)) = enter(&checkout(&sandbox)) else { panic!("not refused") };
    assert_eq!(said, preflight_refused(&format!("Not on main branch (current: '{branch}')")));
    sandbox.git(["config", "user.name", "$(touch pwned)"]);
    sandbox.git(["switch", "-q", "main"]);
    configure(&sandbox, ALONE);
    assert_eq!(enter(&checkout(&sandbox)).unwrap().user_prefix, "touch-pwned");
    for main in ["--upload-pack=touch pwned", "-x", "../../x"] {
        let sandbox = repository("main");
        configure(&sandbox, &format!("[preflight]\nmain = \"{main}\"\n"));
        assert!(matches!(enter(&checkout(&sandbox)), Err(PortError::Refused(_))), "{main}");
    }
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn without_commits_everything_stays_where_it_is() {
    let sandbox = empty_repository("trunk");
    sandbox.git(["config", "user.name", ""]);
    sandbox.write("file", "new");
    let entrance = enter(&checkout(&sandbox)).unwrap();
    assert_eq!(
        entrance,
        EntryReport {
            current: "trunk".to_owned(),
            user_prefix: "dev".to_owned(),
            decision: "stay".to_owned(),
            is_dirty: true,
            warnings: vec![
                "**⚠ There are no commits yet, so no branch can be made. Staying on 'trunk'.**".to_owned()
            ],
        }
    );
}

#[test]
fn outside_a_repository_there_is_nothing_to_enter() {
    let entrance = enter(&checkout(&Sandbox::new())).unwrap();
    assert_eq!((entrance.decision.as_str(), entrance.warnings.len()), ("stay", 1));
}

#[test]
fn a_repository_that_is_broken_is_a_failure() {
    let sandbox = repository("main");
    let checkout = checkout(&sandbox);
    sandbox.write(".git/HEAD", "nonsense");
    assert!(matches!(enter(&checkout), Err(PortError::Failed(_))));
}

#[test]
fn complete_branch_info_is_trusted() {
    let sandbox = repository("main");
    sandbox.git(["switch", "-q", "-c", "bob/x"]);
    sandbox.write("file", "changed");
    let said = |line: &str| enter(&vouched(&sandbox, Some(line)));
    let leave = "**⚠ Currently on branch 'topic' which doesn't match the expected 'p/*' pattern. Creating a new branch from main.**";
    for (line, current, decision, warning) in [
        ("IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=p CURRENT_BRANCH=main", "main", "create", None),
        ("IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=p CURRENT_BRANCH=", "", "create", None),
        ("IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=p CURRENT_BRANCH=p/login", "p/login", "reuse", None),
        ("IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=p CURRENT_BRANCH=p/x", "p/x", "ask", None),
        (
            "IS_MAIN=false IS_USER_BRANCH=false USER_PREFIX=p CURRENT_BRANCH=topic",
            "topic",
            "create",
            Some(leave),
        ),
    ] {
        let warnings = warning.into_iter().map(str::to_owned).collect();
        let expected =
            EntryReport { user_prefix: "p".to_owned(), is_dirty: true, warnings, ..on(current, decision) };
        assert_eq!(said(line), Ok(expected), "{line}");
    }
}

#[test]
fn incomplete_branch_info_is_ignored() {
    let sandbox = repository("main");
    sandbox.git(["switch", "-q", "-c", "ada-lovelace/add-login"]);
    for line in ["", "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=p", "CURRENT_BRANCH=main"] {
        let warnings =
            vec!["**⚠ --branch-info is incomplete. Falling back to charrette branch check.**".to_owned()];
        let expected = EntryReport { warnings, ..on("ada-lovelace/add-login", "reuse") };
        assert_eq!(enter(&vouched(&sandbox, Some(line))), Ok(expected), "{line}");
    }
}

#[test]
fn contradictory_branch_info_is_refused() {
    let sandbox = repository("main");
    for (line, error) in [
        (
            "IS_MAIN=yes IS_USER_BRANCH=false USER_PREFIX=p CURRENT_BRANCH=x",
            "invalid value for --is-main: yes",
        ),
        (
            "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX= CURRENT_BRANCH=x",
            "--user-prefix must be non-empty",
        ),
        (
            "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=p CURRENT_BRANCH=--x",
            "missing value for --current-branch",
        ),
    ] {
        assert_eq!(
            enter(&vouched(&sandbox, Some(line))),
            Err(PortError::Refused(format!(
                "GATE_ERROR={error}\n⚠ charrette design: internal Step 0 contract violation in charrette gate entry. Aborting."
            )))
        );
    }
    assert_eq!(current(&sandbox), "main");
}
