//! Commits, trial merges and the integration ref.

use crate::workshop::{RUN, Workshop, git, wait, write};
use charrette_engine::ports::worktrees::{Advance, Merge, Worktrees as _};

#[test]
fn a_commit_is_the_users_with_trailers_and_is_kept() {
    let workshop = Workshop::new();
    workshop.sandbox.git(["config", "commit.gpgSign", "true"]);
    workshop.sandbox.git(["config", "user.signingKey", "nobody"]);
    let base = workshop.begin();
    let commit = workshop.work("T001", &base.commit, &[("a.py", "a = 1\n")]);
    assert_eq!(
        workshop.sandbox.git(["show", "-s", "--format=%an <%ae> %cn%n%B", &commit]),
        format!(
            "Ada Lovelace <ada@example.com> Ada Lovelace\nfeat: T001\n\nCharrette-Run: {RUN}\nCharrette-Task: T001"
        )
    );
    assert_eq!(
        workshop
            .sandbox
            .git(["show", "-s", "--format=%(trailers:key=Charrette-Task,valueonly)", &commit])
            .trim(),
        "T001"
    );
    let kept = workshop.sandbox.git(["rev-parse", &format!("refs/charrette/{RUN}.work/T001")]);
    assert_eq!(kept, commit);
    // A later one takes its place.
    let later = workshop.commit("T001", &tree(&workshop, &base.commit), &base.commit);
    assert_ne!(later, commit);
    assert_eq!(workshop.sandbox.git(["rev-parse", &format!("refs/charrette/{RUN}.work/T001")]), later);
}

fn tree(workshop: &Workshop, commit: &str) -> String {
    workshop.sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")])
}

#[test]
fn independent_work_is_merged_and_the_ref_advances_by_compare_and_swap() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let one = workshop.work("T001", &base.commit, &[("a.py", "a = 1\n")]);
    let two = workshop.work("T002", &base.commit, &[("b.py", "b = 1\n")]);
    assert_eq!(workshop.merge(&base.commit, &base.commit, &one), Merge::Clean(tree(&workshop, &one)));
    assert_eq!(workshop.advance(&base.commit, &one), Advance::Moved);
    // The same move again, and one that comes too late.
    assert_eq!(workshop.advance(&base.commit, &one), Advance::Moved);
    assert_eq!(workshop.advance(&base.commit, &two), Advance::Elsewhere(one.clone()));
    let Merge::Clean(merged) = workshop.merge(&base.commit, &one, &two) else { panic!("a clean merge") };
    let commit = workshop.commit("T002", &merged, &one);
    assert_eq!(workshop.advance(&one, &commit), Advance::Moved);
    assert_eq!(wait(workshop.worktrees.tip(RUN.to_owned())).unwrap(), commit);
    let files = workshop.sandbox.git(["ls-tree", "--name-only", &commit]);
    assert!(files.contains("a.py") && files.contains("b.py"));
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
    // A ref that is gone is no tip.
    workshop.sandbox.git(["update-ref", "-d", &format!("refs/charrette/{RUN}")]);
    assert!(wait(workshop.worktrees.tip(RUN.to_owned())).is_err());
}

#[test]
fn a_conflict_has_paths_messages_and_a_tree_with_markers() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let one = workshop.work("T001", &base.commit, &[("src/lib.py", "def one():\n    return 10\n")]);
    let two = workshop.work(
        "T002",
        &base.commit,
        &[("src/lib.py", "def one():\n    return 11\n"), ("b.py", "b\n")],
    );
    let Merge::Conflict(conflict) = workshop.merge(&base.commit, &one, &two) else { panic!("a conflict") };
    assert_eq!(conflict.paths, ["src/lib.py"]);
    assert!(conflict.messages.contains("CONFLICT"), "{}", conflict.messages);
    let folder = workshop.prepare("fix", &conflict.tree);
    let text = fs_err::read_to_string(folder.join("src/lib.py")).unwrap();
    assert!(text.contains("<<<<<<<") && text.contains("return 10") && text.contains("return 11"), "{text}");
    assert!(folder.join("b.py").exists());
}

#[test]
fn both_sides_of_a_file_are_kept_and_moves_are_followed() {
    let workshop = Workshop::new();
    let long: String = (0..60).fold(String::new(), |text, number| format!("{text}line {number}\n"));
    workshop.sandbox.write("long.txt", &long);
    workshop.sandbox.git(["add", "-A"]);
    workshop.sandbox.commit("long");
    let base = workshop.begin();
    let top = workshop.work("T001", &base.commit, &[("long.txt", &format!("top\n{long}"))]);
    let bottom = workshop.work("T002", &base.commit, &[("long.txt", &format!("{long}bottom\n"))]);
    assert!(matches!(workshop.merge(&base.commit, &top, &bottom), Merge::Clean(_)));
    // The task moved the file that another one added to.
    let folder = workshop.prepare("T003", &base.commit);
    git(&folder, &["status"]);
    fs_err::rename(folder.join("long.txt"), folder.join("moved.txt")).unwrap();
    let change = workshop.capture("T003", &base.commit);
    let moved = workshop.commit("T003", &change.tree, &base.commit);
    let Merge::Clean(merged) = workshop.merge(&base.commit, &top, &moved) else { panic!("a clean merge") };
    assert!(workshop.sandbox.git(["show", &format!("{merged}:moved.txt")]).starts_with("top\n"));
}

#[test]
fn a_merge_that_loses_lines_of_others_is_refused() {
    let workshop = Workshop::new();
    // A merge driver of the user's that always takes the task's side.
    let driver = workshop.sandbox.outside("theirs");
    fs_err::write(&driver, "#!/bin/sh\ncp \"$3\" \"$2\"\n").unwrap();
    fs_err::set_permissions(&driver, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let global = workshop.sandbox.outside("gitconfig");
    fs_err::write(
        &global,
        format!(
            "[user]\nname = Ada\nemail = a@example.com\n[merge \"theirs\"]\ndriver = {} %O %A %B\n",
            driver.display()
        ),
    )
    .unwrap();
    workshop.sandbox.write(".gitattributes", "src/* merge=theirs\n");
    workshop.sandbox.git(["add", "-A"]);
    workshop.sandbox.commit("attributes");
    let base = workshop.begin();
    let text = workshop.sandbox.read("src/lib.py");
    let one = workshop.work("T001", &base.commit, &[("src/lib.py", &format!("import sys\n{text}"))]);
    let two = workshop.work("T002", &base.commit, &[("src/lib.py", &format!("{text}# end\n"))]);
    // Without the driver both lines are there.
    assert!(matches!(workshop.merge(&base.commit, &one, &two), Merge::Clean(_)));
    // The driver as an include of the repository would not run; as the user's own it does.
    let output = super::kills::child(
        &workshop,
        "merge",
        &[
            ("GIT_CONFIG_GLOBAL", global.to_str().unwrap()),
            ("BASE", &base.commit),
            ("TIP", &one),
            ("COMMIT", &two),
        ],
    );
    assert!(output.contains(r#"LosesLines(["src/lib.py: import sys"])"#), "{output}");
    write(&workshop.sandbox.work(), "done", "");
}
