//! Branch facts, and how many git processes they take.

use crate::fixture::{
    begin, checkout, configure, create, empty_repository, enter, repository, root, settings,
};
use charrette_checkout::BranchFacts;
use charrette_testkit::Sandbox;

fn facts(sandbox: &Sandbox) -> BranchFacts {
    BranchFacts::read(&root(sandbox), &settings(sandbox)).unwrap()
}

#[test]
fn branches_and_settings_are_found() {
    let sandbox = repository("trunk");
    sandbox.git(["branch", "ada-lovelace/add-login"]);
    sandbox.git(["update-ref", "refs/remotes/origin/next", "HEAD"]);
    let found = facts(&sandbox);
    assert_eq!((found.current.as_str(), found.main.as_str()), ("trunk", "main"));
    assert_eq!(found.branches, ["ada-lovelace/add-login", "trunk"]);
    assert_eq!((found.user_prefix.as_str(), found.has_commits), ("ada-lovelace", true));
    assert_eq!((found.has_origin, found.has_ssh_command), (false, false));

    sandbox.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next"]);
    sandbox.git(["remote", "add", "origin", "somewhere"]);
    sandbox.git(["config", "core.sshCommand", "ssh -x"]);
    // The last one counts, as everywhere in git.
    sandbox.git(["config", "--add", "user.name", "Grace Hopper"]);
    let found = facts(&sandbox);
    assert_eq!((found.main.as_str(), found.user_prefix.as_str()), ("next", "grace-hopper"));
    assert_eq!((found.has_origin, found.has_ssh_command), (true, true));
}

#[test]
fn detached_and_without_commits() {
    let sandbox = repository("main");
    sandbox.git(["switch", "-q", "--detach"]);
    let found = facts(&sandbox);
    assert_eq!((found.current.as_str(), found.branches.as_slice()), ("", ["main".to_owned()].as_slice()));
    sandbox.git(["checkout", "-q", "--orphan", "new"]);
    let found = facts(&sandbox);
    assert_eq!((found.current.as_str(), found.has_commits), ("new", true));
    assert_eq!(found.branches, ["main", "new"]);
    let found = facts(&empty_repository("trunk"));
    assert_eq!((found.current.as_str(), found.main.as_str(), found.has_commits), ("trunk", "trunk", false));
}

#[test]
fn a_linked_work_tree_has_a_branch_of_its_own() {
    let sandbox = repository("main");
    let linked = sandbox.outside("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    assert_eq!(BranchFacts::read(&linked, &settings(&sandbox)).unwrap().current, "side");
    assert_eq!(facts(&sandbox).current, "main");
}

#[test]
fn a_branch_that_the_remotes_head_points_to_and_that_is_gone_is_not_main() {
    let sandbox = repository("main");
    sandbox.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone"]);
    assert_eq!(facts(&sandbox).main, "main");
}

#[test]
fn facts_are_kept_while_no_branch_moves() {
    let sandbox = repository("main");
    let found = facts(&sandbox);
    // What only the settings say is not asked again, as long as the branches are the same.
    sandbox.git(["config", "user.name", "Grace Hopper"]);
    let renewed = found.clone().refresh(&root(&sandbox), &settings(&sandbox)).unwrap();
    assert_eq!(renewed, found);
    for change in [["branch", "other"], ["switch", "other"], ["switch", "--detach"]] {
        let before = facts(&sandbox);
        sandbox.git(change);
        let renewed = before.clone().refresh(&root(&sandbox), &settings(&sandbox)).unwrap();
        assert_eq!((renewed == before, renewed), (false, facts(&sandbox)), "{change:?}");
    }
}

#[test]
fn a_branch_that_came_up_between_entering_and_branching_is_seen() {
    let sandbox = repository("main");
    configure(&sandbox, "[preflight]\nfetch = \"off\"\n");
    begin(&sandbox);
    let checkout = checkout(&sandbox);
    assert_eq!(enter(&checkout).unwrap().decision, "create");
    sandbox.git(["branch", "ada-lovelace/add-login"]);
    assert_eq!(create(&checkout).unwrap().name, "ada-lovelace/add-login-2");
}
