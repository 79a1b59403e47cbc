//! Repositories as people have them: empty, dirty, with another main, from a subdirectory or a worktree.

use crate::BINARY;
use crate::workshop::FAKE_AGENT;
use crate::workshop::{Workshop, document_path, warnings};
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use charrette_testkit::{Output, Sandbox};
use std::path::Path;

/// As far as the research, after which a branch is made and everybody has looked around.
const BRIEFLY: [&str; 4] = ["--phase=research", "--auto", "--no-checkpoint", "--json"];

fn research(workshop: &Workshop, folder: &Path) -> Output {
    let args = ["design", REQUEST].into_iter().chain(BRIEFLY);
    let mut command = workshop.command(BINARY, args);
    command.current_dir(folder);
    Output::capture(command, b"")
}

fn researched(workshop: &Workshop) -> Output {
    let output = research(workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    output
}

fn current(workshop: &Workshop) -> String {
    workshop.sandbox.git(["branch", "--show-current"])
}

#[test]
fn without_a_commit_the_design_stays_where_it_is() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", "main"]);
    let workshop = Workshop::with_panel(Panel::with_sandbox(sandbox, &*FAKE_AGENT));
    let output = researched(&workshop);
    let said = "**⚠ There are no commits yet, so no branch can be made. Staying on 'main'.**";
    assert!(warnings(&output).contains(&said.to_owned()), "{:?}", warnings(&output));
    assert_eq!(current(&workshop), "main");
}

#[test]
fn outside_a_repository_nothing_is_designed() {
    let workshop = Workshop::with_panel(Panel::with_sandbox(Sandbox::new(), &*FAKE_AGENT));
    let output = research(&workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("is not in a git repository"), "{output:?}");
    assert!(output.stderr.contains("git init"), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
}

#[test]
fn a_missing_user_name_and_a_trunk_branch_are_accepted() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", "trunk"]);
    sandbox.commit("first");
    let workshop = Workshop::with_panel(Panel::with_sandbox(sandbox, &*FAKE_AGENT));
    let output = researched(&workshop);
    assert!(
        warnings(&output).iter().any(|warning| warning.contains("trunk may be behind its remote")),
        "{output:?}"
    );
    let branch = current(&workshop);
    assert!(branch.ends_with(&format!("/{FEATURE}")), "{branch}");
    assert_eq!(workshop.sandbox.git(["rev-parse", "HEAD"]), workshop.sandbox.git(["rev-parse", "trunk"]));
}

#[test]
fn a_dirty_main_is_refused_with_three_choices() {
    let workshop = Workshop::regular();
    workshop.sandbox.write("README.md", "changed\n");
    let output = research(&workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(4), "{output:?}");
    let choices = "⚠ charrette design requires clean main to start. To continue, choose one of: (a) git checkout main && git status clean → re-run; (b) check out or create a ada-l/* feature branch and re-run (the branch naming convention is the explicit opt-in to continue from current state); (c) commit or stash uncommitted changes on main first.";
    assert!(output.stderr.contains(choices), "{output:?}");
    assert!(output.stderr.contains("PREFLIGHT_ERROR="), "{output:?}");
    assert_eq!((workshop.calls(), current(&workshop)), (Vec::new(), "main".to_owned()));
    assert_eq!(workshop.sandbox.read("README.md"), "changed\n");
    // Once it is clean, the same command goes on.
    workshop.sandbox.git(["checkout", "-q", "README.md"]);
    let output = research(&workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn files_of_charrette_do_not_make_main_dirty() {
    let workshop = Workshop::regular();
    workshop.sandbox.write("specs/another/design.md", "# Another\n");
    workshop.sandbox.write(".specs/20261101-another/plan.txt", "1.\n");
    researched(&workshop);
    assert_eq!(current(&workshop), format!("ada-l/{FEATURE}"));
}

#[test]
fn a_branch_of_the_users_own_may_be_dirty() {
    let workshop = Workshop::regular();
    workshop.sandbox.git(["switch", "-q", "-c", "ada-l/rate-limiting"]);
    workshop.sandbox.write("README.md", "changed\n");
    researched(&workshop);
    assert_eq!(current(&workshop), "ada-l/rate-limiting", "related, so it is kept");
    assert_eq!(workshop.sandbox.read("README.md"), "changed\n");
}

#[test]
fn changes_are_not_carried_to_another_branch_unasked() {
    let workshop = Workshop::regular();
    workshop.sandbox.git(["switch", "-q", "-c", "ada-l/something-else"]);
    workshop.sandbox.write("README.md", "changed\n");
    let output = research(&workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(current(&workshop), "ada-l/something-else");
    assert_eq!(workshop.sandbox.read("README.md"), "changed\n");
}

#[test]
fn a_subdirectory_is_as_good_as_the_root() {
    let workshop = Workshop::regular();
    let output = research(&workshop, &workshop.sandbox.path("parcels"));
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(workshop.sandbox.path(&document_path(FEATURE)).exists());
    assert!(!workshop.sandbox.path("parcels/.claude").exists());
}

#[test]
fn a_worktree_has_a_run_of_its_own() {
    let workshop = Workshop::regular();
    let tree = workshop.sandbox.outside("tree");
    workshop.sandbox.git(["worktree", "add", "-q", "-b", "ada-l/rate-limits", tree.to_str().unwrap()]);
    let output = research(&workshop, &tree);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(tree.join(document_path(FEATURE)).exists());
    // The main checkout has the register of active runs for hooks, and no document.
    assert!(!workshop.sandbox.path(&document_path(FEATURE)).exists());
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
    assert_eq!(workshop.sandbox.git_in(&tree, ["branch", "--show-current"]), "ada-l/rate-limits");
    assert_eq!(workshop.sandbox.git_in(&tree, ["status", "--porcelain"]), "");
}

#[test]
fn a_submodule_does_not_disturb_a_design() {
    let workshop = Workshop::regular();
    let library = workshop.sandbox.outside("library");
    std::fs::create_dir(&library).unwrap();
    workshop.sandbox.git_in(&library, ["init", "-q", "-b", "main"]);
    workshop.sandbox.git_in(&library, ["commit", "-q", "--allow-empty", "-m", "first"]);
    workshop.sandbox.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.to_str().unwrap(),
        "library",
    ]);
    workshop.sandbox.git(["commit", "-q", "-m", "A library"]);
    workshop.sandbox.git(["push", "-q"]);
    researched(&workshop);
    assert_eq!(current(&workshop), format!("ada-l/{FEATURE}"));
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn a_read_only_tree_is_reported_before_the_run() {
    let workshop = Workshop::regular();
    // As root, permissions do not hold; a file where a folder must be does.
    workshop.sandbox.write(".claude", "in the way\n");
    let output = research(&workshop, &workshop.sandbox.work());
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains(".claude"), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
}
