//! Reviews as reviewers write them, and what is read from them.

use charrette_model::panel::findings::{
    FindingSeverity, FindingsStatus, Focus, ReviewerFindings, read_findings,
};
use proptest::prelude::*;

/// Number, focus, concern and revision of every finding; out of scope marked with `oos`.
fn found(text: &str) -> Vec<String> {
    let shown = read_findings(text).findings.into_iter().map(|finding| {
        let scope = if finding.out_of_scope { "oos " } else { "" };
        let focus = finding.focus.map_or("?", Focus::name);
        let revision = finding.revision.unwrap_or_default();
        format!("{}|{scope}{focus}|{}|{revision}", finding.n, finding.concern)
    });
    shown.collect()
}

fn errors(text: &str) -> Vec<(usize, String)> {
    read_findings(text).errors.into_iter().map(|error| (error.line, error.message)).collect()
}

#[test]
fn a_finding_is_read_in_every_form_reviewers_use() {
    for text in [
        "1. [correctness] No rollback. Suggested revision: Add one.",
        "1. correctness: No rollback. Suggested revision: Add one.",
        "1) **correctness** — No rollback. **Suggested revision:** Add one.",
        "1. **[correctness] No rollback.** Suggested revision: Add one.",
        "1. [correctness]\n   Concern: No rollback.\n   Suggested revision: Add one.",
        "1. [Correctness] No\n   rollback.\n\n   - **Suggested revision**: Add\n     one.",
        "### 1. Correctness\n\n**Concern:** No rollback.\n\n**Suggested revision:** Add one.",
        "### 1. [correctness] No rollback.\n#### Suggested revision\nAdd one.",
        "**1. [correctness]** No rollback.\nRevision: Add one.",
        "**1. correctness: No rollback.**\nFix: Add one.",
        "### Finding 1: correctness\n- **Issue**: No rollback.\n- **Recommendation**: Add one.",
        "FINDING_1: [correctness] No rollback. - Suggested fix: Add one.",
        "1. **Focus area**: correctness\n   **Concern**: No rollback.\n   **Proposed revision**: Add one.",
        "1. Focus: correctness\nConcern: No rollback.\nSuggestion: Add one.",
        "- [correctness] No rollback. Suggested revision: Add one.",
        "1. Concern: No rollback.\n#### Focus area\ncorrectness\n#### Fix: Add one.",
        "**1) [correctness]** No rollback. Suggested revision: Add one.",
        "Intro.\n\n## Findings\n\n1. [correctness] No rollback.\n```\n2. code\n```\nSuggested revision: Add one.\n\n---\n",
        "\u{feff}1. [correctness] No rollback.\r\nSuggested revision: Add one.\r\n## Summary\r\nFine otherwise.\r\n",
        "#### 1\\. [correctness]\n1. [correctness] No rollback. (Suggested revision: Add one.",
    ] {
        assert_eq!(found(text), ["1|correctness|No rollback.|Add one."], "{text}");
        assert_eq!(errors(text), [], "{text}");
        assert_eq!(read_findings(text).status, FindingsStatus::Findings);
    }
}

#[test]
fn a_title_and_a_concern_are_one_text() {
    let text = "1. **[security] Open port**\n   **Concern**: Anyone can connect.\n   **Revision**: Close it.";
    assert_eq!(found(text), ["1|security|Open port: Anyone can connect.|Close it."]);
    let trailing_tag = "1. **Open port** (security): bad. Suggested revision: Close it.";
    assert_eq!(found(trailing_tag), ["1|security|**Open port** (security): bad.|Close it."]);
    let glob = "1. **[security]** Reads src/**/x.rs. Suggested revision: No.";
    assert_eq!(found(glob), ["1|security|Reads src/**/x.rs.|No."]);
}

/// Title, severity, concern and revision of the only finding.
fn graded(text: &str) -> String {
    let read = read_findings(text);
    assert_eq!((read.findings.len(), read.errors.as_slice()), (1, &[][..]), "{text}");
    let finding = &read.findings[0];
    let severity = finding.severity.map_or("?", FindingSeverity::name);
    format!(
        "{}|{severity}|{}|{}",
        finding.title(),
        finding.concern,
        finding.revision.as_deref().unwrap_or_default()
    )
}

#[test]
fn a_finding_with_a_severity_has_a_title() {
    for text in [
        "1. [correctness] [major] No rollback\n   A failed write stays.\n   Suggested revision: Undo it.",
        "1. [major] [correctness] **No rollback**\n\nA failed\nwrite stays.\nSuggested revision: Undo it.",
        "1. **[correctness] [major] No rollback** — A failed write stays. Suggested revision: Undo it.",
        "### 1. [correctness] [MAJOR] No rollback\n**Concern**: A failed write stays.\n**Revision**: Undo it.",
        "1. [correctness, major] No rollback\n   Concern: A failed write stays. Suggested revision: Undo it.",
        "1. [correctness] [major]: No rollback\r\n   A failed write stays.\r\n   Suggested revision: Undo it.\r\n",
    ] {
        let expected = "No rollback|major|A failed write stays.|Undo it.";
        assert_eq!(graded(text), expected, "{text}");
    }
    let one_line =
        "1. [security] [critical] Keys leak in src/a.rs:3. Anybody reads them. Suggested revision: Hide.";
    assert_eq!(
        graded(one_line),
        "Keys leak in src/a.rs:3|critical|Keys leak in src/a.rs:3. Anybody reads them.|Hide."
    );
    let labelled = "1. [security] Open port\nSeverity: minor\nConcern: Anyone connects.\nRevision: Close it.";
    assert_eq!(graded(labelled), "Open port|minor|Open port: Anyone connects.|Close it.");
    let placed = read_findings("1. [security] [minor] Keys in a_b.env\nSee src/a.rs:3.\nRevision: src/b.rs");
    assert_eq!(placed.findings[0].paths(), ["src/a.rs:3", "src/b.rs", "a_b.env"]);
}

#[test]
fn the_older_form_has_its_first_sentence_as_title() {
    for (concern, title) in [
        ("Keys leak, e.g. in logs. Anybody reads them.", "Keys leak, e.g. in logs"),
        ("See src/a.rs:3 for it", "See src/a.rs:3 for it"),
    ] {
        assert_eq!(
            graded(&format!("1. [security] {concern} Suggested revision: x")),
            format!("{title}|?|{concern}|x")
        );
    }
    let long = format!("1. [security] {}. Suggested revision: x", "word ".repeat(60).trim_end());
    assert!(graded(&long).starts_with(&format!("{}…|?|", "word ".repeat(20).trim_end())));
    let headed = "1. **[security] Open port**\n   **Concern**: Anyone connects.\n   **Revision**: Close it.";
    assert_eq!(graded(headed), "Open port|?|Open port: Anyone connects.|Close it.");
}

#[test]
fn a_severity_is_printed_only_where_there_is_one() {
    let json =
        |text: &str| serde_json::to_value(read_findings(text)).expect("plain data")["findings"][0].clone();
    let graded =
        json("1. [security] [minor] Open port\n   Anyone connects.\n   Suggested revision: Close it.");
    assert_eq!((&graded["title"], &graded["severity"]), (&"Open port".into(), &"minor".into()));
    let older = json("1. [security] Open port. Suggested revision: Close it.");
    assert!(older.get("title").is_none() && older.get("severity").is_none());
}

#[test]
fn a_revision_inside_a_line_needs_its_whole_name() {
    let text = "1. [security] a: b: ésuggested revision: c. Unsuggested revision: d, 7suggested fix: e";
    assert_eq!(
        found(text),
        ["1|security|a: b: ésuggested revision: c. Unsuggested revision: d, 7suggested fix: e|"]
    );
    let multibyte = "1. [security] ééééééééééééééééé: x. **Suggested fix**: y";
    assert_eq!(found(multibyte), ["1|security|ééééééééééééééééé: x.|y"]);
}

#[test]
fn out_of_scope_is_a_prefix() {
    let text = "1. [OUT_OF_SCOPE] [code-quality] Old code in skills/foo/bar.sh:120-150 and src/a.rs.\n\
                2. [security] [out_of_scope] Keys in .env.example:3\n\
                [OUT_OF_SCOPE] [architecture] A cycle.\n\
                - [OUT_OF_SCOPE] **correctness**: Overflow.\n\
                5. [correctness] This is not [OUT_OF_SCOPE] at all. Suggested revision: x";
    assert_eq!(
        found(text),
        [
            "1|oos code-quality|Old code in skills/foo/bar.sh:120-150 and src/a.rs.|",
            "2|oos security|Keys in .env.example:3|",
            "3|oos architecture|A cycle.|",
            "4|oos correctness|Overflow.|",
            "5|correctness|This is not [OUT_OF_SCOPE] at all.|x",
        ]
    );
    let read = read_findings(text);
    assert_eq!(read.findings[0].paths(), ["skills/foo/bar.sh:120-150", "src/a.rs"]);
    assert_eq!(read.findings[1].paths(), [".env.example:3"]);
    assert_eq!(read.errors, []);
}

#[test]
fn inner_lists_belong_to_their_finding() {
    let text = "1. [correctness] Two cases fail:\n   1. empty\n   2. [security] huge\n   Suggested revision:\n   - one\n   - two\n2. [security] x\n- correctness: y\nFix: z";
    assert_eq!(
        found(text),
        ["1|correctness|Two cases fail: empty [security] huge|one two", "2|security|x correctness: y|z"]
    );
}

#[test]
fn lists_below_a_heading_belong_to_its_finding() {
    let text = "### 1. [correctness] Two cases fail\n1. empty\n2. huge\n\nSuggested revision: Test both.\n\
                ### Finding 2: [security] Keys leak\nFinding 1 is worse.\nFix: Hide them.\n\
                ## Out of scope\n1. [OUT_OF_SCOPE] [architecture] A cycle.\n  2. [OUT_OF_SCOPE] inner";
    assert_eq!(
        found(text),
        [
            "1|correctness|Two cases fail empty huge|Test both.",
            "2|security|Keys leak Finding 1 is worse.|Hide them.",
            "3|oos architecture|A cycle. [OUT_OF_SCOPE] inner|",
        ]
    );
}

#[test]
fn numbers_never_repeat() {
    let text = "2. [security] a\n2. [security] b\n7. [security] c\n1. [security] d\n4294967295. [security] e\n1. [security] f";
    let numbers: Vec<u32> = read_findings(text).findings.iter().map(|finding| finding.n).collect();
    assert_eq!(numbers, [2, 3, 7, 8, u32::MAX, u32::MAX]);
}

#[test]
fn no_issues_is_said_with_one_word() {
    for text in ["NO_ISSUES_FOUND", "\u{feff}\r\n NO_ISSUES_FOUND\r\n\0"] {
        let expected =
            ReviewerFindings { status: FindingsStatus::NoIssues, findings: vec![], errors: vec![] };
        assert_eq!(read_findings(text), expected);
    }
    for (text, line, message) in [
        ("", 1, "expected numbered findings, or exactly NO_ISSUES_FOUND"),
        ("The plan is fine.", 1, "expected numbered findings, or exactly NO_ISSUES_FOUND"),
        ("no_issues_found", 1, "expected numbered findings, or exactly NO_ISSUES_FOUND"),
        ("```\n1. [security] x\n```", 1, "expected numbered findings, or exactly NO_ISSUES_FOUND"),
        ("| 1. | [security] | x |", 1, "expected numbered findings, or exactly NO_ISSUES_FOUND"),
        ("Looked at it.\nNO_ISSUES_FOUND", 2, "NO_ISSUES_FOUND must be the whole answer"),
        ("1.", 1, "finding 1 has no concern"),
        ("1. [security]\n## End", 1, "finding 1 has no concern"),
    ] {
        let read = read_findings(text);
        assert_eq!((read.status, read.findings.len()), (FindingsStatus::Invalid, 0), "{text}");
        assert_eq!(errors(text), [(line, message.to_owned())], "{text}");
    }
}

#[test]
fn what_is_missing_is_said_and_the_finding_is_kept() {
    let text = "x\n1. The plan is thin.\n2. [security] Keys.\nNO_ISSUES_FOUND\n3. [OUT_OF_SCOPE] Old.";
    assert_eq!(found(text), ["1|?|The plan is thin.|", "2|security|Keys.|", "3|oos ?|Old.|"]);
    assert_eq!(
        errors(text),
        [
            (2, "finding 1 has no focus tag".to_owned()),
            (2, "finding 1 has no suggested revision".to_owned()),
            (3, "finding 2 has no suggested revision".to_owned()),
            (5, "finding 3 has no focus tag".to_owned()),
            (4, "NO_ISSUES_FOUND stands beside findings".to_owned()),
        ]
    );
}

#[test]
fn findings_are_printed_as_the_plumbing_promises() {
    let text = "1. [risk-integration] Breaks src/a.rs:3. Suggested revision: Do not.\n2. [OUT_OF_SCOPE] Old";
    assert_eq!(
        serde_json::to_string(&read_findings(text)).expect("plain data"),
        r#"{"status":"findings","findings":[{"n":1,"focus":"risk-integration","concern":"Breaks src/a.rs:3.","revision":"Do not.","out_of_scope":false,"paths":["src/a.rs:3"]},{"n":2,"focus":null,"concern":"Old","revision":null,"out_of_scope":true,"paths":[]}],"errors":[{"line":2,"message":"finding 2 has no focus tag"}]}"#
    );
    let status =
        |text: &str| serde_json::to_value(read_findings(text)).expect("plain data")["status"].clone();
    assert_eq!((status("NO_ISSUES_FOUND"), status("x")), ("no-issues".into(), "invalid".into()));
}

#[test]
fn enormous_reviews_are_read_once() {
    let long = "x".repeat(1 << 20);
    assert_eq!(found(&format!("1. [security] {long}\n{long}")).len(), 1);
    for odd in
        [":".repeat(1 << 20), "*".repeat(1 << 20), "[".repeat(1 << 20), "suggested revision".repeat(1 << 16)]
    {
        read_findings(&format!("1. {odd}"));
        read_findings(&odd);
    }
    let many: Vec<String> = (1..=1 << 15).map(|n| format!("{n}. [security] x {n}")).collect();
    assert_eq!(found(&many.join("\n")).len(), 1 << 15);
    let lines = "1. [security] x\n".to_owned() + &"src/a.rs:1\n".repeat(1 << 16);
    assert_eq!(read_findings(&lines).findings[0].paths(), ["src/a.rs:1"]);
}

proptest! {
    #[test]
    fn no_review_is_too_strange(text in "(([0-9]{1,3}[.)] |\\[|\\]|security|\\*\\*|#|: |-|`|Suggested revision:|\\[OUT_OF_SCOPE\\]|\r|\n|\0|\\PC){0,4}){0,30}") {
        let read = read_findings(&text);
        prop_assert_eq!(read.status == FindingsStatus::Findings, !read.findings.is_empty());
        prop_assert!(read.findings.iter().all(|finding| !finding.concern.is_empty()));
        prop_assert!(read.findings.windows(2).all(|pair| pair[0].n < pair[1].n));
        prop_assert!(read.findings.len() + read.errors.len() > 0);
        prop_assert!(read.errors.iter().all(|error| error.line <= text.lines().count().max(1)));
    }

    #[test]
    fn plain_findings_are_all_found(concerns in prop::collection::vec("[a-z]{3,9}( [a-z]{1,9}){1,6}", 1..8)) {
        let text: Vec<String> = (1..).zip(&concerns).map(|(n, c): (u32, _)| format!("{n}. [security] {c}. Suggested revision: r")).collect();
        let expected: Vec<String> = (1..).zip(&concerns).map(|(n, c): (u32, _)| format!("{n}|security|{c}.|r")).collect();
        prop_assert_eq!(found(&text.join("\n")), expected);
    }
}
