//! Review of the whole change: findings of two reviewers are merged and voted on; what is accepted is repaired once.

use super::bed::{Bed, assert_ends};

/// A finding of the first reviewer.
const FINDING: &str = "1. [correctness] [major] Spaces are accepted\n   `till/price.py:8` strips the text before it is matched, so that a price with spaces around it is read, although the requirement says that everything else is refused.\n   Suggested revision: do not strip, and add a case with spaces to `tests/test_price.py`.\n";

/// The merged list.
const MERGED: &str = "### FINDING_1: Spaces are accepted\n- **From**: Code#1\n- **Severity**: major\n- **Focus**: correctness\n- **Concern**: till/price.py:8 strips the text, so that a price with spaces is read.\n- **Revision**: Do not strip.\n";

/// Refuses spaces.
const STRICT: &str = "sed -i 's/text.strip()/text/' till/price.py";

/// A bed whose first reviewer finds something, and whose voters vote so.
fn reviewed(votes: [&str; 3]) -> Bed {
    let bed = Bed::new();
    bed.set_answer("comprehensive-reviewer-1", FINDING);
    bed.set_answer("change-merger", MERGED);
    for (voter, vote) in ["claude", "codex", "cursor"].into_iter().zip(votes) {
        let top = if vote == "YES" { "FINDING_1" } else { "none" };
        let text = format!("FINDING_1: {vote} — checked in till/price.py:8.\nTOP: {top}\n");
        bed.set_answer(&format!("change-voter-{voter}"), &text);
    }
    bed.set_part("fixer", &bed.claiming_part(STRICT));
    bed
}

#[test]
fn an_accepted_finding_is_repaired_by_the_fixer() {
    let bed = reviewed(["YES", "YES", "NO"]);
    let base = bed.id("HEAD");
    bed.keep_prompts();
    assert_ends(&bed.implement(&["--task=T001"]), 0, &["1 accepted", "repaired"]);
    for seat in ["change-merger", "vote/change-voter-claude", "vote/change-voter-codex", "fixer"] {
        assert_eq!(bed.calls_of(seat).len(), 1, "{seat}: {:?}", bed.calls_in_order());
    }
    let prompts = bed.prompts();
    assert!(prompts["vote/change-voter-codex"].contains("Spaces are accepted"));
    assert!(prompts["fixer"].contains("Do not strip."), "{}", prompts["fixer"]);
    assert!(!bed.sandbox.read("till/price.py").contains("strip()"));
    let titles: Vec<String> = bed.commits(&base, "main").into_iter().map(|commit| commit.title).collect();
    assert!(titles.iter().any(|title| title.starts_with("fix:")), "{titles:?}");
    let report = bed.read("implementation-report.md");
    assert!(report.contains("put right: Spaces are accepted"), "{report}");
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn a_finding_that_the_voters_reject_changes_nothing() {
    let bed = reviewed(["NO", "YES", "EXONERATE"]);
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.calls_of("fixer"), [""; 0]);
    assert!(bed.sandbox.read("till/price.py").contains("strip()"));
    let report = bed.read("implementation-report.md");
    assert!(report.contains("not accepted: Spaces are accepted (1 yes, 1 no, 1 exonerate)"), "{report}");
    assert!(bed.read("rejected-findings.md").contains("strips the text"));
    bed.assert_clean();
}

#[test]
fn without_findings_nobody_merges_or_votes() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--task=T001"]), 0, &["no findings"]);
    assert_eq!(bed.calls_of("change-merger"), [""; 0]);
    assert_eq!(bed.calls_of("vote/"), [""; 0]);
}

#[test]
fn a_merger_that_loses_a_finding_is_asked_again() {
    let bed = reviewed(["YES", "YES", "YES"]);
    bed.set_answer("comprehensive-reviewer-2", &FINDING.replace("Spaces are", "Tabs are"));
    bed.set_answer("change-merger@claude.2", &MERGED.replace("Code#1", "Code#1, Codex-Reviewer-2#1"));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &["1 accepted"]);
    assert_eq!(bed.calls_of("change-merger claude").len(), 2, "{:?}", bed.calls_in_order());
}

#[test]
fn an_accepted_finding_out_of_scope_is_a_follow_up() {
    let bed = reviewed(["YES", "YES", "YES"]);
    bed.set_answer("comprehensive-reviewer-1", &FINDING.replace("1. [corr", "1. [OUT_OF_SCOPE] [corr"));
    bed.set_answer("change-merger", &MERGED.replace("FINDING_1", "OOS_1"));
    for voter in ["claude", "codex", "cursor"] {
        bed.set_answer(&format!("change-voter-{voter}"), "OOS_1: YES — worth a ticket.\nTOP: none\n");
    }
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.calls_of("fixer"), [""; 0]);
    assert!(bed.read("follow-ups.md").contains("Spaces are accepted"));
}
