//! Cases of traces: what goes, what stays, and what a judge must not be able to find.

use super::*;

fn clean(text: &str) -> String {
    let cleaned = remove_traces(text, "Design", &SubjectMatter::default());
    cleaned.strip_prefix("# Design\n").unwrap_or(&cleaned).trim().to_owned()
}

#[test]
fn sentences_keep_what_they_say() {
    for (text, expected) in [
        (
            "DECISION_1, voted 3-0 against a server that takes the lease. The unit stays untouched.",
            "Against a server that takes the lease. The unit stays untouched.",
        ),
        (
            "FINDING_7, accepted 3-0, puts the register first; the person confirmed it.",
            "This point puts the register first; the person confirmed it.",
        ),
        (
            "Output is kept clean by exchanging the descriptor (FINDING_26, accepted 3-0).",
            "Output is kept clean by exchanging the descriptor.",
        ),
        (
            "Only reading works until it was measured (FINDING_4, accepted 3-0, decided by the person).",
            "Only reading works until it was measured (decided by the person).",
        ),
        (
            "Never for an interruption (FINDING_16 and FINDING_17, accepted 3-0).",
            "Never for an interruption.",
        ),
        (
            "DECISION_7, not debated (outside the cap); nobody voted. The alternative was a text in `by`.",
            "The alternative was a text in `by`.",
        ),
        (
            "DECISION_6, not debated (outside the cap) and confirmed by the person. The alternative was to trust it.",
            "Confirmed by the person. The alternative was to trust it.",
        ),
        (
            "Against counts in SQLite; voted 2-1. One process serves everything.",
            "Against counts in SQLite. One process serves everything.",
        ),
        (
            "Against network addresses, which the synthesis had chosen; voted 3-0 for the alternative. It is known.",
            "Against network addresses. It is known.",
        ),
        (
            "Against a counter for each minute. Nobody debated or voted on it; the synthesis stands, and the second discussion confirmed that a burst may be used.",
            "Against a counter for each minute. The person confirmed that a burst may be used.",
        ),
        ("Beta-Edge: remove it in the first change.", "Beta-Edge: remove it in the first change."),
        ("Codex-Edge: remove it in the first change.", "Remove it in the first change."),
        ("The lock is held (investigation-2.md, src/lock.rs:18).", "The lock is held (src/lock.rs:18)."),
        ("As plan.txt:30 says, the lock is held.", "As the research says, the lock is held."),
        ("The voted rule decides.", "The rule decides."),
        ("Nobody debated how it counts. Shall it wait?", "Shall it wait?"),
        ("It waits, as FINDING_3 demands.", "It waits, as this point demands."),
        ("It rests on DECISION_2, which is binding.", "It rests on this decision, which is binding."),
        ("A crash, traced by walker-1: the lock stays.", "A crash: the lock stays."),
        ("It waits; see FINDING_3 and plan.txt. Then it stops.", "It waits. Then it stops."),
        ("It waits. The vote had no quorum; it stays open.", "It waits. It stays open."),
        ("**Reviewers:** Codex-Arch, reviewer-edge", ""),
        ("Raised by reviewer-arch and Codex-Edge#2, it is mended.", "It is mended."),
        (
            "- S1: a first use on a fresh machine: the folder is made. HOLDS",
            "- S1: a first use on a fresh machine: the folder is made.",
        ),
        (
            "- S2: a crash (walker-1): BREAKS at step 3: the lock stays.",
            "- S2: a crash: fails at step 3: the lock stays.",
        ),
        ("Codex argued that a lock is simpler.", "One author argued that a lock is simpler."),
        (
            "The cursor of the page moves, and the service returns 3-0 fields.",
            "The cursor of the page moves, and the service returns 3-0 fields.",
        ),
        (
            "Retry 2 to 3 times; accepted values are 0 to 5.",
            "Retry 2 to 3 times; accepted values are 0 to 5.",
        ),
    ] {
        assert_eq!(clean(text), expected, "{text}");
    }
}

#[test]
fn text_without_traces_stays_as_it_is() {
    let text = "## Overview\n\nA layer (src/a.rs:3), e.g. `vote_count`, asks first; then it waits: 3:1 is the ratio.\n\n```rust\nlet voted = panel.votes();\n\n\nfn f() {}\n```\n\n- one\n  - two\n- **REQ-1.1:** WHEN it fails, THE SYSTEM SHALL say so.\n\n| File | Why |\n| --- | --- |\n| a.rs | `x \\| y` |";
    assert_eq!(clean(text), text);
}

#[test]
fn form_is_the_same_on_both_sides() {
    let text = "\u{feff}# Design: mine\r\n\r\n> **Status:** Approved\r\n> **Created:** 2026-11-15\n> **Spec ID:** x\n\n\n\n## Overview\nText  \nthat\nwraps.\n* one\n+ two\n### Sub ###\nMore.\n";
    assert_eq!(clean(text), "## Overview\n\nText\nthat wraps.\n- one\n- two\n\n### Sub\n\nMore.");
}

#[test]
fn records_of_the_process_go_with_their_parts() {
    let text = "## Decisions\n\n### D1: Memory\nCheap.\n\n### How they were decided\n\n3 distinct vendors sat, 3 voted.\n\n| Contested | Votes |\n|---|---|\n| DECISION_1 | 3 to 0 |\n\n#### More\nText\n\n## Risks\nNone.\n\n## Record of the panel\nx\n";
    assert_eq!(clean(text), "## Decisions\n\n### D1: Memory\n\nCheap.\n\n## Risks\n\nNone.");
}

#[test]
fn tables_lose_votes_and_attributions() {
    let votes = "| Item | YES | NO | Outcome |\n|---|---|---|---|\n| a | 3 | 0 | accepted |";
    assert_eq!(clean(votes), "");
    let walked =
        "| Scenario | Walked by | Result |\n|:--|---|---|\n| S1: first use | walker-1 | the folder is made |";
    assert_eq!(clean(walked), "| Scenario | Result |\n| --- | --- |\n| S1: first use | the folder is made |");
}

#[test]
fn words_of_the_matter_are_no_traces() {
    let text = "Codex hides its process, and a vote needs a quorum; the reviewers disagree.";
    let subject = SubjectMatter::find("Let people vote under Codex", |word| word == "quorum");
    let cleaned = remove_traces(text, "Design", &subject);
    assert!(
        cleaned.contains("Codex hides its process, and a vote needs a quorum; the designers disagree."),
        "{cleaned}"
    );
    assert_eq!(find_traces(&cleaned, &subject), []);
    let others: Vec<String> =
        find_traces(&cleaned, &SubjectMatter::default()).into_iter().map(|trace| trace.text).collect();
    assert_eq!(others, ["Codex", "vote", "quorum"]);
}

/// The words that a judge could recognise the panel by; the document below has every one of them.
const TRACE_WORDS: &[&str] = &[
    "FINDING_",
    "OOS_",
    "DECISION_",
    "QUESTION_",
    "voted",
    "vote",
    "bucket-skipped",
    "over-cap",
    "fallback-to-synthesis",
    "Codex",
    "Cursor",
    "Claude",
    "anthropic",
    "openai",
    "walker-1",
    "investigator-2",
    "reviewer-arch",
    "voter-claude",
    "judge-codex",
    "debate-2-thesis",
    "synthesist",
    "synthesis",
    "antithesis",
    "panel",
    "ballot",
    "quorum",
    "Status",
    "Created",
    "Spec ID",
    "HOLDS",
    "BREAKS",
    "plan.txt",
    "voting-tally.md",
    "investigation-1.md",
    "vendors",
    "EXONERATE",
    "exonerated",
    "charrette",
    "How they were decided",
    "Record of the panel",
    "Findings resolved",
    "debated",
];

const WITH_EVERY_TRACE: &str = "# Design: x\n\n> **Status:** Approved\n> **Created:** 2026-11-15\n> **Spec ID:** x\n\n## Overview\nOne layer, made by charrette for Claude. Anthropic and OpenAI differ (openai, anthropic). QUESTION_1: it holds.\n\n## Scenarios\n- S1: a first use: it works. HOLDS\n- S2: a crash, traced by walker-1: BREAKS at step 2: the lock stays.\n\n## Decisions\n\n### D1: Memory (DECISION_1)\nDECISION_1, voted 2-1 against SQLite; see FINDING_3 and plan.txt. The panel had no quorum; OOS_2 was exonerated.\nReviewers: reviewer-arch, voter-claude, judge-codex and debate-2-thesis. Cursor-Edge#1 and Codex disagreed; the synthesist and the antithesis too.\nAfter a fallback-to-synthesis: the synthesis won the ballot; debated later.\n\n### D2: Bucket\nDECISION_2, over-cap: rank 6. DECISION_3, bucket-skipped. Found by investigator-2 (investigation-1.md, voting-tally.md).\n\n```rust\n// FINDING_3: keep the order\nfn take() {}\n```\n\n### How they were decided\n3 distinct vendors sat, 3 voted.\n\n| Item | YES | NO | EXONERATE |\n|---|---|---|---|\n| FINDING_1 | 3 | 0 | 0 |\n\n## Findings resolved\n- FINDING_1: Approach\n\n## Record of the panel\nAll.\n\n## Risks\nNone.\n";

#[test]
fn no_trace_word_remains() {
    for word in TRACE_WORDS {
        assert!(WITH_EVERY_TRACE.contains(word), "the document lacks {word}");
    }
    let cleaned = remove_traces(WITH_EVERY_TRACE, "Design", &SubjectMatter::default());
    for word in TRACE_WORDS {
        let is_left = if *word == "HOLDS" || *word == "BREAKS" {
            // In small letters they are plain English.
            cleaned.contains(word)
        } else {
            cleaned.to_lowercase().contains(&word.to_lowercase())
        };
        assert!(!is_left, "{word} is left in:\n{cleaned}");
    }
    assert_eq!(find_traces(&cleaned, &SubjectMatter::default()), []);
    for kept in [
        "One layer",
        "S1: a first use: it works.",
        "S2: a crash",
        "the lock stays",
        "### D1: Memory",
        "gainst SQLite",
        "fn take() {}",
        "keep the order",
        "## Risks",
    ] {
        assert!(cleaned.contains(kept), "{kept} is lost in:\n{cleaned}");
    }
}

#[test]
fn the_check_finds_what_the_document_has() {
    let found = find_traces(WITH_EVERY_TRACE, &SubjectMatter::default());
    for (line, text) in
        [(3, "> **Status:** Approved"), (8, "Claude"), (12, "walker-1"), (39, "## Record of the panel")]
    {
        assert!(found.contains(&Trace { line, text: text.to_owned() }), "{line} {text}: {found:#?}");
    }
}

#[test]
fn cleaning_twice_changes_nothing() {
    let once = remove_traces(WITH_EVERY_TRACE, "Design", &SubjectMatter::default());
    assert_eq!(remove_traces(&once, "Design", &SubjectMatter::default()), once);
}
