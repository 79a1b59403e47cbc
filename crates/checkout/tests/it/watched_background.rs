//! Honest work in the background, which is no change by an agent, and attacks that look like it.

use crate::tree::{root, with_own_work};
use crate::watched::{shell, watched_changes};
use charrette_testkit::Sandbox;

/// A repository with an origin, and with another work tree in `../other` that has the branch `mine`.
fn with_company() -> Sandbox {
    let sandbox = with_own_work();
    shell(
        &sandbox,
        "git stash -q -u; git init -q --bare -b main ../origin.git; git remote add origin ../origin.git; \
         git push -q -u origin main; git worktree add -q -b mine ../other; git branch kept; git stash pop -q",
    );
    sandbox
}

#[test]
fn maintenance_and_fetches_are_no_change() {
    for act in [
        "git status; git gc -q",
        "git pack-refs --all",
        "git commit-graph write --reachable",
        "git maintenance run --auto --quiet",
        "git reflog expire --expire=all --all --expire-unreachable=all; true",
        "git update-server-info",
        "touch a.txt dir/* run.sh; git update-index -q --refresh || true",
        // Commits, a branch and tags of others.
        "git clone -q ../origin.git ../clone 2>/dev/null; cd ../clone; git commit -q --allow-empty -m theirs; \
         git branch theirs; git tag light; git tag -a -m heavy heavy; git push -q origin main theirs --tags; \
         cd ../work; git fetch -q",
    ] {
        let sandbox = with_company();
        assert!(root(&sandbox).ends_with("work"));
        assert_eq!(watched_changes(&sandbox, || shell(&sandbox, act)), [""; 0], "{act}");
    }
}

#[test]
fn work_in_another_work_tree_is_no_change() {
    for act in [
        "cd ../other; git commit -q --allow-empty -m more; git commit -q --allow-empty -m again",
        "cd ../other; git switch -q -c further; git commit -q --allow-empty -m more",
        "cd ../other; git commit -q --allow-empty -m more; git rebase -q --force-rebase HEAD~1",
        "cd ../other; git checkout -q --detach; git commit -q --allow-empty -m more",
        "git worktree remove --force ../other",
        "git worktree add -q ../more; cd ../more; git commit -q --allow-empty -m more",
    ] {
        let sandbox = with_company();
        assert_eq!(watched_changes(&sandbox, || shell(&sandbox, act)), [""; 0], "{act}");
    }
}

#[test]
fn a_branch_that_moves_without_its_work_tree_is_a_change() {
    for (act, expected) in [
        (
            "git update-ref refs/heads/mine $(git commit-tree -m evil HEAD^{tree})",
            &["modified .git/refs/heads/mine"][..],
        ),
        (
            "mkdir -p .git/worktrees/f; echo 'ref: refs/heads/planted' > .git/worktrees/f/HEAD; git branch planted",
            &["added .git/refs/heads/planted"],
        ),
        (
            "git branch -f kept $(git commit-tree -m evil HEAD^{tree}); git worktree add -q ../more kept",
            &["modified .git/refs/heads/kept"],
        ),
        (
            "git worktree add -q ../more -b planted; echo x > .git/worktrees/more/config.worktree",
            &[
                "added .git/refs/heads/planted",
                "added .git/worktrees/more/commondir",
                "added .git/worktrees/more/config.worktree",
                "added .git/worktrees/more/gitdir",
            ],
        ),
        ("echo x > .git/worktrees/other/config.worktree", &["added .git/worktrees/other/config.worktree"]),
        ("echo /elsewhere > .git/worktrees/other/commondir", &["modified .git/worktrees/other/commondir"]),
        ("git update-ref -d refs/heads/mine", &["deleted .git/refs/heads/mine"]),
    ] {
        let sandbox = with_company();
        assert_eq!(watched_changes(&sandbox, || shell(&sandbox, act)), expected, "{act}");
    }
}
