//! Requirements, links between files, `spec.json`, and finding a specification by its name.

use charrette_model::spec::ears::{Ears, NotEars};
use charrette_model::spec::links::{LinkReport, LinkTexts, check_links};
use charrette_model::spec::record::{LinearIssue, SpecRecord, with_approval};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::resolver::{SpecLevel, SpecResolution, SpecTree, resolve};
use charrette_model::spec::tasks::TaskList;
use proptest::prelude::*;

const STORIES: &str = "# Requirements: Login

> **Status:** Draft

## User Stories

### US1: Sign in

As a user, I want to sign in, so that I see my data.

**Acceptance Criteria:**

- **REQ-1.1:** WHEN a user signs in, THE SYSTEM SHALL open a session.
- [ ] REQ-1.2: IF the password is wrong,
  THEN THE SYSTEM SHALL refuse.
- REQ-1.3 THE SYSTEM SHALL log attempts.
- REQ-1.1 and REQ-1.2 are tested together.

| ID | Text |
|---|---|
| REQ-1.4 | WHILE locked, THE SYSTEM SHALL wait |

## Non-Functional

- NFR-1: Sign-in must be fast.

## Out of Scope

- Passkeys
";

const SECTIONS: &str = "## Functional Requirements

### R1: Token Counter

**EARS:** The system shall count
tokens.

**Acceptance Criteria:**

- counts words
- rejects long ones
  - with a message

### R2: No demand

Some words.

## Non-Functional Requirements

### NFR1: Errors

When errors occur, the system shall log them.

#### Acceptance

- logged
";

#[test]
fn requirements_are_found_in_lists_tables_and_sections() {
    let shape = |text: &str| {
        let read = Requirements::parse(text);
        let shape = |r: &charrette_model::spec::requirements::Requirement| {
            (r.id.to_string(), r.line, r.ears.clone(), r.criteria)
        };
        read.requirements.iter().map(shape).collect::<Vec<_>>()
    };
    let id = str::to_owned;
    assert_eq!(
        shape(STORIES),
        [
            (id("REQ-1.1"), 13, Ok(Ears::Event), 0),
            (id("REQ-1.2"), 14, Ok(Ears::Unwanted), 0),
            (id("REQ-1.3"), 16, Ok(Ears::Ubiquitous), 0),
            (id("REQ-1.4"), 21, Ok(Ears::State), 0),
            (id("NFR-1"), 25, Err(NotEars::NoShall), 0),
        ]
    );
    assert_eq!(
        shape(SECTIONS),
        [
            (id("REQ-1"), 3, Ok(Ears::Ubiquitous), 2),
            (id("REQ-2"), 14, Err(NotEars::NoShall), 0),
            (id("NFR-1"), 20, Ok(Ears::Event), 1),
        ]
    );
    assert_eq!(Requirements::parse(STORIES).stories[0].title, "Sign in");
    assert_eq!(Requirements::parse(SECTIONS).requirements[0].text, "The system shall count tokens.");
    assert_eq!(shape(&format!("\u{feff}{}", STORIES.replace('\n', "\r\n"))), shape(STORIES));
}

#[test]
fn what_is_odd_about_requirements_has_a_line() {
    let read = Requirements::parse(
        "- REQ-1: THE SYSTEM SHALL a\n- REQ-1: THE SYSTEM SHALL b\n- NFR-1: fast\n```\n- REQ-9: x\n",
    );
    let problems: Vec<_> = read.problems.iter().map(|p| (p.line, p.message.as_str())).collect();
    assert_eq!(
        problems,
        [
            (2, "REQ-1 is there twice"),
            (3, "NFR-1 is not in EARS form: no SHALL"),
            (4, "this fence is never closed")
        ]
    );
}

#[test]
fn references_that_lead_nowhere_are_named_with_file_and_line() {
    let design = "# Design\n\n### C1: Parser\n\nMeets REQ-1.1 and REQ-7.7 by T001.\n\n- **D1:** one crate\n\nSee [C2], [D1].\n";
    let tasks = "### T001: a [US1, C1]\n\nRefers to T009 and [US4].\n\n```text\nREQ-9.9\n```\n\n### T002: b [REQ-1.1] [D9]\n";
    let found = check_links(LinkTexts { requirements: STORIES, design: Some(design), tasks });
    let dangling: Vec<_> = found.dangling.iter().map(|d| (d.file, d.line, d.id.as_str())).collect();
    assert_eq!(
        dangling,
        [
            ("design.md", 5, "REQ-7.7"),
            ("design.md", 9, "C2"),
            ("tasks.md", 3, "US4"),
            ("tasks.md", 3, "T009"),
            ("tasks.md", 9, "D9"),
        ]
    );
    // US1 covers its own requirements; nothing covers the other one.
    assert_eq!(found.uncovered, ["NFR-1"]);
    let without_design =
        check_links(LinkTexts { requirements: STORIES, design: None, tasks: "### T001: a [C7] [REQ-1.1]\n" });
    assert_eq!(without_design.dangling, []);
    assert_eq!(without_design.uncovered, ["REQ-1.2", "REQ-1.3", "REQ-1.4", "NFR-1"]);
    assert_eq!(check_links(LinkTexts::default()), LinkReport::default());
}

#[test]
fn a_record_is_drafted_from_its_tasks() {
    let tasks = TaskList::parse("## Phase 1: Foundation\n### T001: Parse [US1]\n- [x] T002: Done already\n");
    let record = SpecRecord::draft("add-login", &tasks, "2026-01-31");
    assert_eq!(
        record.to_text(),
        r#"{
  "name": "add-login",
  "status": "draft",
  "created": "2026-01-31",
  "updated": "2026-01-31",
  "author": "plan-agent",
  "version": "1.0.0",
  "files": {
    "requirements": "requirements.md",
    "design": "design.md",
    "tasks": "tasks.md",
    "summary": "summary.md",
    "meta": "meta.yaml"
  },
  "phases": [
    "Foundation"
  ],
  "tasks": [
    {
      "id": "T001",
      "title": "Parse",
      "status": "pending",
      "assignee": null
    },
    {
      "id": "T002",
      "title": "Done already",
      "status": "complete",
      "assignee": null
    }
  ]
}
"#
    );
    assert_eq!(SpecRecord::parse(&record.to_text()).unwrap(), record);
}

#[test]
fn approval_touches_three_members_and_keeps_the_rest_in_place() {
    let before = "{\n  \"_note\": \"x\",\n  \"status\": \"draft\",\n  \"own\": [1, 2],\n  \"updated\": \"2026-01-01\"\n}";
    let issue = LinearIssue { identifier: "BASE-123".to_owned(), url: "https://linear.app/x".to_owned() };
    let after = with_approval(before, Some(&issue), "2026-01-31").unwrap();
    assert_eq!(
        after,
        "{\n  \"_note\": \"x\",\n  \"status\": \"approved\",\n  \"own\": [\n    1,\n    2\n  ],\n  \"updated\": \"2026-01-31\",\n  \"linear\": {\n    \"identifier\": \"BASE-123\",\n    \"url\": \"https://linear.app/x\"\n  }\n}"
    );
    let record = SpecRecord::parse(&after).unwrap();
    assert_eq!(record.linear, Some(issue));
    assert_eq!(record.other.keys().collect::<Vec<_>>(), ["own"]);
    assert!(with_approval("{", None, "x").is_err());
}

#[test]
fn a_record_of_another_shape_says_where() {
    for (text, message) in [
        ("", "spec.json is not JSON: EOF while parsing a value at line 1 column 0"),
        (
            r#"{"tasks": [{"id": 7}]}"#,
            "spec.json: tasks[0].id: invalid type: integer `7`, expected a string at line 1 column 19",
        ),
        ("{} x", "spec.json is not JSON: trailing characters at line 1 column 4"),
    ] {
        assert_eq!(SpecRecord::parse(text).unwrap_err().to_string(), message);
    }
    assert!(SpecRecord::parse("\u{feff}{}").is_ok());
}

fn tree(files: &[(&str, &str)]) -> SpecTree {
    let mut tree = SpecTree::default();
    for (path, text) in files {
        if SpecTree::wants_text(path) {
            tree.add_text(path, text);
        } else {
            tree.add(path);
        }
    }
    tree
}

fn shop() -> SpecTree {
    tree(&[
        ("login/tasks.md", ""),
        ("shop/project.md", ""),
        (
            "shop/features.json",
            r#"{"project": "shop", "features": [{"name": "cart"}, {"name": "wishlist"}]}"#,
        ),
        ("shop/cart/feature.md", ""),
        (
            "shop/cart/specs.json",
            r#"{"feature": "cart", "specs": [{"name": "coupons", "depends_on": []}, {"id": "totals"}, "rounding"]}"#,
        ),
        ("shop/cart/coupons/requirements.md", ""),
        ("billing/.feature-marker", ""),
        ("billing/specs.json", r#"{"specs": [{"name": "invoices"}]}"#),
        ("billing/invoices/spec.json", ""),
        ("templates/specs.json", r#"{"specs": [{"name": "example"}]}"#),
        ("README.md", ""),
    ])
}

fn said(resolution: SpecResolution) -> String {
    match resolution.found {
        Ok(found) => format!("{} {} {} {}", found.path, found.level.as_str(), found.name, found.exists),
        Err(error) => error.to_string(),
    }
}

#[test]
fn names_are_found_at_the_top_and_through_manifests() {
    for (typed, expected) in [
        ("login", "/r/specs/login/ spec login true"),
        ("--login-", "/r/specs/login/ spec login true"),
        ("shop", "/r/specs/shop/ project shop true"),
        ("billing", "/r/specs/billing/ feature billing true"),
        ("cart", "/r/specs/shop/cart/ feature shop/cart true"),
        ("shop/cart", "/r/specs/shop/cart/ feature shop/cart true"),
        ("shop.cart", "/r/specs/shop/cart/ feature shop/cart true"),
        ("wishlist", "/r/specs/shop/wishlist/ feature shop/wishlist false"),
        ("coupons", "/r/specs/shop/cart/coupons/ spec shop/cart/coupons true"),
        ("shop/cart/coupons", "/r/specs/shop/cart/coupons/ spec shop/cart/coupons true"),
        ("totals", "/r/specs/shop/cart/totals/ spec shop/cart/totals false"),
        ("rounding", "/r/specs/shop/cart/rounding/ spec shop/cart/rounding false"),
        ("invoices", "/r/specs/billing/invoices/ spec billing/invoices true"),
        ("example", "Spec 'example' not found."),
        ("cart/coupons", "Spec 'cart/coupons' not found."),
        ("nothing", "Spec 'nothing' not found."),
        (
            "Not A Name",
            "Invalid spec name 'Not A Name'. Use lowercase-kebab-case format. Example: 'my-feature-name'",
        ),
        ("../etc", "Invalid spec name '../etc'. Use lowercase-kebab-case format. Example: 'my-feature-name'"),
        (
            "--dist--",
            "Reserved spec name 'dist'. Reserved names: checkpoint, templates, node_modules, dist, build",
        ),
        ("---", "Spec name cannot be empty after normalization."),
    ] {
        let resolution = resolve(&shop(), "/r/specs/", typed, None);
        assert_eq!(resolution.warnings, [""; 0]);
        assert_eq!(said(resolution), expected, "{typed}");
    }
}

#[test]
fn every_place_is_looked_at_so_that_an_ambiguous_name_is_seen() {
    let mut tree = shop();
    tree.add("coupons/design.md");
    assert_eq!(
        said(resolve(&tree, "/r/specs", "coupons", None)),
        "Ambiguous spec name 'coupons'. Multiple matches found:\n  - /r/specs/coupons/\n  - /r/specs/shop/cart/coupons/"
    );
    assert_eq!(
        said(resolve(&tree, "/r/specs", "shop/cart/coupons", None)),
        "/r/specs/shop/cart/coupons/ spec shop/cart/coupons true"
    );
    tree.add("cart/requirements.md");
    tree.add_text("cart/specs.json", r#"{"specs": []}"#);
    assert_eq!(
        said(resolve(&tree, "/r/specs", "cart", Some(SpecLevel::Spec))),
        "/r/specs/cart/ spec cart true"
    );
    assert_eq!(
        said(resolve(&tree, "/r/specs", "cart", Some(SpecLevel::Feature))),
        "/r/specs/shop/cart/ feature shop/cart true"
    );
    assert_eq!(said(resolve(&tree, "/r/specs", "cart", Some(SpecLevel::Project))), "Spec 'cart' not found.");
}

#[test]
fn a_manifest_that_cannot_be_used_is_warned_about_and_the_search_goes_on() {
    let mut tree = shop();
    tree.add_text("bad/specs.json", "{");
    tree.add_text(
        "odd/specs.json",
        r#"{"specs": [null, 7, {"name": "Bad Name"}, {"name": "../../x"}, {"name": "a/b"}, {}]}"#,
    );
    tree.add_text("none/features.json", "[]");
    tree.add("unread/specs.json");
    let resolution = resolve(&tree, "/r/specs", "coupons", None);
    let mut expected = vec![
        "Warning: Malformed JSON in /r/specs/bad/specs.json: EOF while parsing an object at line 1 column 1"
            .to_owned(),
    ];
    expected.push("Warning: Malformed JSON in /r/specs/none/features.json: features is missing".to_owned());
    expected.extend(
        (1..=6).map(|entry| format!("Warning: Entry {entry} of /r/specs/odd/specs.json has no usable name")),
    );
    expected.push("Warning: Could not read /r/specs/unread/specs.json".to_owned());
    assert_eq!(resolution.warnings, expected);
    assert_eq!(said(resolution), "/r/specs/shop/cart/coupons/ spec shop/cart/coupons true");
}

proptest! {
    #[test]
    fn a_found_path_is_always_below_the_root(typed in "\\PC{0,20}|[a-z./-]{0,12}", entry in "\\PC{0,12}|\\.\\./x") {
        let mut tree = shop();
        tree.add_text("p/specs.json", &serde_json::json!({"specs": [{"name": entry}]}).to_string());
        for name in [typed.as_str(), entry.as_str()] {
            if let Ok(found) = resolve(&tree, "/r/specs", name, None).found {
                prop_assert!(found.path.starts_with("/r/specs/") && !found.path.contains("..") && !found.path.contains("//"));
            }
        }
    }

    #[test]
    fn no_requirements_make_it_panic(text in "(### |- |\\| |REQ-1|US1|NFR1|R2|: |\\*\\*|EARS:|Acceptance|WHEN |THE SYSTEM SHALL |\\[|\\]|```|\r?\n|é|\0| ){0,40}") {
        let read = Requirements::parse(&text);
        let lines = text.lines().count().max(1);
        prop_assert!(read.problems.iter().all(|problem| (1..=lines).contains(&problem.line)));
        check_links(LinkTexts { requirements: &text, design: Some(&text), tasks: &text });
    }

    #[test]
    fn a_record_that_is_written_is_read(name in any::<String>(), titles in prop::collection::vec(any::<String>(), 0..4), note in any::<String>()) {
        let mut record = SpecRecord { name, ..SpecRecord::draft("x", &TaskList::default(), "2026-01-31") };
        record.other.insert("x-note".to_owned(), serde_json::json!(note));
        for title in titles {
            record.tasks.push(charrette_model::spec::record::TaskRecord { title, ..Default::default() });
        }
        prop_assert_eq!(SpecRecord::parse(&record.to_text()).unwrap(), record);
    }
}

#[test]
fn hostile_sizes_are_linear() {
    let (line, lines) = (1 << 20, 1 << 16);
    for text in [
        "- REQ-1: THE SYSTEM SHALL x\n".repeat(lines / 28),
        format!("- REQ-1: {}", "the ".repeat(line / 4)),
        format!("### R1: x\n{}", "the system shall go on\n".repeat(lines / 23)),
        "[".repeat(line),
        "[US1]".repeat(line / 5),
        "REQ-1.".repeat(line / 6),
        "\0".repeat(line),
    ] {
        check_links(LinkTexts { requirements: &text, design: None, tasks: &text });
    }
}
