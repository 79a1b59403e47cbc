//! Follow-ups as tracker issues: only if asked for and approved, each once, and never at the cost of the implementation.

use super::bed::{Bed, assert_ends, printed};
use crate::workshop::tree;
use charrette_testkit::Output;
use charrette_testkit::linear::{LinearFault, LinearServer};
use charrette_testkit::till::{FEATURE, Till};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Review with three findings out of scope; the second is about lines of the first.
const NOTICED: &str = "Verdict: PASS_WITH_NOTES\n\n\
    1. [OUT_OF_SCOPE] [correctness] [minor] Baskets accept anything\n   `till/basket.py:5` takes every value as a price.\n   Suggested revision: check it in a change of its own.\n\
    2. [OUT_OF_SCOPE] [correctness] [major] Baskets forget prices\n   `till/basket.py:4-6` keeps the last price only.\n   Suggested revision: keep them all.\n\
    3. [OUT_OF_SCOPE] [correctness] [minor] Settings are read twice\n   `till/settings.py:1` is read for every basket.\n   Suggested revision: read it once.\n";

const APPROVAL: &str = "follow-ups: {issues: create}\n";

/// A bed whose reviewer notices things, with Linear enabled there.
fn noticing(server: &LinearServer) -> Bed {
    let bed = Bed::new();
    bed.make_instant();
    bed.set_answer("task-reviewer", NOTICED);
    enable(&bed, server);
    bed
}

fn enable(bed: &Bed, server: &LinearServer) {
    bed.sandbox
        .write(".claude/config/integrations.json", r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#);
    bed.write_settings(&format!("[linear]\nendpoint = \"{}\"\n", server.url()));
}

fn command(bed: &Bed, args: &[&str]) -> Command {
    let mut command = bed.command(args);
    command.env("LINEAR_API_KEY", LinearServer::KEY);
    command
}

/// Runs `charrette implement` with the tracker's key in the environment.
fn implement(bed: &Bed, args: &[&str]) -> Output {
    Output::capture(command(bed, args), b"")
}

/// A run that has landed and waits for the approval of the issues.
fn waiting(server: &LinearServer) -> Bed {
    let bed = noticing(server);
    assert_ends(&implement(&bed, &["--task=T001", "--issues"]), 3, &["landed on main"]);
    assert_eq!(bed.open_gates(), ["follow-ups"]);
    bed
}

fn url(identifier: &str) -> String {
    format!("https://linear.app/acme/issue/{identifier}")
}

fn titles(server: &LinearServer) -> Vec<Value> {
    server.issues().iter().map(|issue| issue["title"].clone()).collect()
}

#[test]
fn approved_follow_ups_are_one_issue_each_and_all_files_say_so() {
    let server = LinearServer::start();
    let bed = noticing(&server);
    let own = json!({"identifier": "BASE-7", "url": url("BASE-7")});
    bed.edit_spec("spec.json", "\"author\":", &format!("\"linear\": {own},\n  \"author\":"));
    let base = bed.id("HEAD");
    let output = implement(&bed, &["--task=T001", "--issues"]);
    assert_ends(&output, 3, &["landed on main", "Issues: in Linear"]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001"]);
    assert_eq!(server.requests(), [""; 0], "nothing is sent before the approval");
    let page = bed.gate_page("follow-ups");
    for text in ["### 2. Baskets forget prices", "**After:** follow-up 1 (same lines)", "**Severity:** major"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }

    bed.answer(APPROVAL);
    let output = implement(&bed, &["--resume"]);
    let shown: Vec<String> =
        ["BASE-123", "BASE-124", "BASE-125"].map(|issue| format!("Linear: {issue} - {}", url(issue))).into();
    assert_ends(&output, 0, &shown.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        titles(&server),
        ["Baskets accept anything", "Baskets forget prices", "Settings are read twice"]
    );
    assert_eq!(
        server.issues()[1]["description"],
        "`till/basket.py:4-6` keeps the last price only.\n\nNoticed by the reviewer of T001.\n\n\
         **Suggestion:** keep them all.\n\n- **Severity:** major\n- **Places:** `till/basket.py:4-6`\n\
         - **After:** BASE-123 (same lines)\n- **Found during:** the implementation of till-receipts (BASE-7), specs/till-receipts/"
    );
    assert!(!server.issues()[2]["description"].as_str().unwrap().contains("After"));
    let follow_ups = bed.read("follow-ups.md");
    assert!(follow_ups.contains("Found during the implementation of BASE-7"), "{follow_ups}");
    for issue in ["BASE-123", "BASE-124", "BASE-125"] {
        let line = format!("**Issue:** {issue} - {}\n", url(issue));
        assert!(follow_ups.contains(&line), "{line}: {follow_ups}");
    }
    let spec: Value = serde_json::from_str(&bed.sandbox.read(&Till::spec_path("spec.json"))).unwrap();
    assert_eq!(spec["linear"], own, "the feature keeps its issue");
    assert_eq!(server.rejections(), [""; 0]);
    bed.assert_clean();

    server.requests();
    assert_ends(&implement(&bed, &["--resume", "--issues"]), 1, &["already complete"]);
    assert_ends(&bed.run(crate::BINARY, ["resume", FEATURE]), 0, &["Linear: BASE-123"]);
    assert_eq!(server.requests(), [""; 0], "nothing is asked for again");
    for folder in [bed.sandbox.path("."), bed.sandbox.home()] {
        let has_key = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(LinearServer::KEY);
        assert!(!tree(&folder).values().any(has_key), "the key is in {}", folder.display());
    }
    assert!(!printed(&output).contains(LinearServer::KEY));
}

#[test]
fn without_being_asked_there_is_no_request_and_it_can_be_asked_later() {
    let server = LinearServer::start();
    let bed = noticing(&server);
    let output = implement(&bed, &["--task=T001"]);
    assert_ends(&output, 0, &[]);
    assert!(!printed(&output).contains("Linear"), "{output:?}");
    assert!(bed.read("follow-ups.md").contains("## 2. Baskets forget prices [major]"));
    assert!(!bed.artifact("follow-up-issues.json").exists());
    assert_eq!(bed.document()["gates"]["follow-ups"], Value::Null);
    let _ = bed.calls();

    assert_ends(&implement(&bed, &["--resume", "--issues"]), 3, &[]);
    assert!(bed.document()["completed_at"].is_null(), "it waits");
    bed.answer("follow-ups: {issues: keep}\n");
    assert_ends(&implement(&bed, &["--resume"]), 0, &[]);
    assert_eq!((server.requests(), bed.calls().len()), (Vec::new(), 0));
    // A person may answer differently later.
    bed.answer(APPROVAL);
    assert_ends(&implement(&bed, &["--resume"]), 0, &["Linear: BASE-125"]);
    assert_eq!(server.issues().len(), 3);
}

#[test]
fn a_failing_tracker_is_a_warning_and_the_rest_is_created_later() {
    let server = LinearServer::start();
    let bed = waiting(&server);
    bed.answer(APPROVAL);
    let retry =
        format!("Fix the Linear configuration and re-run with: charrette implement {FEATURE} --resume");
    let unset = format!("Linear issue creation failed: LINEAR_API_KEY is not set. {retry}");
    assert_ends(
        &bed.resume(),
        0,
        &["Warnings", &unset, "till-receipts is implemented in part: it is on branch main."],
    );
    let document = bed.document();
    assert!(document["completed_at"].is_string());
    assert_eq!(document["phases"]["validation"]["error"], Value::Null, "the phase did not fail");
    assert_eq!(server.requests(), [""; 0]);
    bed.assert_clean();

    // The first is created, the second is refused with an answer that has the key in it.
    server.inject_faults("issueCreate", &[LinearFault::Slow, LinearFault::EchoKey]);
    let refused = format!("Linear issue creation failed: Linear refuses: what is [key]?. {retry}");
    assert_ends(&implement(&bed, &["--resume"]), 0, &[&refused, "Linear: BASE-123"]);
    assert_eq!(titles(&server), ["Baskets accept anything"]);
    assert_eq!(bed.read("follow-ups.md").matches("**Issue:**").count(), 1);

    let output = implement(&bed, &["--resume"]);
    assert_ends(&output, 0, &["Linear: BASE-123", "Linear: BASE-124", "Linear: BASE-125"]);
    assert!(!printed(&output).contains("creation failed"), "{output:?}");
    assert_eq!(server.issues().len(), 3);
    assert_eq!(bed.read("follow-ups.md").matches("**Issue:**").count(), 3);
}

#[test]
fn asked_for_without_a_tracker_the_run_ends_with_a_warning() {
    let bed = Bed::new();
    bed.make_instant();
    bed.set_answer("task-reviewer", NOTICED);
    let none = "Linear configuration not found. Create";
    assert_ends(&implement(&bed, &["--dry-run", "--issues"]), 0, &["Issues: none", none]);
    let output = implement(&bed, &["--task=T001", "--issues"]);
    assert_ends(
        &output,
        0,
        &["Warnings", none, &format!("Re-run with: charrette implement {FEATURE} --resume")],
    );
    let server = LinearServer::start();
    enable(&bed, &server);
    assert_ends(&implement(&bed, &["--resume"]), 3, &[]);
    bed.answer(APPROVAL);
    assert_ends(&implement(&bed, &["--resume"]), 0, &["Linear: BASE-125"]);
    assert_eq!(server.issues().len(), 3);
}

#[test]
fn without_follow_ups_there_is_nothing_to_approve() {
    let server = LinearServer::start();
    let bed = noticing(&server);
    bed.set_answer("task-reviewer", "Verdict: PASS\n\nNO_ISSUES_FOUND\n");
    assert_ends(
        &implement(&bed, &["--task=T001", "--issues"]),
        0,
        &["No Linear issues: there are no follow-ups."],
    );
    assert_eq!(server.requests(), [""; 0]);
}

#[test]
fn killed_between_the_issue_and_its_record_there_is_one_issue() {
    let server = LinearServer::start();
    let bed = waiting(&server);
    bed.answer(APPROVAL);
    for created in 1..=3 {
        // The server answers late, so that the run is killed before it knows.
        server.inject_faults("issueCreate", &[LinearFault::Slow; 3]);
        let mut child =
            command(&bed, &["--resume"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        while server.issues().len() < created {
            assert!(Instant::now() < until, "no issue was created");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(bed.document()["completed_at"].is_null(), "killed before the end");
    }
    // A lookup that fails stops, and creates nothing a second time.
    server.inject_faults("issueCreate", &[LinearFault::DropAfter]);
    server.inject_faults("issue", &[LinearFault::EchoKey]);
    assert_ends(
        &implement(&bed, &["--resume"]),
        0,
        &["Linear issue creation failed: Linear refuses: Conflict"],
    );
    assert_ends(&implement(&bed, &["--resume"]), 0, &["Linear: BASE-125"]);
    assert_eq!(
        titles(&server),
        ["Baskets accept anything", "Baskets forget prices", "Settings are read twice"]
    );
    bed.assert_clean();
}

#[test]
fn hostile_titles_are_sent_as_one_short_line() {
    let server = LinearServer::start();
    let bed = noticing(&server);
    let title = format!("Gone\u{1b}[2J \u{202e}reversed {}", "long ".repeat(100));
    bed.set_answer("task-reviewer", &NOTICED.replace("Baskets accept anything", &title));
    bed.write_gate_answers(APPROVAL);
    let answers = format!("--answers={}", bed.answers().display());
    assert_ends(&implement(&bed, &["--task=T001", "--issues", &answers]), 0, &["Linear: BASE-125"]);
    let sent = server.issues()[0]["title"].as_str().unwrap().to_owned();
    assert!(sent.starts_with("Gone") && sent.chars().count() <= 201, "{sent}");
    let texts = [sent, bed.read("follow-ups.md"), bed.gate_page("follow-ups")];
    assert!(!texts.iter().any(|text| text.contains(['\u{1b}', '\u{202e}'])), "{texts:?}");
}
