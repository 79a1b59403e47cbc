//! What counts as an approval: the record in `spec.json`, and where that is gone, what the design's own document knows.

use super::bed::{Bed, assert_ends, printed};
use crate::BINARY;
use crate::workshop::{Workshop, document_path};
use charrette_testkit::Output;
use charrette_testkit::panel::FEATURE;
use charrette_testkit::till::Till;
use serde_json::Value;

/// Removes the record of the approval; the status still says "approved".
fn without_record(spec_json: &str) -> String {
    let mut record: Value = serde_json::from_str(spec_json).unwrap();
    assert_eq!(record["status"], "approved");
    assert!(record.as_object_mut().unwrap().remove("approved").is_some());
    record.to_string()
}

#[test]
fn a_status_alone_is_no_approval() {
    let bed = Bed::new();
    let record = bed.sandbox.read(&Till::spec_path("spec.json"));
    for record in
        [without_record(&record), record.replace("\"approved\": {", "\"approved\": true, \"was\": {")]
    {
        bed.sandbox.write(&Till::spec_path("spec.json"), record);
        bed.edit_spec("tasks.md", "rounded down", "rounded up");
        let output = bed.implement(&["--task=T001"]);
        assert_ends(&output, 4, &["spec.json says \"approved\", but not who approved which text", "--force"]);
        assert!(bed.state().is_none(), "a run was created");
        let done = bed.run(BINARY, ["done", "T001"]);
        assert_ends(&done, 4, &["not who approved which text"]);
        bed.edit_spec("tasks.md", "rounded up", "rounded down");
    }
}

#[test]
fn the_record_of_an_approval_cannot_be_removed_while_tasks_are_at_work() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--until=T002", "--pause-after=1"]), 3, &[]);
    let record = bed.sandbox.read(&Till::spec_path("spec.json"));
    bed.sandbox.write(&Till::spec_path("spec.json"), without_record(&record));
    bed.edit_spec("tasks.md", "rounded down", "rounded up");
    bed.answer("pause/1: {pause: go}\n");
    for output in [bed.resume(), bed.run(BINARY, ["resume", charrette_testkit::till::FEATURE])] {
        assert_ends(&output, 4, &["not who approved which text"]);
    }
    bed.sandbox.write(&Till::spec_path("spec.json"), record);
    bed.edit_spec("tasks.md", "rounded up", "rounded down");
    assert_ends(&bed.resume(), 0, &[]);
}

#[test]
fn the_design_knows_what_was_approved() {
    let shop = Workshop::brief();
    assert_ends(&shop.start(&[]), 0, &["approved"]);
    let preview = |shop: &Workshop| -> Output { shop.run(BINARY, ["implement", FEATURE, "--dry-run"]) };
    let record = shop.spec("spec.json");
    let gone = without_record(&std::fs::read_to_string(&record).unwrap());
    std::fs::write(&record, &gone).unwrap();
    let shown = printed(&preview(&shop));
    assert!(!shown.contains("approved"), "{shown}");
    // The same text is asked for.
    let tasks = std::fs::read_to_string(shop.spec("tasks.md")).unwrap();
    std::fs::write(shop.spec("tasks.md"), tasks.replacen("### T001: ", "### T001: Evil ", 1)).unwrap();
    let shown = printed(&preview(&shop));
    assert!(shown.contains("was changed since") && shown.contains("Evil"), "{shown}");
    // What was approved is not what is there now: it was replaced.
    let subject = shop.read("post-design.subject.md");
    shop.edit("post-design.subject.md", &subject.replacen("### T001: ", "### T001: Evil ", 1));
    let shown = printed(&preview(&shop));
    assert!(shown.contains("not who approved which text"), "{shown}");
    shop.edit("post-design.subject.md", &subject);
    std::fs::write(shop.spec("tasks.md"), tasks).unwrap();
    // A document that never recorded what was approved, as another version may have left it, counts as much.
    let mut document = shop.document();
    for phase in document["phases"].as_object_mut().unwrap().values_mut() {
        for step in phase["steps"].as_object_mut().unwrap().values_mut() {
            let outputs = step.get_mut("outputs").and_then(Value::as_object_mut);
            outputs.and_then(|outputs| outputs.remove("post-design.subject.md"));
        }
    }
    shop.sandbox.write(&document_path(FEATURE), document.to_string());
    let shown = printed(&preview(&shop));
    assert!(shown.contains("not who approved which text"), "{shown}");
    assert!(shown.contains("Approve it: charrette design"), "{shown}");
    // The cure works; the text is the one that was approved, so nobody is asked twice.
    assert_ends(&shop.design(&[FEATURE, "--approve"]), 0, &["approved"]);
    let shown = printed(&preview(&shop));
    assert!(!shown.contains("approved"), "{shown}");
}
