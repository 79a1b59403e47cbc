//! Agents that touch the repository itself: commits, branches, the worktree's link, configuration, hooks. In the kernel sandbox
//! they cannot; without it they are found out.

use super::bed::{Bed, assert_ends};
use super::test_lies::assert_work_is_refused;

/// Has the agent of T001 do its task and this, and asserts that nothing of it lands, for this reason.
fn assert_refused(shell: &str, reason: &str) {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part(shell));
    assert_work_is_refused(&bed, reason);
}

/// Answers the questions about changes of the repository until none waits. Returns the pages of all gates on the way.
fn answer_guards(bed: &Bed) -> String {
    let mut pages = String::new();
    for _ in 0..8 {
        let Some(gate) = bed.open_gates().into_iter().next() else { break };
        pages.push_str(&bed.gate_page(&gate));
        if !gate.starts_with("dirty-tree") {
            break;
        }
        bed.answer("dirty-tree: keep\n");
        let output = bed.resume();
        assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    }
    pages
}

#[test]
fn a_commit_of_an_agent_is_refused() {
    assert_refused("git add -A && git commit -qm mine", "HEAD of the worktree was moved");
}

#[test]
fn a_branch_of_an_agent_is_shown_to_a_person() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part("git branch -f mine HEAD"));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    let page = answer_guards(&bed);
    assert!(page.contains("refs/heads/mine"), "{page}");
}

#[test]
fn a_link_to_another_repository_is_refused_and_runs_nothing() {
    let bed = Bed::new();
    let (evil, ran) = (bed.sandbox.outside("evil"), bed.sandbox.outside("ran"));
    let script = format!(
        "git init -q --bare '{0}' && git --git-dir '{0}' config core.fsmonitor 'touch {1}; false' && \
         git --git-dir '{0}' config core.bare false && printf 'gitdir: {0}\\n' > .git",
        evil.display(),
        ran.display()
    );
    bed.set_part("implementer", &bed.working_part(&script));
    assert_work_is_refused(&bed, "the file .git of the worktree was changed");
    assert!(!ran.exists());
}

#[test]
fn a_missing_link_is_refused() {
    assert_refused("rm .git", "the file .git of the worktree was removed");
    assert_refused("rm .git && git init -q", "the file .git of the worktree was replaced");
}

#[test]
fn configuration_and_hooks_of_an_agent_are_shown_and_run_nothing() {
    let bed = Bed::new();
    let ran = bed.sandbox.outside("ran");
    let script = format!(
        "common=$(git rev-parse --git-common-dir); git config core.fsmonitor 'touch {0}; false'; \
         for hook in pre-commit post-merge post-checkout reference-transaction post-index-change; do \
           printf '#!/bin/sh\\ntouch {0}\\n' > \"$common/hooks/$hook\"; chmod +x \"$common/hooks/$hook\"; done; \
         git config --unset core.fsmonitor; git config alias.x '!touch {0}'",
        ran.display()
    );
    bed.set_part("implementer", &bed.working_part(&script));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    let page = answer_guards(&bed);
    assert!(page.contains(".git/config") || page.contains(".git/hooks"), "{page}");
    assert!(!ran.exists(), "a hook ran");
}

#[test]
fn a_moved_integration_ref_is_seen() {
    let bed = Bed::new();
    let script = "for name in $(git for-each-ref --format='%(refname)' refs/charrette); do git update-ref $name HEAD~1; done";
    bed.set_part("implementer", &bed.working_part(script));
    let head = bed.id("HEAD");
    let output = bed.implement(&["--task=T001"]);
    assert!(matches!(output.code, Some(1 | 3 | 4)), "{output:?}");
    assert_eq!(bed.id("HEAD"), head);
    assert!(!bed.sandbox.path("till/price.py").exists());
}

#[test]
fn hidden_files_are_seen() {
    assert_refused(
        "git update-index --assume-unchanged till/basket.py; echo '# x' >> till/basket.py",
        "till/basket.py",
    );
}

#[test]
fn in_the_sandbox_an_agent_reaches_its_worktree_only() {
    let bed = Bed::new();
    let root = bed.sandbox.work().display().to_string();
    let home = bed.sandbox.home().display().to_string();
    let script = format!(
        "for victim in '{root}/till/planted.py' '{root}/.git/hooks/pre-commit' '{root}/.git/refs/heads/planted' \
           '{root}/.claude/state/planted' '{home}/planted' '{home}/.local/state/charrette/worktrees/planted'; do \
           (echo planted > \"$victim\") 2> /dev/null && echo \"$victim\" >> reached.local; done; \
         git add -A 2> /dev/null && git commit -qm mine 2> /dev/null && echo commit >> reached.local; \
         [ ! -e reached.local ] || cp reached.local till/reached.txt"
    );
    bed.set_part("implementer", &bed.working_part(&script));
    let mut command = bed.command(&["--task=T001"]);
    command.env_remove("CHARRETTE_LANDLOCK").env_remove("FAKE_AGENT_LOG");
    let output = charrette_testkit::Output::capture(command, b"");
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.file_at("main", "till/reached.txt"), None);
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}
