//! `charrette check` on specifications in real repositories.

use crate::charrette;
use charrette_engine::authorship::{Authorship, SeatOccupant};
use charrette_engine::deliverable::{Materials, Templates, assemble};
use charrette_model::seats::files::split_files;
use charrette_survey::embedded::{DraftInputs, WorkTree, draft};
use charrette_survey::{SurveyOptions, survey};
use charrette_testkit::Sandbox;
use insta::assert_snapshot;
use std::collections::BTreeMap;

const FEATURE: &str = "let-the-limiter-burst";

/// A repository with a specification that the embedded agent wrote.
fn designed() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"service\"\n");
    sandbox.write("src/lib.rs", "//! The service.\npub mod limiter;\n");
    sandbox.write(
        "src/limiter.rs",
        "//! Limits the rate of requests.\n\npub struct RateLimiter {\n    rate: u32,\n}\n",
    );
    sandbox.write("tests/limiter.rs", "use service::limiter::RateLimiter;\n\n#[test]\nfn it_limits() {}\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: a rate limiter");
    for (name, text) in specification(&sandbox, "Let the rate limiter burst") {
        sandbox.write(&format!("specs/{FEATURE}/{name}"), text);
    }
    sandbox
}

/// Materials of the embedded agent for a request, as needed by the files.
fn specification(sandbox: &Sandbox, request: &str) -> Vec<(String, String)> {
    let root = sandbox.work();
    let found = survey(SurveyOptions { root: &root, request, top: 10, cache: None, sources: None }).unwrap();
    let mut artifacts = BTreeMap::from([("request.md".to_owned(), request.to_owned())]);
    let sit = |seat: &str, artifacts: &BTreeMap<String, String>| {
        let inputs = DraftInputs {
            request,
            feature: "derived-from-the-request",
            survey: &found,
            artifacts,
            files: &WorkTree(&root),
            today: Some("2026-11-15"),
            summary_words: 500,
        };
        draft(seat, &inputs).unwrap().unwrap()
    };
    for (seat, file) in [
        ("researcher-requirements", "research-requirements.md"),
        ("researcher-dependencies", "research-dependencies.md"),
        ("researcher-tasks", "research-tasks.md"),
        ("aggregator", "context-summary.md"),
    ] {
        let text = sit(seat, &artifacts);
        artifacts.insert(file.to_owned(), text);
    }
    let plan = split_files(&sit("planner", &artifacts), &["plan-draft.txt", "design-notes.md"]).unwrap();
    artifacts.insert("plan.txt".to_owned(), plan[0].1.clone());
    let drafts =
        split_files(&sit("writer", &artifacts), &["requirements.md", "design.md", "tasks.md"]).unwrap();
    let seat = |seat: &str| SeatOccupant {
        seat: seat.to_owned(),
        agent: "embedded".to_owned(),
        vendor: "embedded".to_owned(),
    };
    let materials = Materials {
        feature: FEATURE.to_owned(),
        today: "2026-11-15".to_owned(),
        requirements: drafts[0].1.clone(),
        design: drafts[1].1.clone(),
        tasks: drafts[2].1.clone(),
        context_summary: artifacts["context-summary.md"].clone(),
        authorship: Authorship {
            occupants: vec![seat("writer"), seat("voter-claude")],
            ..Authorship::default()
        },
        ..Materials::default()
    };
    assemble(&materials, &Templates::built_in()).unwrap()
}

#[test]
fn files_of_the_embedded_agent_have_nothing_but_open_points() {
    let sandbox = designed();
    let check = charrette(&sandbox, &["check", FEATURE]);
    assert_only_open_points(&check.stdout);
    assert_eq!((check.stderr.as_str(), check.code), ("", Some(1)));
    let design = sandbox.read(&format!("specs/{FEATURE}/design.md"));
    assert!(
        design.contains("No model took part: the embedded agent drafted this from what the repository says."),
        "{design}"
    );
    for path in ["specs/let-the-limiter-burst", "./specs/let-the-limiter-burst/", "LET-THE-LIMITER--BURST"] {
        let check = charrette(&sandbox, &["check", path]);
        assert_eq!(check.code, Some(if path.starts_with('L') { 2 } else { 1 }), "{path}: {}", check.stderr);
    }
    let json = charrette(&sandbox, &["check", FEATURE, "--json"]).json();
    assert_eq!((json["passed"].as_bool(), json["issues"].as_array().map(Vec::len)), (Some(false), Some(5)));
    fill_open_points(&sandbox);
    let check = charrette(&sandbox, &["check", FEATURE]);
    assert_eq!(check.stdout, "specs/let-the-limiter-burst: no issues\n");
}

/// Fills in the open points, as a person would.
fn fill_open_points(sandbox: &Sandbox) {
    let path = format!("specs/{FEATURE}/requirements.md");
    let text = sandbox.read(&path);
    let filled = text.split("(to be filled in").enumerate().map(|(n, part)| match n {
        0 => part.to_owned(),
        _ => format!("(an operator{}", &part[part.find(')').unwrap()..]),
    });
    sandbox.write(&path, filled.collect::<String>());
}

/// Asserts that a check found open points and nothing else.
fn assert_only_open_points(stdout: &str) {
    let (last, issues) =
        stdout.trim_end().lines().collect::<Vec<_>>().split_last().map(|(a, b)| (*a, b.to_vec())).unwrap();
    assert!(last.starts_with("specs/let-the-limiter-burst: "), "{stdout}");
    assert!(!issues.is_empty() && issues.iter().all(|issue| issue.ends_with("[open-point]")), "{stdout}");
}

#[test]
fn embedded_files_have_no_other_issues_for_any_request() {
    let sandbox = Sandbox::repository();
    sandbox.write("src/main.py", "def main():\n    pass\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: begin");
    for request in [
        "x",
        "REQ-9.9 and T001: see [C4](gone.md)",
        "レート制限を追加する",
        "$(rm -rf /) ../../etc \"quoted\"\nand more",
    ] {
        for (name, text) in specification(&sandbox, request) {
            sandbox.write(&format!("specs/{FEATURE}/{name}"), text);
        }
        let check = charrette(&sandbox, &["check", FEATURE]);
        assert_only_open_points(&check.stdout);
    }
}

#[test]
fn every_code_is_written_down() {
    let page = include_str!("../../../../docs/formats/spec.md");
    for code in charrette_model::spec::check::IssueCode::ALL {
        assert!(page.contains(&format!("| `{code}` | {} |", code.meaning())), "{code}");
    }
}

#[test]
fn issues_are_printed_with_a_path_that_can_be_followed() {
    let sandbox = designed();
    fill_open_points(&sandbox);
    let break_it = |file: &str, from: &str, to: &str| {
        let path = format!("specs/{FEATURE}/{file}");
        let text = sandbox.read(&path);
        assert!(text.contains(from), "{text}");
        sandbox.write(&path, text.replacen(from, to, 1));
    };
    break_it("tasks.md", "**Files:** src/limiter.rs", "**Files:** src/gone.rs");
    break_it("meta.yaml", "status: draft", "status: approved");
    std::fs::remove_file(sandbox.path(&format!("specs/{FEATURE}/summary.md"))).unwrap();
    sandbox.write(&format!("specs/{FEATURE}/spec.json"), b"\xff\xfe");
    let check = charrette(&sandbox, &["check", FEATURE]);
    assert_eq!(check.code, Some(1));
    assert_snapshot!(check.stdout, @r"
    specs/let-the-limiter-burst/tasks.md:21: T002 names src/gone.rs, which does not exist and is not marked (new) [unknown-file]
    specs/let-the-limiter-burst/summary.md:1: summary.md is not there, or empty [missing-file]
    specs/let-the-limiter-burst/spec.json:1: not valid UTF-8 [unreadable]
    specs/let-the-limiter-burst/meta.yaml:2: the status is 'approved', in requirements.md it is 'Draft' [status]
    specs/let-the-limiter-burst: 4 issues
    ");
    let below = charrette(&sandbox, &["-C", "src", "check", FEATURE]);
    assert!(below.stdout.contains("../specs/let-the-limiter-burst/meta.yaml:2: "), "{}", below.stdout);
    let inside = charrette(&sandbox, &["-C", "specs/let-the-limiter-burst", "check", "."]);
    assert!(inside.stdout.contains("\nmeta.yaml:2: "), "{}", inside.stdout);
    let json = charrette(&sandbox, &["check", FEATURE, "--json"]).json();
    assert_eq!(json["passed"], false);
    assert_eq!(
        json["issues"][2],
        serde_json::json!({"file": "spec.json", "path": "specs/let-the-limiter-burst/spec.json", "line": 1,
            "code": "unreadable", "message": "not valid UTF-8"})
    );
}

#[test]
fn the_plan_of_the_run_is_checked() {
    let sandbox = designed();
    fill_open_points(&sandbox);
    let which = ["--command", "design", "--feature", FEATURE];
    let args: Vec<&str> = ["checkpoint", "update-phase", "research"].iter().chain(&which).copied().collect();
    crate::charrette_with(&sandbox, &args, b"{}");
    let state = format!(".claude/state/design-{FEATURE}.json");
    let mut document: serde_json::Value = serde_json::from_str(&sandbox.read(&state)).unwrap();
    document["run"] = serde_json::json!({"id": "x", "workspace": ".specs/20261115-burst"});
    sandbox.write(&state, document.to_string());
    assert_eq!(charrette(&sandbox, &["check", FEATURE]).code, Some(0), "without a plan");
    sandbox.write(".specs/20261115-burst/plan.txt", "## Files to modify/create\n- `src/gone.rs`: x\n\n## Approach\nx\n\n## Edge cases\nx\n\n## Testing strategy\nx\n");
    let check = charrette(&sandbox, &["check", FEATURE]);
    assert_eq!(check.code, Some(1));
    assert_snapshot!(check.stdout, @r#"
    .specs/20261115-burst/plan.txt:1: the section "Failure modes" is missing [plan-section]
    .specs/20261115-burst/plan.txt:2: the plan names src/gone.rs, which does not exist and is not marked (new) [plan-file]
    specs/let-the-limiter-burst: 2 issues
    "#);
    document["run"]["workspace"] = "../elsewhere".into();
    sandbox.write(&state, document.to_string());
    assert_eq!(charrette(&sandbox, &["check", FEATURE]).code, Some(0), "nothing outside is read");
}

#[test]
fn a_project_and_a_feature_are_checked_by_their_own_rules() {
    let sandbox = designed();
    sandbox.write(
        "specs/shop/project.md",
        "# Shop\n\n## Vision\nSell.\n\n## Scope\nAll.\n\n## Feature List\n- cart\n",
    );
    sandbox.write("specs/shop/features.json", "{");
    sandbox.write(
        "specs/shop/cart/specs.json",
        r#"{"specs": [{"name": "a", "depends_on": ["b"]}, {"name": "b", "depends_on": ["a"]}]}"#,
    );
    let told = |name: &str| {
        let check = charrette(&sandbox, &["--quiet", "check", name]);
        assert_eq!(check.code, Some(1), "{check:?}");
        check.stdout
    };
    assert_snapshot!(told("shop"), @r"
    specs/shop/project.md:1: the section Out of Scope is missing [section]
    specs/shop/features.json:1: it is not JSON: EOF while parsing an object at line 1 column 1 [unreadable]
    specs/shop: 2 issues
    ");
    assert_snapshot!(told("cart"), @r"
    specs/shop/cart/feature.md:1: feature.md is not there, or empty [missing-file]
    specs/shop/cart/specs.json:1: Dependency cycle detected: a -> b -> a [cycle]
    specs/shop/cart: 2 issues
    ");
    for name in ["shop/cart", "specs/shop/cart"] {
        assert_eq!(told(name), told("cart"), "{name}");
    }
}

#[test]
fn unknown_specifications_are_refused_with_a_hint() {
    let sandbox = designed();
    sandbox.write("specs/shop/project.md", "# Shop\n");
    sandbox.write("specs/shop/features.json", "{");
    sandbox.write("specs/a/specs.json", r#"{"specs": ["cart"]}"#);
    sandbox.write("specs/b/specs.json", r#"{"specs": ["cart"]}"#);
    let mut told = Vec::new();
    for (name, code) in [("nothing", 1), ("cart", 2), ("../..", 2), ("", 2), ("Nö", 2)] {
        let check = charrette(&sandbox, &["--quiet", "check", name]);
        assert_eq!((check.code, check.stdout.as_str()), (Some(code), ""), "{name}");
        told.push(check.stderr.replace(sandbox.work().to_str().unwrap(), "REPO"));
    }
    assert_snapshot!(told.concat(), @r"
    error: Spec 'nothing' not found.
    hint: Existing specifications: a, b, let-the-limiter-burst, shop
    error: Ambiguous spec name 'cart'. Multiple matches found:
      - REPO/specs/a/cart/
      - REPO/specs/b/cart/
    hint: Give the whole name, with / between its parts
    error: Invalid spec name '../..'. Use lowercase-kebab-case format. Example: 'my-feature-name'
    hint: Existing specifications: a, b, let-the-limiter-burst, shop
    error: Spec name cannot be empty after normalization.
    hint: Existing specifications: a, b, let-the-limiter-burst, shop
    error: Invalid spec name 'Nö'. Use lowercase-kebab-case format. Example: 'my-feature-name'
    hint: Existing specifications: a, b, let-the-limiter-burst, shop
    ");
    assert_eq!(charrette(&sandbox, &["check"]).code, Some(2));
    let empty = Sandbox::repository();
    let check = charrette(&empty, &["check", "nothing"]);
    assert_eq!(
        check.stderr,
        "error: Spec 'nothing' not found.\nhint: No specifications yet. Write one: charrette design \"what you want\"\n"
    );
}
