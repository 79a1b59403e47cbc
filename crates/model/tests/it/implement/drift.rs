//! Drift, follow-ups and the report.

use charrette_model::implement::drift::{RequirementStatus, TaskResult, find_drift};
use charrette_model::implement::follow_ups::{FollowUp, TouchedPlace, group_follow_ups, render_follow_ups};
use charrette_model::implement::report::{
    CommandLine, ImplementationReport, RoundLine, TaskReport, render_report,
};
use charrette_model::implement::{GreenState, ProofVerdict, RedState, TaskPlan, TaskState};
use charrette_model::spec::record::LinearIssue;
use std::collections::BTreeMap;

const REQUIREMENTS: &str = "## User Stories\n### US1: A\n- **REQ-1.1:** THE SYSTEM SHALL refuse.\n- **REQ-1.2:** THE SYSTEM SHALL count.\n### US2: B\n- **REQ-2.1:** THE SYSTEM SHALL log.\n## Non-Functional Requirements\n- **NFR-1:** THE SYSTEM SHALL be fast.\n";
const TASKS: &str = "### T001: A [REQ-1.1]\n**Files:** src/a.rs\n**Proof:** test a\n\n### T002: B [US2]\n**Files:** docs/\n**Proof:** none (prose)\n\n### T003: C [REQ-1.2]\n**Files:** src/c.rs\n**Proof:** test c\n";

fn result(state: TaskState, green: GreenState, files: &[&str]) -> TaskResult {
    TaskResult {
        state,
        verdict: Some(ProofVerdict { red: RedState::Proven, green }),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
    }
}

#[test]
fn every_requirement_and_every_file_has_its_task() {
    let plan = TaskPlan::read(TASKS, "").unwrap();
    let results = BTreeMap::from([
        ("T001".to_owned(), result(TaskState::Integrated, GreenState::Proven, &["src/a.rs", "src/extra.rs"])),
        ("T002".to_owned(), result(TaskState::Integrated, GreenState::NotNeeded, &[])),
        ("T003".to_owned(), result(TaskState::Integrated, GreenState::Failed, &[])),
    ]);
    let changed: Vec<String> =
        ["src/a.rs", "src/extra.rs", "docs/x.md", "src/orphan.rs"].map(str::to_owned).to_vec();
    let table = find_drift(REQUIREMENTS, &plan, &results, &changed);
    let rows: Vec<_> = table.requirements.iter().map(|row| (row.id.as_str(), row.status)).collect();
    assert_eq!(
        rows,
        [
            ("REQ-1.1", RequirementStatus::Met),
            ("REQ-1.2", RequirementStatus::Unproven),
            ("REQ-2.1", RequirementStatus::Met),
            ("NFR-1", RequirementStatus::Uncovered)
        ]
    );
    assert_eq!(
        table.problems(),
        ["REQ-1.2 is not proven: T003", "NFR-1 has no task", "src/orphan.rs belongs to no task"]
    );
    assert_eq!(table.requirements[2].shown_by, ["none: prose"]);
    let mut parked = results;
    parked.get_mut("T001").unwrap().state = TaskState::Parked;
    assert_eq!(
        find_drift(REQUIREMENTS, &plan, &parked, &[]).requirements[0].status,
        RequirementStatus::Undone
    );
}

#[test]
fn a_finished_work_is_clean() {
    let plan =
        TaskPlan::read("### T001: A [US1, US2, NFR-1]\n**Files:** src\n**Proof:** test a\n", "").unwrap();
    let results =
        BTreeMap::from([("T001".to_owned(), result(TaskState::Integrated, GreenState::Proven, &[]))]);
    let table = find_drift(REQUIREMENTS, &plan, &results, &["src/a|b.rs".to_owned()]);
    assert!(table.is_clean(), "{:?}", table.problems());
    assert_eq!(
        table.to_markdown().lines().last(),
        Some("| src/a\\|b.rs | T001 |"),
        "{}",
        table.to_markdown()
    );
}

#[test]
fn follow_ups_on_the_same_lines_wait_for_each_other() {
    let draft = |title: &str, places: &[(&str, Option<(usize, usize)>)]| FollowUp {
        title: title.to_owned(),
        concern: "why".to_owned(),
        places: places
            .iter()
            .map(|(path, lines)| TouchedPlace { path: (*path).to_owned(), lines: *lines })
            .collect(),
        ..FollowUp::default()
    };
    let drafts = [
        draft("one", &[("a.rs", Some((1, 10)))]),
        draft("two", &[("a.rs", Some((11, 20)))]),
        draft("three", &[("a.rs", Some((10, 11)))]),
        draft("four", &[("b.rs", None)]),
        draft("five", &[("b.rs", Some((5, 5)))]),
        draft("six", &[]),
    ];
    assert_eq!(group_follow_ups(&drafts), [vec![0, 1, 3, 5], vec![2, 4]]);
    let text = render_follow_ups("limits", None, &drafts, &[]);
    assert!(text.contains("## 3. three\n\nwhy\n\n**After:** 1, 2 (same lines)\n"), "{text}");
    assert!(text.contains("Found during the implementation, accepted"), "{text}");
    assert_eq!(render_follow_ups("limits", None, &[], &[]), "# Follow-ups of limits\n\nNone.\n");
}

#[test]
fn follow_ups_name_their_issues_and_the_issue_of_the_feature() {
    let long = format!("first\n{}", "word ".repeat(60));
    let drafts = [FollowUp::new("one\u{1b}[2J", &long, ""), FollowUp::new("two", "why", "")];
    let issue = LinearIssue { identifier: "BASE-2".to_owned(), url: "https://linear.app/BASE-2".to_owned() };
    let text = render_follow_ups("limits", Some("BASE-1"), &drafts, &[issue]);
    assert!(text.contains("Found during the implementation of BASE-1, accepted"), "{text}");
    assert!(text.contains("\n\n**Issue:** BASE-2 - https://linear.app/BASE-2\n\n## 2. two\n"), "{text}");
    assert_eq!(text.matches("**Issue:**").count(), 1, "{text}");
    assert!(text.contains("## 1. one\\u{1b}[2J\n"), "{text}");
    assert!(text.contains(long.trim()), "{text}");
}

#[test]
fn a_report_says_what_was_done_and_proven() {
    let command = |name: &str, is_green| CommandLine {
        name: name.to_owned(),
        command: format!("make {name}"),
        ending: if is_green { "exit 0" } else { "exit 2" }.to_owned(),
        is_green,
        seconds: 1.25,
    };
    let report = ImplementationReport {
        feature: "limits".to_owned(),
        run: "limits-1".to_owned(),
        base: "0123456789abcdef".to_owned(),
        tip: "fedcba9876543210".to_owned(),
        landing: "main was fast-forwarded".to_owned(),
        tasks: vec![TaskReport {
            id: "T001".to_owned(),
            title: "The | bucket".to_owned(),
            state: TaskState::Integrated,
            commits: vec!["abcdefabcdefabcdef".to_owned()],
            files: vec!["src/a.rs".to_owned()],
            proof: "test `a`".to_owned(),
            verdict: Some(ProofVerdict { red: RedState::NotBuilt, green: GreenState::Proven }),
            commands: vec![command("test", true)],
            rounds: vec![
                RoundLine {
                    implementer: "claude".to_owned(),
                    reviewer: Some("codex".to_owned()),
                    outcome: "FAIL".to_owned(),
                    findings: vec!["the bound\nis off".to_owned()],
                },
                RoundLine {
                    implementer: "claude".to_owned(),
                    reviewer: Some("codex".to_owned()),
                    outcome: "PASS".to_owned(),
                    findings: vec![],
                },
            ],
            not_done: vec!["docs".to_owned()],
            decision: None,
            cost_usd: Some(0.5),
        }],
        verification: vec![command("build", true), command("lint", false)],
        cost_usd: Some(1.0),
        tokens: Some(1200),
        ..ImplementationReport::default()
    };
    let text = render_report(&report);
    for line in [
        "> **Commits:** 0123456789ab..fedcba987654",
        "> **Cost:** $1.00, 1200 tokens",
        "| T001 The \\| bucket | done | green; did not build before | 2 | abcdefabcdef |",
        "- Proof: test `a` (green; did not build before)",
        "1. claude, reviewed by codex: FAIL",
        "   - the bound\\nis off",
        "| lint: `make lint` | **red** | exit 2 | 1.2 |",
        "- Not done, says the implementer: docs",
        "Every requirement is met and proven or has a reason, and every changed file belongs to a task.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains("\n\n\n"), "{text}");
}
