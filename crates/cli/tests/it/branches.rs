//! `charrette branch` in every kind of repository, with the real git.

use crate::charrette;
use charrette_testkit::Sandbox;

/// A repository whose first branch is called that, with one commit and a user who has a name.
fn repository(main: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", main]);
    sandbox.git(["config", "user.name", "Ada Lovelace"]);
    sandbox.commit("first");
    sandbox
}

/// The same with a remote called origin, which is one commit ahead of everything here.
fn cloned(main: &str) -> Sandbox {
    let sandbox = repository(main);
    let origin = sandbox.outside("origin.git");
    let origin = origin.to_str().unwrap();
    sandbox.git(["init", "-q", "--bare", "-b", main, origin]);
    sandbox.git(["remote", "add", "origin", origin]);
    sandbox.commit("second");
    sandbox.git(["push", "-q", "origin", main]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.git(["update-ref", "-d", &format!("refs/remotes/origin/{main}")]);
    sandbox
}

fn check(sandbox: &Sandbox) -> String {
    let output = charrette(sandbox, &["branch", "check"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    output.stdout
}

fn lines(current: &str, is_main: bool, is_user_branch: bool, prefix: &str) -> String {
    format!(
        "CURRENT_BRANCH={current}\nIS_MAIN={is_main}\nIS_USER_BRANCH={is_user_branch}\nUSER_PREFIX={prefix}\n"
    )
}

#[test]
fn the_only_branch_is_main_whatever_it_is_called() {
    for main in ["main", "master", "trunk"] {
        assert_eq!(check(&repository(main)), lines(main, true, false, "ada-lovelace"));
    }
}

#[test]
fn with_several_branches_main_comes_before_master() {
    for (branches, main) in [
        (&["main", "master"][..], "main"),
        (&["topic", "master"], "master"),
        (&["topic", "main"], "main"),
        (&["topic", "trunk"], ""),
    ] {
        let sandbox = repository(branches[0]);
        sandbox.git(["branch", branches[1]]);
        for branch in branches {
            sandbox.git(["switch", "-q", branch]);
            assert_eq!(
                check(&sandbox),
                lines(branch, *branch == main, false, "ada-lovelace"),
                "{branches:?}"
            );
        }
    }
}

#[test]
fn configuration_overrides_the_remote_for_the_main_branch() {
    let sandbox = cloned("trunk");
    sandbox.git(["branch", "main"]);
    assert_eq!(check(&sandbox), lines("trunk", false, false, "ada-lovelace"));
    sandbox.git(["fetch", "-q", "origin"]);
    sandbox.git(["remote", "set-head", "origin", "trunk"]);
    assert_eq!(check(&sandbox), lines("trunk", true, false, "ada-lovelace"));
    sandbox.write("charrette.toml", "[preflight]\nmain = \"main\"\n");
    assert_eq!(check(&sandbox), lines("trunk", false, false, "ada-lovelace"));
}

#[test]
fn a_branch_is_the_users_by_its_prefix_or_the_trackers() {
    let sandbox = repository("main");
    for (branch, own) in [
        ("ada-lovelace/add-login", true),
        ("ada-lovelace-x/y", false),
        ("bob/x", false),
        ("feature/x", false),
    ] {
        sandbox.git(["switch", "-q", "-c", branch]);
        assert_eq!(check(&sandbox), lines(branch, false, own, "ada-lovelace"));
    }
    sandbox.write(".claude/config/integrations.json", r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#);
    assert_eq!(check(&sandbox), lines("feature/x", false, true, "ada-lovelace"));
    sandbox.write(".claude/config/integrations.json", "{");
    let output = charrette(&sandbox, &["branch", "check"]);
    assert_eq!((output.code, output.stdout), (Some(0), lines("feature/x", false, false, "ada-lovelace")));
    assert!(output.stderr.starts_with("Warning: "), "{}", output.stderr);
}

#[test]
fn a_detached_head_has_no_name_and_counts_as_main() {
    let sandbox = repository("main");
    sandbox.git(["switch", "-q", "--detach"]);
    assert_eq!(check(&sandbox), lines("", true, false, "ada-lovelace"));
}

#[test]
fn a_repository_without_commits_has_a_main_already() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", "trunk"]);
    assert_eq!(check(&sandbox), lines("trunk", true, false, "dev"));
    let output = charrette(&sandbox, &["branch", "create", "dev/x"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(output.stderr.ends_with("ERROR=could not create branch 'dev/x'\n"), "{}", output.stderr);
    assert_eq!(check(&sandbox), lines("trunk", true, false, "dev"));
}

#[test]
fn the_prefix_is_what_is_left_of_the_users_name() {
    let sandbox = repository("main");
    for (name, prefix) in [
        ("José  Peña", "jos--pea"),
        ("Wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinha"),
        ("李", "dev"),
        ("--upload-pack=x", "upload-packx"),
        ("$(touch pwned)", "touch-pwned"),
        ("", "dev"),
    ] {
        sandbox.git(["config", "user.name", name]);
        assert_eq!(check(&sandbox), lines("main", true, false, prefix), "{name}");
    }
    sandbox.git(["config", "--unset", "user.name"]);
    assert_eq!(check(&sandbox), lines("main", true, false, "dev"));
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn outside_a_repository_there_is_no_branch() {
    let sandbox = Sandbox::new();
    for args in [&["branch", "check"][..], &["branch", "create", "dev/x"]] {
        let output = charrette(&sandbox, args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""));
        assert!(output.stderr.contains("is not in a git repository"), "{}", output.stderr);
    }
    let sandbox = repository("main");
    sandbox.write(".git/HEAD", "nonsense");
    let output = charrette(&sandbox, &["branch", "check"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{output:?}");
}

#[test]
fn a_branch_is_made_from_what_the_remote_has_now() {
    for main in ["main", "trunk"] {
        let sandbox = cloned(main);
        sandbox.write("dirty.txt", "kept");
        let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/add-login"]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
        assert_eq!(output.stdout, "BRANCH_NAME=ada-lovelace/add-login\nACTION=created\n");
        assert_eq!(check(&sandbox), lines("ada-lovelace/add-login", false, true, "ada-lovelace"));
        assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "second");
        assert_eq!(sandbox.git(["log", "-1", "--format=%s", main]), "first");
        assert_eq!(sandbox.git(["for-each-ref", "--format=%(upstream)", "refs/heads/ada-lovelace"]), "");
        assert_eq!(sandbox.read("dirty.txt"), "kept");
    }
}

#[test]
fn invalid_branch_names_change_nothing() {
    let sandbox = cloned("main");
    sandbox.git(["branch", "ada-lovelace/there"]);
    for (name, code, message) in [
        ("ada-lovelace/there", 1, "branch 'ada-lovelace/there' already exists"),
        ("bob/x", 2, "branch name 'bob/x' must start with 'ada-lovelace/'"),
        ("main", 2, "branch name 'main' must start with 'ada-lovelace/'"),
        ("--orphan", 2, "branch name '--orphan' must start with 'ada-lovelace/'"),
        ("", 2, "branch name '' must start with 'ada-lovelace/'"),
        ("ada-lovelace/", 2, "'ada-lovelace/' is not a valid branch name"),
        ("ada-lovelace/../../x", 2, "'ada-lovelace/../../x' is not a valid branch name"),
        ("ada-lovelace/a b", 2, "'ada-lovelace/a b' is not a valid branch name"),
        ("ada-lovelace/x\nACTION=created", 2, "'ada-lovelace/x\\nACTION=created' is not a valid branch name"),
    ] {
        let output = charrette(&sandbox, &["branch", "create", name]);
        let expected = format!("ERROR={message}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (Some(code), "", expected));
    }
    // Git's own reasons are passed on.
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/there/deeper"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(
        output.stderr.ends_with("\nERROR=could not create branch 'ada-lovelace/there/deeper'\n"),
        "{}",
        output.stderr
    );
    assert_eq!(sandbox.git(["branch", "--show-current"]), "main");
    assert_eq!(charrette(&sandbox, &["branch", "create"]).code, Some(2));
}

#[test]
fn without_a_remote_a_branch_is_made_from_here_and_that_is_said() {
    let sandbox = repository("master");
    // A folder by the remote's name is no remote.
    sandbox.git(["init", "-q", "origin"]);
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/x"]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "BRANCH_NAME=ada-lovelace/x\nACTION=created\n")
    );
    assert_eq!(
        output.stderr,
        "Warning: cannot fetch origin/master: there is no remote called origin\nWarning: master may be behind its remote\n"
    );
    sandbox.git(["switch", "-q", "master"]);
    assert_eq!(charrette(&sandbox, &["--quiet", "branch", "create", "ada-lovelace/y"]).stderr, "");
}

#[test]
fn a_remote_that_does_not_answer_is_a_warning_or_an_error() {
    let sandbox = cloned("main");
    sandbox.git(["fetch", "-q", "origin"]);
    std::fs::remove_dir_all(sandbox.outside("origin.git")).unwrap();
    sandbox.write("charrette.toml", "[preflight]\nfetch = \"fail\"\n");
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/x"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(output.stderr.ends_with("\nERROR=could not fetch origin main\n"), "{}", output.stderr);
    sandbox.write("charrette.toml", "[preflight]\nfetch = \"off\"\n");
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/x"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    sandbox.git(["switch", "-q", "main"]);
    sandbox.write("charrette.toml", "");
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/y"]);
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.ends_with("Warning: main may be behind its remote\n"), "{}", output.stderr);
    // What the remote had when it was last seen.
    assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "second");
}

#[test]
fn a_configured_main_cannot_smuggle_options_into_git() {
    let sandbox = cloned("main");
    for main in ["--upload-pack=touch pwned", "-x", "../../x"] {
        sandbox.write("charrette.toml", format!("[preflight]\nmain = \"{main}\"\n"));
        let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/x"]);
        assert_eq!(
            (output.code, output.stderr),
            (Some(2), format!("ERROR='{main}' is not a valid branch name\n"))
        );
    }
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn changes_that_would_be_lost_stop_git() {
    let sandbox = cloned("main");
    sandbox.git(["fetch", "-q", "origin"]);
    sandbox.git(["switch", "-q", "-c", "other"]);
    sandbox.write("file", "committed");
    sandbox.git(["add", "file"]);
    sandbox.commit("with a file");
    sandbox.write("file", "changed");
    let output = charrette(&sandbox, &["branch", "create", "ada-lovelace/x"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        (sandbox.read("file").as_str(), sandbox.git(["branch", "--show-current"]).as_str()),
        ("changed", "other")
    );
}
