//! The request: task of an agent, with its context.

use super::report::HandoffReport;
use super::shape::{Member, Shape, compare, optional, required};
use crate::words;
use serde_json::Value;

pub(super) const PHASES: &[&str] = &["research", "write", "validate", "parallel"];
const MODES: &[&str] = &["plan", "code", "ui", "docs", "eval", "reconcile", "research"];
const OUTPUTS: &[&str] = &["structured_findings", "files_changed", "validation_result", "aggregated_results"];

const CONTEXT: &[Member] = &[
    required("feature", Shape::Text),
    optional("spec_path", Shape::Nullable(&Shape::Text)),
    optional("relevant_files", Shape::List(&Shape::Text)),
    optional("constraints", Shape::List(&Shape::Text)),
    optional("previous_summary", Shape::Nullable(&Shape::Any)),
    optional("previous_findings", Shape::Any),
    optional("files_changed", Shape::List(&Shape::Any)),
    optional("tests_written", Shape::List(&Shape::Any)),
];

pub const REQUEST: Shape = Shape::Object(&[
    required("task_id", Shape::Text),
    required("phase", Shape::OneOf(PHASES)),
    required("mode", Shape::OneOf(MODES)),
    required("context", Shape::Object(CONTEXT)),
    required("instructions", Shape::Text),
    required("expected_output", Shape::OneOf(OUTPUTS)),
]);

/// Checks a request. A summary over the limit is an error.
pub fn check_request(request: &Value, summary_words: usize) -> HandoffReport {
    let mut report = HandoffReport::default();
    compare(request, &REQUEST, "", &mut report);
    if let Some(context) = request.get("context").filter(|context| context.is_object()) {
        check_context(context, summary_words, &mut report);
    }
    report.finish()
}

fn check_context(context: &Value, summary_words: usize, report: &mut HandoffReport) {
    match context.get("previous_summary") {
        Some(Value::String(summary)) => {
            if let Some(problem) = words::measure_summary(summary, summary_words).error {
                report.error("context.previous_summary", &problem);
            }
        }
        Some(Value::Null) | None => {}
        Some(_) => report.error("context.previous_summary", "expected text or null"),
    }
    if context.get("previous_findings").is_some() {
        report.warning("context.previous_findings", "is called previous_summary now");
    }
    if let Some(Value::String(path)) = context.get("spec_path")
        && !(path.starts_with('/') && path.ends_with('/'))
    {
        report.error("context.spec_path", "must be an absolute path that ends with '/'");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> Value {
        json!({
            "task_id": "T1", "phase": "research", "mode": "plan",
            "context": {"feature": "add-login", "spec_path": null, "relevant_files": ["src/a.rs"], "constraints": [], "previous_summary": null},
            "instructions": "Find what exists.", "expected_output": "structured_findings"
        })
    }

    #[test]
    fn a_whole_request_is_fine() {
        assert_eq!(check_request(&request(), 500), HandoffReport { valid: true, ..HandoffReport::default() });
    }

    #[test]
    fn every_field_is_checked() {
        for (pointer, value, error) in [
            ("/task_id", json!(""), "task_id: must not be empty"),
            ("/task_id", json!(7), "task_id: expected text, found a number"),
            ("/phase", json!("plan"), "phase: 'plan' is not one of research, write, validate, parallel"),
            (
                "/mode",
                json!("test"),
                "mode: 'test' is not one of plan, code, ui, docs, eval, reconcile, research",
            ),
            (
                "/mode",
                Value::Null,
                "mode: expected one of plan, code, ui, docs, eval, reconcile, research, found null",
            ),
            ("/context", json!([]), "context: expected an object, found a list"),
            ("/context/feature", json!(" "), "context.feature: must not be empty"),
            (
                "/context/relevant_files",
                json!(["a", 1]),
                "context.relevant_files[1]: expected text, found a number",
            ),
            ("/context/constraints", json!("none"), "context.constraints: expected a list, found text"),
            (
                "/context/spec_path",
                json!("specs/x/"),
                "context.spec_path: must be an absolute path that ends with '/'",
            ),
            (
                "/context/previous_summary",
                json!(vec!["w"; 501].join(" ")),
                "context.previous_summary: Context summary exceeds 500 token limit (actual: 501 tokens)",
            ),
            (
                "/expected_output",
                json!("prose"),
                "expected_output: 'prose' is not one of structured_findings, files_changed, validation_result, aggregated_results",
            ),
        ] {
            let mut request = request();
            *request.pointer_mut(pointer).unwrap() = value;
            let report = check_request(&request, 500);
            assert_eq!(report.errors, [error], "{pointer}");
            assert!(!report.valid);
        }
    }

    #[test]
    fn every_required_field_is_missed() {
        let report = check_request(&json!({"context": {}}), 500);
        assert_eq!(
            report.errors,
            [
                "task_id: is missing",
                "phase: is missing",
                "mode: is missing",
                "context.feature: is missing",
                "instructions: is missing",
                "expected_output: is missing"
            ]
        );
    }

    #[test]
    fn old_and_unknown_names_are_warned_about() {
        let mut request = request();
        request["context"]["previous_findings"] = json!("x");
        request["context"]["prio"] = json!(1);
        let report = check_request(&request, 500);
        assert!(report.valid);
        assert_eq!(
            report.warnings,
            [
                "context.prio: is not a member of the protocol",
                "context.previous_findings: is called previous_summary now"
            ]
        );
    }

    #[test]
    fn anything_else_is_an_error_and_no_panic() {
        for value in [json!(null), json!([]), json!("x"), json!(1)] {
            assert!(!check_request(&value, 500).valid);
        }
    }
}
