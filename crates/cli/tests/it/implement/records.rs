//! What a run leaves on record: the state document, the report with costs and remarks, and follow-ups.

use super::bed::{Bed, assert_ends};
use charrette_testkit::till::FEATURE;
use serde_json::json;

#[test]
fn the_document_names_the_task_at_work_and_the_files_of_the_finished_ones() {
    let bed = Bed::new();
    let seen = bed.sandbox.home().join("seen.json");
    let document = bed.sandbox.path(&format!(".claude/state/implement-{FEATURE}.json"));
    let copy = format!("cp {} {}", document.display(), seen.display());
    bed.set_part("T002/implement-1", &bed.working_part(&copy));
    assert_ends(&bed.implement(&["--task=T001,T002"]), 0, &[]);
    let during: serde_json::Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(during["state"]["current_task"], "T002", "{during}");
    let tasks = &during["phases"]["implementation"]["tasks"];
    assert_eq!(tasks["T001"], json!({"status": "complete", "description": "Read prices"}));
    assert_eq!(
        (&tasks["T002"]["status"], &tasks["T003"]["status"]),
        (&json!("in_progress"), &json!("pending"))
    );
    assert_eq!(
        during["phases"]["implementation"]["files_modified"],
        json!(["tests/test_price.py", "till/price.py"])
    );

    let after = bed.document();
    assert_eq!(after["state"].get("current_task"), None, "{}", after["state"]);
    assert_eq!(after["phases"]["implementation"]["tasks"]["T002"]["status"], "complete");
    assert_eq!(after["phases"]["implementation"]["files_modified"].as_array().unwrap().len(), 4);
    let again = bed.resume();
    assert_ends(&again, 0, &[]);
    assert_eq!(
        bed.document()["phases"]["implementation"]["tasks"],
        after["phases"]["implementation"]["tasks"]
    );
}

#[test]
fn a_parked_task_waits_in_the_document_too() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part("sed -i 's/ \\* 100//' till/price.py"));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    assert_eq!(bed.document()["phases"]["implementation"]["tasks"]["T001"]["status"], "waiting");
}

#[test]
fn unused_symbols_remarks_and_what_was_not_done_are_in_the_report() {
    let bed = Bed::new();
    bed.keep_prompts();
    let answer = json!({
        "task_id": "T001", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {},
        "context_summary": "Reads prices.", "issues": ["negative prices were not looked at"]
    });
    let mut part =
        bed.working_part("printf '\\n\\ndef round_price(cents):\\n    return cents\\n' >> till/price.py");
    part["answer"] = format!("```json\n{answer}\n```\n").into();
    bed.set_part("T001/implement-1", &part);
    bed.set_answer(
        "task-reviewer",
        "Verdict: PASS_WITH_NOTES\n\n1. [OUT_OF_SCOPE] [correctness] [minor] Baskets accept anything\n   `till/basket.py:5` takes every value as a price, as it did before this change.\n   Suggested revision: check it in a change of its own.\n",
    );
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let review = &bed.prompts()["T001/review-1"];
    let unused = "round_price is new and public, and nothing uses it";
    assert!(review.contains(unused), "{review}");
    assert!(review.contains("read_price is new and public, and nothing but tests uses it"), "{review}");
    let report = bed.read("implementation-report.md");
    for text in [unused, "Not done, says the implementer: negative prices were not looked at"] {
        assert!(report.contains(text), "{text}: {report}");
    }
    let follow_ups = bed.read("follow-ups.md");
    for text in ["Baskets accept anything", "Noticed by the reviewer of T001"] {
        assert!(follow_ups.contains(text), "{text}: {follow_ups}");
    }
}

#[test]
fn costs_that_agents_state_are_in_the_report() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let usage: Vec<f64> = ["implementation", "validation"]
        .iter()
        .flat_map(|phase| bed.document()["phases"][phase]["steps"].as_object().unwrap().clone())
        .filter_map(|(_, step)| step["usage"]["usd"].as_f64())
        .collect();
    let report = bed.read("implementation-report.md");
    assert_eq!(report.contains("**Cost:**"), !usage.is_empty(), "{usage:?} {report}");
}
