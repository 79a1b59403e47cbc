//! The six files of a design, from drafts that are good, bad or hostile.

use charrette_engine::authorship::{Authorship, SeatOccupant};
use charrette_engine::deliverable::{
    GateSummary, Materials, SpecStatus, Templates, assemble, gate_summary, with_status, without_status,
};
use charrette_model::panel::resolutions::read_resolutions;
use charrette_model::spec::check::{SpecFiles, check};
use insta::assert_snapshot;
use proptest::prelude::*;

const REQUIREMENTS: &str = "# Rate limiting

> **Status:** Approved
> **Created:** yesterday
> **Spec ID:** something-else

## Overview
Each account may send a limited number of requests.

## User Stories

### US1: A fair share
As an operator, I want each account limited, so that one client cannot starve the others.

**Acceptance Criteria:**
- **REQ-1.1:** WHEN an account sends more than its limit, THE SYSTEM SHALL answer with status 429.

## Non-Functional Requirements
- **NFR-1:** THE SYSTEM SHALL add at most one millisecond to a request.

## Out of Scope
- Limits per endpoint.
- Limits per address.

## Dependencies

| Dependency | Why |
|---|---|
| none | – |
";

const DESIGN: &str = "# Design: rate limiting

## Overview
One more layer in the chain.

## Architecture
Today none, then one.

## Component Design

### C1: Limiter
`src/limit.rs` (new).

## Data Models
A bucket: tokens, last refill.

## Data Flow
Authentication, limiter, router.

## Error Handling
A refused request gets 429.

## Testing Strategy
At the limit and above it.

## Decisions

### D1: Counts live in memory
Against the database. A lost count was judged cheaper.

### How they were decided
Everybody agreed with me.

## Risks
- The table grows.
- The clock jumps.

## Confidence
medium: the behaviour behind the proxy was not tried.
";

const TASKS: &str = "# Tasks: rate limiting

## Phase 1: Limiter

### T001: The bucket [REQ-1.1, C1]
Add the table.

**Files:** src/limit.rs (new), src/lib.rs
**Proof:** test limit::tests::burst

**_Prompt:** **Role:** developer | **Task:** add it | **Restrictions:** none | **Success:** the tests pass

### T002: Measure it [NFR-1]
**Files:** none
**Depends on:** T001
**Proof:** none (measured by a person)

**_Prompt:** **Role:** developer | **Task:** measure | **Restrictions:** none | **Success:** below a millisecond

## Progress

**Total:** 2/7 tasks complete

## Task Dependencies

T001 -> T002
";

const CONTEXT: &str = "## Understanding
Operators want accounts limited. Today one client can starve the others.

## Approach
- A token bucket per account
- It lives in memory. Nothing is stored.

## Assumptions
One process.

## Trade-offs
Memory for speed.

## Out of scope
Limits per endpoint.

## Unknowns
None.
";

const CONTESTED: &str = "### DECISION_1: Where counts live
- **Chosen**: In the database
- **Alternative**: In memory
- **Tension**: speed
- **Impact**: High
- **Affected files**: src/limit.rs

### DECISION_2: Which key
- **Chosen**: The account, see REQ-9.9
- **Alternative**: The address | port
- **Tension**: fairness
- **Impact**: Low
- **Affected files**: src/limit.rs
";

const RESOLUTIONS: &str = "### DECISION_1: Where counts live
**Resolution**: In memory
**Disposition**: voted
**Vote tally**: THESIS=1, ANTI_THESIS=2
**Thesis summary**: a
**Antithesis summary**: b
**Why antithesis prevails**: cheaper

### DECISION_2: Which key
**Resolution**: The account, see REQ-9.9
**Disposition**: bucket-skipped
**Thesis summary**: (no debate — bucket skipped)
**Antithesis summary**: (no debate — bucket skipped)
**Why skipped**: Codex unavailable at launch time
";

const TALLY: &str = "### Voting Tally

| Item | Reviewers | YES | NO | EXONERATE | Abstain | Eligible | Outcome |
|---|---|---|---|---|---|---|---|
| FINDING_1 | Cursor-Arch | 3 | 0 | 0 | 0 | 3 | accepted |
| FINDING_2 | Codex-Pragmatic | 0 | 2 | 1 | 0 | 3 | exonerated |
| OOS_1 | Cursor-Edge | 1 | 2 | 0 | 0 | 3 | neutral |
";

fn seat(seat: &str, agent: &str, vendor: &str) -> SeatOccupant {
    SeatOccupant { seat: seat.to_owned(), agent: agent.to_owned(), vendor: vendor.to_owned() }
}

fn materials() -> Materials {
    assert_eq!(read_resolutions(RESOLUTIONS).1, []);
    Materials {
        feature: "rate-limiting".to_owned(),
        parent_project: None,
        parent_feature: None,
        today: "2026-11-16".to_owned(),
        created: Some("2026-11-15".to_owned()),
        requirements: REQUIREMENTS.to_owned(),
        design: DESIGN.to_owned(),
        tasks: TASKS.to_owned(),
        context_summary: CONTEXT.to_owned(),
        resolutions: Some(RESOLUTIONS.to_owned()),
        tally: Some(TALLY.to_owned()),
        contested: Some(CONTESTED.to_owned()),
        walkthroughs: None,
        authorship: Authorship {
            occupants: vec![
                seat("writer", "claude", "anthropic"),
                seat("voter-claude", "claude", "anthropic"),
                seat("judge-codex", "codex", "openai"),
                seat("cursor-arch", "gemini", "google"),
            ],
            ..Authorship::default()
        },
    }
}

fn made(materials: &Materials) -> Vec<(String, String)> {
    assemble(materials, &Templates::built_in()).unwrap()
}

fn text<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    &files.iter().find(|(file, _)| file == name).unwrap().1
}

fn checked(files: &[(String, String)]) -> Vec<String> {
    let spec = SpecFiles {
        requirements: text(files, "requirements.md"),
        design: text(files, "design.md"),
        tasks: text(files, "tasks.md"),
        summary: text(files, "summary.md"),
        spec_json: text(files, "spec.json"),
        meta: text(files, "meta.yaml"),
    };
    check(&spec, None, &|path: &str| path == "src/lib.rs").iter().map(ToString::to_string).collect()
}

/// The files given back as drafts.
fn again(first: &Materials, files: &[(String, String)]) -> Materials {
    let [requirements, design, tasks] =
        ["requirements.md", "design.md", "tasks.md"].map(|name| text(files, name).to_owned());
    Materials { requirements, design, tasks, ..first.clone() }
}

#[test]
fn six_files_that_pass_every_check() {
    let files = made(&materials());
    assert_eq!(checked(&files), [""; 0]);
    let whole: Vec<String> = files.iter().map(|(name, text)| format!("=== {name} ===\n{text}")).collect();
    assert_snapshot!("six_files", whole.concat());
}

#[test]
fn finished_files_are_stable_as_drafts() {
    let first = materials();
    let files = made(&first);
    assert_eq!(made(&again(&first, &files)), files);
    for (design, tasks) in [
        ("# Confidence", "# # # # "),
        ("# \n# Decisions", "# T001: x"),
        ("## Risks\n<!--", "# # T001: x"),
        ("###### Decisions\n~~~~", "# Progress\n**Total:** 1/2"),
    ] {
        let odd = Materials { design: design.to_owned(), tasks: tasks.to_owned(), ..materials() };
        let once = made(&odd);
        assert_eq!(made(&again(&odd, &once)), once, "{design:?} {tasks:?}");
    }
}

#[test]
fn missing_sections_are_added() {
    let bare = Materials {
        feature: "rate-limiting".to_owned(),
        today: "2026-11-16".to_owned(),
        design: "Nothing was decided.\n```\nnever closed".to_owned(),
        authorship: Authorship {
            occupants: vec![seat("writer", "embedded", "embedded")],
            ..Authorship::default()
        },
        ..Materials::default()
    };
    let files = made(&bare);
    assert_snapshot!(text(&files, "design.md"), @r"
    # Design: Rate Limiting

    > **Status:** Draft
    > **Created:** 2026-11-16
    > **Spec ID:** rate-limiting

    Nothing was decided.
    ```
    never closed
    ```

    ## Decisions

    The writer named no decision.

    ## Risks

    The writer named no risk.

    ## Confidence

    low: the writer did not say how sure it is.

    ## Record of the panel

    No model took part: the embedded agent drafted this from what the repository says.

    No decision was contested.

    Plan review: nothing was voted on.
    ");
    assert!(text(&files, "tasks.md").contains("**Total:** 0/0 tasks complete"));
    assert!(text(&files, "summary.md").contains("The specification has 0 requirements and 0 tasks."));
    let unsure = Materials { design: "## Confidence\n\nQuite sure.\n".to_owned(), ..bare };
    let files = made(&unsure);
    assert!(text(&files, "design.md").contains(
        "## Confidence\n\nlow: the writer gave no level.\n\nQuite sure.\n\n## Record of the panel\n"
    ));
}

#[test]
fn the_status_changes_everywhere_at_once_and_nothing_else_does() {
    let draft = made(&materials());
    let approved = with_status(&draft, SpecStatus::Approved, "2026-12-01");
    assert_eq!(checked(&approved), [""; 0]);
    for (name, text) in &approved {
        assert!(
            text.to_lowercase().contains("approved") && !text.to_lowercase().contains("draft"),
            "{name}: {text}"
        );
    }
    assert_eq!(without_status(&approved), without_status(&draft));
    assert_eq!(with_status(&approved, SpecStatus::Draft, "2026-11-16"), draft);
    let mut edited = approved.clone();
    edited[1].1 = edited[1].1.replace("The table grows.", "The table shrinks.");
    assert_ne!(without_status(&edited), without_status(&draft));
    let lost = vec![
        ("design.md".to_owned(), "# Design\n\nText\n".to_owned()),
        ("spec.json".to_owned(), "{".to_owned()),
    ];
    let found = with_status(&lost, SpecStatus::Approved, "2026-12-01");
    assert_eq!(found[0].1, "# Design\n\n> **Status:** Approved\n\nText\n");
    assert_eq!(found[1].1, "{");
}

#[test]
fn the_gate_shows_the_open_decisions() {
    assert_eq!(
        gate_summary(&made(&materials())),
        GateSummary {
            decisions: vec!["D1: Counts live in memory — Against the database.".to_owned()],
            risks: vec!["The table grows.".to_owned(), "The clock jumps.".to_owned()],
            omissions: vec!["Limits per endpoint.".to_owned(), "Limits per address.".to_owned()],
            confidence: "medium".to_owned(),
            weaker_areas: "the behaviour behind the proxy was not tried.".to_owned(),
            proofs: vec![
                "T001: test `limit::tests::burst`".to_owned(),
                "T002: none (measured by a person)".to_owned(),
            ],
        }
    );
    assert_eq!(gate_summary(&[]), GateSummary { confidence: "low".to_owned(), ..GateSummary::default() });
}

#[test]
fn templates_of_a_team_and_their_errors() {
    let with = |name: &str, text: &str| {
        Templates::with_overrides(vec![(name.to_owned(), text.to_owned())])
            .and_then(|templates| assemble(&materials(), &templates))
            .map_err(|error| error.to_string())
    };
    let own = "# {{ feature_name }}\n> **Status:** {{ status }}\n\nOurs: {{ decisions | length }}\n";
    let files = with("specs/templates/summary.md.jinja", own).unwrap();
    assert_eq!(text(&files, "summary.md"), "# Rate limiting\n> **Status:** Draft\n\nOurs: 3\n");
    for (name, text, error) in [
        (
            "specs/templates/summary.md.jinja",
            "a\n{% if %}",
            "specs/templates/summary.md.jinja:2: syntax error: ",
        ),
        (
            "summary.md.jinja",
            "> **Status:** {{ status }}\n{{ nothing }}",
            "summary.md.jinja:2: undefined value, in '{{ nothing }}'",
        ),
        (
            "summary.md.jinja",
            "# {{ feature_name }}",
            "summary.md.jinja: the rendered file has no line \"> **Status:** {{ status }}\"",
        ),
        (
            "tasks.md.jinja",
            "> **Status:** Draft",
            "tasks.md.jinja: the rendered file has no text of the writer: {{ body }}",
        ),
        (
            "spec.json.jinja",
            "{}",
            "spec.json.jinja is not a known template; known templates: requirements.md.jinja, ",
        ),
        ("summary.md", "x", "summary.md is not a known template; "),
    ] {
        let said = with(name, text).unwrap_err();
        assert!(said.starts_with(error), "{said}");
    }
}

#[test]
fn text_that_looks_like_a_template_stays_text() {
    let mut odd = materials();
    odd.requirements = odd.requirements.replace("Each account", "{{ status }} {% raw %} each account");
    assert!(text(&made(&odd), "requirements.md").contains("{{ status }} {% raw %} each account"));
}

const PIECES: &str = "(# |## |### |- |> |\\*\\*Status:\\*\\* x|Decisions|How they were decided|Risks|Confidence|Progress|\\*\\*Total:\\*\\* 1/2|T001: x|D1: y|<!--|-->|```|~~~~|low|e\\.g\\. |\\. |\\||\n|\n\n|\r\n|\\PC){0,25}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_drafts_give_six_files_without_duplicates(
        requirements in PIECES, design in PIECES, tasks in PIECES, context in PIECES, resolutions in PIECES, tally in PIECES
    ) {
        let first = Materials { requirements, design, tasks, context_summary: context, resolutions: Some(resolutions), tally: Some(tally), ..materials() };
        let once = made(&first);
        prop_assert_eq!(once.len(), 6);
        let twice = made(&again(&first, &once));
        let name = |files: &[(String, String)]| files.iter().map(|(name, text)| [name, "\n", text].concat()).collect::<String>();
        prop_assert_eq!(name(&once), name(&twice));
        let faults: Vec<String> = checked(&once).into_iter().filter(|issue| {
            ["[status]", "[count]", "[phases]", "[name]", "[date]", "[summary-length]", "[confidence]", "[unreadable]", "[summary-links]"].iter().any(|code| issue.ends_with(code))
        }).collect();
        prop_assert_eq!(faults, Vec::<String>::new(), "{}", name(&once));
        let approved = with_status(&once, SpecStatus::Approved, "2026-12-01");
        prop_assert_eq!(without_status(&approved), without_status(&once));
        gate_summary(&once);
    }
}
