//! A specification that is good, and every way in which it can go wrong.

use charrette_model::panel::cite::{SourceFacts, SourceKind};
use charrette_model::spec::check::{
    FileFacts, IssueCode, SpecFiles, SpecIssue, check, check_level, check_name,
};
use charrette_model::spec::coverage::{CoverageTexts, lost_parts};
use charrette_model::spec::resolver::SpecLevel;
use proptest::prelude::*;
use std::sync::Arc;

const REQUIREMENTS: &str = "# Rate limiting

> **Status:** Draft
> **Created:** 2026-11-15
> **Spec ID:** rate-limiting

## Overview

Each account may send a limited number of requests, see [the design](design.md#overview).

## User Stories

### US1: A fair share

As an operator, I want each account limited, so that one client cannot starve the others.

**Acceptance Criteria:**

- **REQ-1.1:** WHEN an account sends more than its limit, THE SYSTEM SHALL answer with status 429.
- **REQ-1.2:** IF the table is full, THEN THE SYSTEM SHALL drop the oldest bucket.

## Non-Functional Requirements

- **NFR-1:** THE SYSTEM SHALL add at most one millisecond to a request.

## Out of Scope

- Limits per endpoint.

## Dependencies

| Dependency | Why |
|---|---|
| none | – |
";

const DESIGN: &str = "# Design: rate limiting

## Overview

One more layer.

## Architecture

Today none, then one.

## Component Design

### C1: Limiter

`src/limit.rs` (new), for REQ-1.2.

## Data Models

A bucket.

## Data Flow

Authentication, limiter, router.

## Error Handling

429.

## Testing Strategy

At the limit and above it.

## Decisions

### D1: Counts live in memory

Voted 2-1.

## Risks

The table grows.

## Confidence

medium: not tried behind a proxy.
";

const TASKS: &str = "# Tasks: rate limiting

## Phase 1: Limiter

### T001: The bucket [REQ-1.1, C1]

Add the table.

**Files:** src/limit.rs (new, with its tests), src/lib.rs
**Proof:** test `limit::tests::burst`; fails without the bound
**_Prompt:** **Role:** developer | **Task:** add it | **Restrictions:** none | **Success:** the tests pass

### T002: Drop the oldest [C1]

**Files:** src/limit.rs
**Depends on:** T001
**Proof:** command cargo test limit
**_Prompt:** **Role:** developer | **Task:** drop it | **Restrictions:** none | **Success:** the tests pass

## Phase 2: Proof

### T003: Measure it [NFR-1, REQ-1.2]

**Files:** none
**Depends on:** T001
**Proof:** none (measured by a person)
**_Prompt:** **Role:** developer | **Task:** measure | **Restrictions:** none | **Success:** below a millisecond

## Progress

**Total:** 0/3 tasks complete

## Task Dependencies

T001 -> T002
T001 -> T003

## Completion Criteria

1. [ ] All tests pass.
";

const SUMMARY: &str = "# Rate Limiting

> **Status:** Draft

## Summary

Each account may send a limited number of requests. Counts live in memory.

## Key Decisions

- Counts live in memory
- One layer
- One table

## Links

- [Requirements](requirements.md)
- [Design](design.md)
- [Tasks](tasks.md)
- [Record](spec.json)
- [Facts](meta.yaml)
";

const SPEC_JSON: &str = r#"{
  "name": "rate-limiting",
  "status": "draft",
  "created": "2026-11-15",
  "updated": "2026-11-15",
  "author": "plan-agent",
  "version": "1.0.0",
  "files": {"requirements": "requirements.md", "design": "design.md"},
  "phases": ["Limiter", "Proof"],
  "tasks": [
    {"id": "T001", "title": "The bucket", "status": "pending", "assignee": null},
    {"id": "T002", "title": "Drop the oldest", "status": "pending", "assignee": null},
    {"id": "T003", "title": "Measure it", "status": "pending", "assignee": null}
  ]
}
"#;

const META: &str = "id: rate-limiting
status: draft
created: 2026-11-15
updated: 2026-11-15
tasks_total: 3
tasks_complete: 0
";

const PLAN: &str = "## Files to modify/create
- `src/limit.rs` (new): the limiter.
- `src/lib.rs`: one more module.

## Approach
A bucket.

## Edge cases
- None.

## Failure modes
1. It grows.

## Testing strategy
- At the limit.
";

fn exists(path: &str) -> bool {
    matches!(path, "src/lib.rs" | "src" | "docs/limits.md")
}

/// A repository with a file of two lines.
struct Repository;

impl FileFacts for Repository {
    fn exists(&self, path: &str) -> bool {
        exists(path)
    }

    fn sources(&self) -> Option<Arc<dyn SourceFacts>> {
        Some(Arc::new(Repository))
    }
}

impl SourceFacts for Repository {
    fn kind(&self, path: &str) -> Option<SourceKind> {
        let kind = if path == "src" { SourceKind::Folder } else { SourceKind::Text { lines: 2 } };
        exists(path).then_some(kind)
    }

    fn lines(&self, _: &str, first: usize, last: usize) -> Vec<String> {
        ["mod http;", "mod store;"][first - 1..last].iter().map(|line| (*line).to_owned()).collect()
    }
}

/// The good files with one of them changed; the plan is the seventh.
fn changed(file: &str, from: &str, to: &str) -> Vec<SpecIssue> {
    let text = |name: &str, good: &str| {
        if name != file {
            return good.to_owned();
        }
        assert!(good.contains(from), "{file} has no {from:?}");
        good.replacen(from, to, 1)
    };
    let [requirements, design, tasks] =
        [text("requirements.md", REQUIREMENTS), text("design.md", DESIGN), text("tasks.md", TASKS)];
    let [summary, spec_json, meta] =
        [text("summary.md", SUMMARY), text("spec.json", SPEC_JSON), text("meta.yaml", META)];
    let files = SpecFiles {
        requirements: &requirements,
        design: &design,
        tasks: &tasks,
        summary: &summary,
        spec_json: &spec_json,
        meta: &meta,
    };
    check(&files, Some(&text("plan.txt", PLAN)), &Repository)
}

fn told(issues: &[SpecIssue]) -> Vec<String> {
    issues.iter().map(SpecIssue::to_string).collect()
}

#[test]
fn a_good_specification_has_no_issues() {
    assert_eq!(told(&changed("", "", "")), [""; 0]);
}

/// Edits of the files, with the problems they must cause.
#[rustfmt::skip]
const BROKEN: &[(&str, &str, &str, &str)] = &[
    ("summary.md", SUMMARY, " \n", "summary.md:1: summary.md is not there, or empty [missing-file]"),
    ("spec.json", "\"draft\",", "\"draft\"", "spec.json:4: spec.json is not JSON: expected `,` or `}` at line 4 column 3 [unreadable]"),
    ("meta.yaml", "tasks_total: 3", "tasks_total: many", "meta.yaml:5: the value of tasks_total is not a number: many [unreadable]"),
    ("tasks.md", "### T002", "### T001", "tasks.md:13: T001 is there twice [malformed]"),
    ("design.md", "429.", "```\n429.", "design.md:27: this fence is never closed [malformed]"),
    ("requirements.md", "- **REQ-1.2:**", "- **REQ-1.1:**", "requirements.md:20: REQ-1.1 is there twice [malformed]"),
    ("design.md", "## Risks\n\nThe table grows.\n\n", "", "design.md:1: the section \"Risks\" is missing [section]"),
    ("design.md", "Today none, then one.", "", "design.md:7: the section \"Architecture\" is empty [section]"),
    ("requirements.md", "## Out of Scope", "## Later", "requirements.md:1: the section \"Out of Scope\" is missing [section]"),
    ("requirements.md", "THE SYSTEM SHALL drop", "it must drop", "requirements.md:20: REQ-1.2 is not in EARS form: no SHALL [ears]"),
    ("requirements.md", "add at most one millisecond to a request", "be fast", "requirements.md:24: NFR-1 cannot be tested: \"fast\" has no measure [untestable]"),
    ("requirements.md", "- **NFR-1:**", "- **NFR-2:** THE SYSTEM SHALL log.\n- **NFR-1:**", "requirements.md:24: no task covers NFR-2 [uncovered]"),
    ("requirements.md", "- **NFR-1:**", "- **NFR-2:** THE SYSTEM SHALL log.\n- **NFR-1:**", "requirements.md:24: NFR-2 does not say how it is tested: no acceptance criteria, no measure, and no task that names it has a Success [untestable]"),
    ("tasks.md", "[NFR-1, REQ-1.2]", "", "tasks.md:22: T003 names no requirement it covers [untraced-task]"),
    ("design.md", ", for REQ-1.2", "", "tasks.md:13: T002 names no requirement it covers [untraced-task]"),
    ("tasks.md", "**Files:** none\n", "", "tasks.md:22: T003 does not say which files it touches; \"**Files:** none\" if there are none [no-files]"),
    ("tasks.md", "src/lib.rs", "src/gone.rs", "tasks.md:5: T001 names src/gone.rs, which does not exist and is not marked (new) [unknown-file]"),
    ("tasks.md", "src/lib.rs", "../src/lib.rs", "tasks.md:5: T001 names ../src/lib.rs, which does not exist and is not marked (new) [unknown-file]"),
    ("tasks.md", "**_Prompt:** **Role:** developer | **Task:** measure | **Restrictions:** none | **Success:** below a millisecond", "", "tasks.md:22: T003 has no prompt [no-prompt]"),
    ("tasks.md", "**Role:** developer | **Task:** measure | **Restrictions:** none | **Success:** below a millisecond", "", "tasks.md:22: the prompt of T003 says nothing [no-prompt]"),
    ("tasks.md", "**Proof:** command cargo test limit\n", "", "tasks.md:13: T002 has no proof; \"**Proof:** test NAME\", \"command …\" or \"none (reason)\" [no-proof]"),
    ("tasks.md", "command cargo test limit", "`cargo test limit` passes", "tasks.md:17: T002: the proof must be  test NAME,  command PROGRAM ARGUMENTS  or  none (reason), not \"cargo test limit` passes\" [no-proof]"),
    ("tasks.md", "cargo test limit", "cargo test | tee log", "tasks.md:17: T002: the command of the proof cannot be run: '|' works in a shell only, and there is none; quote it, or put the line into a script [no-proof]"),
    ("tasks.md", "**Depends on:** T001", "**Depends on:** T009", "tasks.md:16: T002 depends on T009, which does not exist [dependency]"),
    ("tasks.md", "T001 -> T002", "T002 -> T001", "tasks.md:16: Dependency cycle detected: T001 -> T002 -> T001 [dependency]"),
    ("tasks.md", "[REQ-1.1, C1]", "[REQ-1.1, C7]", "tasks.md:5: C7 is defined nowhere [dangling-id]"),
    ("design.md", "REQ-1.2", "REQ-1.2 and REQ-4.2", "design.md:15: REQ-4.2 is defined nowhere [dangling-id]"),
    ("requirements.md", "design.md#overview", "design.md#review", "requirements.md:9: the link to design.md#review leads nowhere [dangling-link]"),
    ("design.md", "429.", "[see](../../src/gone.rs)", "design.md:27: the link to ../../src/gone.rs leads nowhere [dangling-link]"),
    ("spec.json", "\"design\": \"design.md\"", "\"design\": \"plan.md\"", "spec.json:8: 'plan.md' is no file of a specification [dangling-link]"),
    ("tasks.md", "0/3", "1/4", "tasks.md:31: progress says 1/4, the tasks say 0/3 [count]"),
    ("tasks.md", "**Total:** 0/3 tasks complete", "", "tasks.md:1: there is no line \"**Total:** 0/3 tasks complete\" under \"Progress\" [count]"),
    ("meta.yaml", "tasks_total: 3", "tasks_total: 4", "meta.yaml:5: tasks_total is 4, in tasks.md it is 3 [count]"),
    ("meta.yaml", "tasks_complete: 0\n", "", "meta.yaml:1: tasks_complete is missing, in tasks.md it is 0 [count]"),
    ("spec.json", "\"T003\"", "\"T004\"", "spec.json:10: T003 of tasks.md is not listed [count]"),
    ("spec.json", "\"T003\"", "\"T004\"", "spec.json:13: T004 is not in tasks.md [count]"),
    ("spec.json", "\"pending\"", "\"complete\"", "spec.json:11: T001 is 'complete', in tasks.md it is not complete [count]"),
    ("spec.json", "\"The bucket\"", "\"A bucket\"", "spec.json:11: T001 is called 'A bucket', in tasks.md 'The bucket' [count]"),
    ("spec.json", "\"Limiter\", ", "", "spec.json:9: the phases are \"Proof\", in tasks.md they are \"Limiter\", \"Proof\" [phases]"),
    ("spec.json", "\"draft\"", "\"approved\"", "spec.json:3: the status is 'approved', in meta.yaml it is 'draft' [status]"),
    ("summary.md", "Draft", "Approved", "summary.md:3: the status is 'Approved', in spec.json it is 'draft' [status]"),
    ("meta.yaml", "status: draft\n", "", "meta.yaml:1: there is no status [status]"),
    ("tasks.md", "# Tasks: rate limiting\n", "# Tasks\n\n> **Status:** Ready\n", "tasks.md:3: 'Ready' is none of Draft, Approved, In Progress and Complete [status]"),
    ("meta.yaml", "id: rate-limiting", "id: other", "meta.yaml:1: the name is 'other', in spec.json it is 'rate-limiting' [name]"),
    ("requirements.md", "> **Spec ID:** rate-limiting\n", "", "requirements.md:1: there is no name [name]"),
    ("meta.yaml", "created: 2026-11-15", "created: 2026-11-16", "meta.yaml:3: the date of creation is '2026-11-16', in spec.json it is '2026-11-15' [date]"),
    ("meta.yaml", "updated: 2026-11-15", "updated: 2026-13-15", "meta.yaml:4: '2026-13-15' is no date YYYY-MM-DD [date]"),
    ("design.md", "medium: not tried", "quite sure: not tried", "design.md:43: the confidence begins with none of high, medium and low [confidence]"),
    ("summary.md", " Counts live in memory.", "", "summary.md:5: the summary has 1 sentences; 2 to 4 are wanted [summary-length]"),
    ("summary.md", "- One table\n", "", "summary.md:9: 2 key decisions are listed; 3 to 5 are wanted [key-decisions]"),
    ("summary.md", "- [Facts](meta.yaml)\n", "", "summary.md:1: no link leads to meta.yaml [summary-links]"),
    ("plan.txt", "## Edge cases\n- None.\n", "", "plan.txt:1: the section \"Edge cases\" is missing [plan-section]"),
    ("plan.txt", "## Failure modes\n1. It grows.\n", "", "plan.txt:1: the section \"Failure modes\" is missing [plan-section]"),
    ("plan.txt", "`src/lib.rs`", "`src/gone.rs`", "plan.txt:3: the plan names src/gone.rs, which does not exist and is not marked (new) [plan-file]"),
    ("design.md", "429.", "429, as src/lib.rs:3 does.", "design.md:27: src/lib.rs:3: the file has 2 lines [wrong-place]"),
    ("design.md", "429.", "`src/lib.rs:1`: \"mod other;\"", "design.md:27: src/lib.rs:1: the quoted text is not there; it is not in the file, and the cited line says: mod http; [wrong-place]"),
    ("requirements.md", REQUIREMENTS, "# Nothing\n", "requirements.md:1: nothing is demanded: no REQ-n.m or NFR-n [no-requirement]"),
    ("tasks.md", TASKS, "# Nothing\n", "tasks.md:1: there is no task [no-task]"),
    ("design.md", "429.", "429 (to be filled in: the text of the answer).", "design.md:27: (to be filled in: the text of the answer) [open-point]"),
    ("requirements.md", "THE SYSTEM SHALL drop the oldest bucket", "THE SYSTEM SHALL mend the TODO of the store", "requirements.md:20: REQ-1.2 is a note about the code: say what the system shall do [not-a-requirement]"),
];

#[test]
fn every_rule_has_something_that_breaks_it() {
    let (mut broken, mut wrong) = (std::collections::BTreeSet::new(), Vec::new());
    for (file, from, to, expected) in BROKEN {
        let issues = changed(file, from, to);
        if !told(&issues).iter().any(|told| told == expected) {
            wrong.push(format!("{expected}\n{:#?}", told(&issues)));
        }
        broken.extend(issues.iter().filter(|issue| issue.to_string() == *expected).map(|issue| issue.code));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Projects and features have rules of their own.
    let level = |level, manifest| check_level(level, "", manifest);
    let cyclic = r#"{"specs": [{"name": "a", "depends_on": ["b"]}, {"name": "b", "depends_on": ["a", "d"]}, {"name": "c"}, {"name": "c"}]}"#;
    let of_levels =
        [level(SpecLevel::Project, r#"{"features": []}"#), level(SpecLevel::Feature, cyclic)].concat();
    broken.extend(of_levels.iter().map(|issue| issue.code));
    // So has what got lost between a plan and its files.
    let empty = CoverageTexts { plan: PLAN, resolutions: "", requirements: "", design: "", tasks: "" };
    broken.extend(lost_parts(&empty).iter().map(|issue| issue.code));
    let untried: Vec<&IssueCode> = IssueCode::ALL.iter().filter(|code| !broken.contains(code)).collect();
    assert_eq!(untried, [&IssueCode::MissingFile; 0]);
}

#[test]
fn proofs_are_not_demanded_of_what_was_approved_without() {
    let issues = |tasks: &str, status: &str| {
        let files = SpecFiles {
            tasks,
            spec_json: &SPEC_JSON.replace("\"draft\"", &format!("\"{status}\"")),
            ..SpecFiles::default()
        };
        check(&files, None, &|_: &str| true).iter().filter(|issue| issue.code == IssueCode::NoProof).count()
    };
    let without: String = TASKS.split_inclusive('\n').filter(|line| !line.starts_with("**Proof:")).collect();
    assert_eq!((issues(&without, "draft"), issues(&without, "approved")), (3, 0));
    // Once one task has a proof, all need one.
    let mixed = TASKS.replacen("**Proof:** command cargo test limit\n", "", 1);
    assert_eq!(issues(&mixed, "approved"), 1);
}

#[test]
fn what_is_no_fault_is_not_reported() {
    for (file, from, to) in [
        ("plan.txt", "- `src/lib.rs`: one more module.", "New files:\n- `src/other.rs`: more.\n"),
        ("plan.txt", "`src/lib.rs`: one", "None besides: one"),
        ("tasks.md", "**Files:** none", "**Files:** `src/*.rs`, src/limit.rs:12-20"),
        ("tasks.md", "**Files:** none\n", "The numbers go to docs/limits.md.\n"),
        ("tasks.md", "### T001: The bucket [REQ-1.1, C1]\n", "### T001: The bucket\nCovers REQ-1.1.\n"),
        ("design.md", "## Data Models", "## 4. Data Model (none)"),
        ("design.md", "429.", "[code](../../src/lib.rs#L3), [web](https://example.org/x), [below](#risks)"),
        ("design.md", "429.", "`src/lib.rs:2`: \"mod store;\", `src/limit.rs:7`, requirements.md:3"),
        ("design.md", "# Design: rate limiting\n", "# Design\n\n> **Status:** Draft\n"),
        ("requirements.md", "- Limits per endpoint.", "Limits per endpoint; `[x](y)` stays."),
        ("summary.md", "- One table\n", "- One table\n  - which is small\n- One clock\n"),
    ] {
        assert_eq!(told(&changed(file, from, to)), [""; 0], "{file}: {to}");
    }
    let documents = PLAN.replace("src/limit.rs` (new)", "docs/limits.md`").replace("src/lib.rs", "README.md");
    let without = documents.replace("## Failure modes\n1. It grows.\n", "");
    let issues = changed("plan.txt", PLAN, &without);
    assert_eq!(
        told(&issues),
        ["plan.txt:3: the plan names README.md, which does not exist and is not marked (new) [plan-file]"]
    );
}

#[test]
fn issues_come_by_file_and_line() {
    let issues = check(&SpecFiles::default(), None, &exists);
    let files: Vec<&str> = issues.iter().map(|issue| issue.file).collect();
    assert_eq!(files, ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"]);
    assert!(issues.iter().all(|issue| issue.code == IssueCode::MissingFile));
    let issues = changed("tasks.md", "**_Prompt:**", "**Not:**");
    assert!(issues.is_sorted_by_key(|issue| issue.line), "{:#?}", told(&issues));
}

#[test]
fn the_name_is_that_of_the_folder() {
    let files = SpecFiles { spec_json: SPEC_JSON, ..SpecFiles::default() };
    for name in ["rate-limiting", "shop/rate-limiting", "shop.rate-limiting"] {
        assert_eq!(check_name(name, &files), []);
    }
    assert_eq!(
        told(&check_name("other", &files)),
        ["spec.json:2: the name is 'rate-limiting', the folder is called 'other' [name]"]
    );
}

#[test]
fn much_of_anything_takes_no_longer_than_it_must() {
    for piece in [
        "](",
        "[a](b)\n",
        "### T001: x [REQ-1.1]\n",
        "REQ-1.1 ",
        "- **NFR-1:** THE SYSTEM SHALL\n",
        "`",
        "# ",
        "## a\n",
        "a/",
        "**Files:** a/b/c (new), d\n",
        "\"id\": \"T001\"\n",
        "> **Status:** x\n",
        "- `a/b`\n",
    ] {
        let text = piece.repeat((1 << 16) / piece.len());
        let plan = format!("## Files to modify/create\n{text}");
        let files = SpecFiles {
            requirements: &text,
            design: &text,
            tasks: &text,
            summary: &text,
            spec_json: &text,
            meta: &text,
        };
        assert!(!check(&files, Some(&plan), &|_: &str| false).is_empty());
    }
}

proptest! {
    #[test]
    fn no_file_is_too_strange(texts in prop::collection::vec("(## |### |- |\\*\\*|> |T001|REQ-1\\.1|\\[|\\]\\(|\\)|Files:|Status:|`|```|: |\\||#|\n|\r\n|\\PC){0,30}", 7)) {
        let files = SpecFiles { requirements: &texts[0], design: &texts[1], tasks: &texts[2], summary: &texts[3], spec_json: &texts[4], meta: &texts[5] };
        let issues = check(&files, Some(&texts[6]), &|path: &str| path.len().is_multiple_of(2));
        for issue in issues {
            prop_assert!(issue.line > 0 && !issue.message.contains('\n'));
        }
    }
}
