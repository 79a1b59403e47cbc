//! The response: findings of an agent, and its decision on how to proceed.

use super::report::HandoffReport;
use super::request::PHASES;
use super::shape::{Member, Shape, compare, optional, required};
use crate::words;
use serde_json::Value;

/// The members of a response; those of its findings depend on the phase, see [`FINDINGS`].
pub const RESPONSE: Shape = Shape::Object(&[
    required("task_id", Shape::Text),
    required("phase", Shape::OneOf(PHASES)),
    required("status", Shape::OneOf(&["complete", "partial", "blocked"])),
    required("decision", Shape::OneOf(&["PROCEED", "STOP", "CLARIFY"])),
    required("findings", Shape::AnyObject),
    required("context_summary", Shape::Text),
    optional("tokens_used", Shape::Nullable(&Shape::Count)),
    optional("issues", Shape::List(&Shape::Text)),
]);

const RESEARCH: &[Member] = &[
    optional(
        "existing_implementations",
        Shape::List(&Shape::Object(&[
            required("file", Shape::Text),
            required("description", Shape::Text),
            required("relevance", Shape::OneOf(&["high", "medium", "low"])),
        ])),
    ),
    optional(
        "conflicts",
        Shape::List(&Shape::Object(&[
            required(
                "type",
                Shape::OneOf(&[
                    "naming",
                    "pattern",
                    "dependency",
                    "behaviour",
                    "safety",
                    "lifecycle",
                    "data",
                ]),
            ),
            required("description", Shape::Text),
            required("severity", Shape::OneOf(&["critical", "warning", "info"])),
        ])),
    ),
    optional(
        "patterns_found",
        Shape::List(&Shape::Object(&[
            required("file", Shape::Text),
            required("pattern", Shape::Text),
            required("recommendation", Shape::Text),
        ])),
    ),
    optional("recommendations", Shape::List(&Shape::Text)),
];

const WRITE: &[Member] = &[
    optional(
        "files_created",
        Shape::List(&Shape::Object(&[required("path", Shape::Text), required("purpose", Shape::Text)])),
    ),
    optional(
        "files_modified",
        Shape::List(&Shape::Object(&[required("path", Shape::Text), required("changes", Shape::Text)])),
    ),
    optional(
        "tests_written",
        Shape::List(&Shape::Object(&[
            required("path", Shape::Text),
            required("test_count", Shape::Count),
            required("coverage_areas", Shape::List(&Shape::Text)),
        ])),
    ),
    optional("implementation_notes", Shape::List(&Shape::Text)),
];

const CHECK: &[Member] = &[
    required("passed", Shape::Bool),
    optional("total", Shape::Count),
    optional("passed_count", Shape::Count),
    optional("failed_count", Shape::Count),
    optional("coverage", Shape::Any),
    optional("failures", Shape::List(&Shape::Any)),
    optional("errors", Shape::Any),
    optional("warnings", Shape::Any),
    optional("issues", Shape::List(&Shape::Any)),
    optional("details", Shape::Any),
    optional("output", Shape::Any),
];

const VALIDATE: &[Member] = &[
    required(
        "checks",
        Shape::Object(&[
            optional("types", Shape::Object(CHECK)),
            optional("lint", Shape::Object(CHECK)),
            optional("tests", Shape::Object(CHECK)),
            optional("build", Shape::Nullable(&Shape::Object(CHECK))),
            optional("security", Shape::Object(CHECK)),
        ]),
    ),
    required("overall_passed", Shape::Bool),
    optional("blocking_issues", Shape::List(&Shape::Any)),
    optional("warnings", Shape::List(&Shape::Any)),
];

const PARALLEL: &[Member] = &[
    required(
        "results",
        Shape::List(&Shape::Object(&[
            required("task_id", Shape::Text),
            required("type", Shape::Text),
            required("passed", Shape::Bool),
            required("summary", Shape::Text),
            optional("details", Shape::Any),
        ])),
    ),
    required(
        "aggregation",
        Shape::Object(&[
            required("total", Shape::Count),
            required("passed", Shape::Count),
            required("failed", Shape::Count),
            required("rule", Shape::OneOf(&["all_must_pass", "any_pass", "majority_pass"])),
            required("overall_passed", Shape::Bool),
        ]),
    ),
];

/// Members of the findings, by phase.
pub const FINDINGS: &[(&str, Shape)] = &[
    ("research", Shape::Object(RESEARCH)),
    ("write", Shape::Object(WRITE)),
    ("validate", Shape::Object(VALIDATE)),
    ("parallel", Shape::Object(PARALLEL)),
];

/// Checks a response. A summary over the limit is a warning: it is cut before it is stored.
pub fn check_response(response: &Value, summary_words: usize) -> HandoffReport {
    let mut report = HandoffReport::default();
    compare(response, &RESPONSE, "", &mut report);
    if let Some(Value::String(summary)) = response.get("context_summary")
        && let Some(problem) = words::measure_summary(summary, summary_words).error
    {
        report.warning("context_summary", &problem);
    }
    if let Some(findings) = response.get("findings").filter(|findings| findings.is_object()) {
        check_findings(text_at(response, "phase"), findings, text_at(response, "status"), &mut report);
    }
    if text_at(response, "status") == "blocked" && text_at(response, "decision") == "PROCEED" {
        report.warning("decision", "PROCEED although the status is blocked");
    }
    report.finish()
}

/// The findings of a blocked response may be empty.
fn check_findings(phase: &str, findings: &Value, status: &str, report: &mut HandoffReport) {
    let empty = findings.as_object().is_some_and(serde_json::Map::is_empty);
    if empty && status == "blocked" {
        return;
    }
    if let Some((_, shape)) = FINDINGS.iter().find(|(name, _)| *name == phase) {
        compare(findings, shape, "findings", report);
    }
    match phase {
        "validate" => check_validation(findings, report),
        "parallel" => check_aggregation(findings, report),
        _ => {}
    }
    if empty {
        report.warning("findings", "is empty");
    }
}

/// Overall success contradicts a failed check or a blocking issue.
fn check_validation(findings: &Value, report: &mut HandoffReport) {
    if findings.get("overall_passed") != Some(&Value::Bool(true)) {
        return;
    }
    let failed = findings
        .get("checks")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(_, check)| check.get("passed") == Some(&Value::Bool(false)));
    for (name, _) in failed {
        report.error("findings.overall_passed", &format!("is true although checks.{name} failed"));
    }
    if findings.get("blocking_issues").and_then(Value::as_array).is_some_and(|issues| !issues.is_empty()) {
        report.error("findings.overall_passed", "is true although there are blocking_issues");
    }
}

fn text_at<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The numbers of an aggregation must match the results, and the outcome its rule.
fn check_aggregation(findings: &Value, report: &mut HandoffReport) {
    let (Some(results), Some(aggregation)) =
        (findings.get("results").and_then(Value::as_array), findings.get("aggregation"))
    else {
        return;
    };
    let outcomes: Vec<bool> = results.iter().filter_map(|result| result.get("passed")?.as_bool()).collect();
    if outcomes.len() != results.len() {
        return;
    }
    let total = outcomes.len();
    let passed = outcomes.iter().filter(|&&passed| passed).count();
    for (member, counted) in [("total", total), ("passed", passed), ("failed", total - passed)] {
        if let Some(claimed) = aggregation.get(member).and_then(Value::as_u64)
            && claimed != counted as u64
        {
            report.error(
                &format!("findings.aggregation.{member}"),
                &format!("is {claimed}, but the results give {counted}"),
            );
        }
    }
    let rule = text_at(aggregation, "rule");
    let holds = match rule {
        "all_must_pass" => passed == total,
        "any_pass" => passed > 0,
        "majority_pass" => passed * 2 > total,
        _ => return,
    };
    if let Some(claimed) = aggregation.get("overall_passed").and_then(Value::as_bool)
        && claimed != holds
    {
        let problem = format!("is {claimed}, but {rule} with {passed} of {total} passed gives {holds}");
        report.error("findings.aggregation.overall_passed", &problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn response(phase: &str, findings: &Value) -> Value {
        json!({"task_id": "T1", "phase": phase, "status": "complete", "decision": "PROCEED", "findings": findings, "context_summary": "Found it."})
    }

    fn errors(phase: &str, findings: &Value) -> Vec<String> {
        check_response(&response(phase, findings), 500).errors
    }

    #[test]
    fn whole_responses_of_every_phase_are_fine() {
        for (phase, findings) in [
            (
                "research",
                json!({"existing_implementations": [{"file": "a.rs", "description": "d", "relevance": "high"}],
                "conflicts": [{"type": "naming", "description": "d", "severity": "info"}],
                "patterns_found": [{"file": "a", "pattern": "p", "recommendation": "r"}], "recommendations": ["x"]}),
            ),
            (
                "write",
                json!({"files_created": [{"path": "a", "purpose": "p"}], "files_modified": [], "tests_written": [{"path": "t", "test_count": 2, "coverage_areas": []}], "implementation_notes": []}),
            ),
            (
                "validate",
                json!({"checks": {"types": {"passed": true}, "lint": {"passed": true}, "tests": {"passed": true, "total": 3, "passed_count": 3, "failed_count": 0, "coverage": 80.5, "failures": []}, "security": {"passed": true, "issues": []}}, "overall_passed": true, "blocking_issues": [], "warnings": []}),
            ),
            (
                "parallel",
                json!({"results": [{"task_id": "a", "type": "t", "passed": true, "summary": "s", "details": {}}], "aggregation": {"total": 1, "passed": 1, "failed": 0, "rule": "all_must_pass", "overall_passed": true}}),
            ),
        ] {
            let report = check_response(&response(phase, &findings), 500);
            assert_eq!(report, HandoffReport { valid: true, ..HandoffReport::default() }, "{phase}");
        }
    }

    #[test]
    fn every_field_is_checked() {
        assert_eq!(
            check_response(&json!({}), 500).errors,
            [
                "task_id: is missing",
                "phase: is missing",
                "status: is missing",
                "decision: is missing",
                "findings: is missing",
                "context_summary: is missing"
            ]
        );
        let mut wrong = response("research", &json!({"recommendations": []}));
        wrong["decision"] = json!("proceed");
        wrong["tokens_used"] = json!(-1);
        wrong["issues"] = json!("none");
        assert_eq!(
            check_response(&wrong, 500).errors,
            [
                "decision: 'proceed' is not one of PROCEED, STOP, CLARIFY",
                "tokens_used: expected a whole number, found a number",
                "issues: expected a list, found text"
            ]
        );
        assert_eq!(
            errors(
                "research",
                &json!({"conflicts": [{"type": "taste", "description": "d", "severity": "high"}]})
            ),
            [
                "findings.conflicts[0].type: 'taste' is not one of naming, pattern, dependency, behaviour, safety, lifecycle, data",
                "findings.conflicts[0].severity: 'high' is not one of critical, warning, info"
            ]
        );
        assert_eq!(
            errors("write", &json!({"files_created": [{"path": "a"}]})),
            ["findings.files_created[0].purpose: is missing"]
        );
    }

    #[test]
    fn a_long_summary_is_a_warning_here() {
        let mut long = response("research", &json!({"recommendations": []}));
        long["context_summary"] = json!(vec!["w"; 501].join(" "));
        let report = check_response(&long, 500);
        assert!(report.valid);
        assert_eq!(
            report.warnings,
            ["context_summary: Context summary exceeds 500 token limit (actual: 501 tokens)"]
        );
    }

    #[test]
    fn success_cannot_stand_beside_failure() {
        let findings =
            json!({"checks": {"lint": {"passed": false}}, "overall_passed": true, "blocking_issues": ["x"]});
        assert_eq!(
            errors("validate", &findings),
            [
                "findings.overall_passed: is true although checks.lint failed",
                "findings.overall_passed: is true although there are blocking_issues"
            ]
        );
    }

    #[test]
    fn aggregation_rules() {
        let outcome = |rule: &str, passed: usize, total: usize, claimed: bool| {
            let results: Vec<Value> = (0..total)
                .map(|n| json!({"task_id": "a", "type": "t", "passed": n < passed, "summary": "s"}))
                .collect();
            errors(
                "parallel",
                &json!({"results": results, "aggregation": {"total": total, "passed": passed, "failed": total - passed, "rule": rule, "overall_passed": claimed}}),
            )
        };
        for (rule, passed, total, holds) in [
            ("all_must_pass", 3, 3, true),
            ("all_must_pass", 2, 3, false),
            ("any_pass", 1, 3, true),
            ("any_pass", 0, 3, false),
            ("majority_pass", 2, 4, false),
            ("majority_pass", 3, 4, true),
            ("majority_pass", 0, 0, false),
        ] {
            assert_eq!(outcome(rule, passed, total, holds), [""; 0], "{rule} {passed}/{total}");
            assert_eq!(outcome(rule, passed, total, !holds).len(), 1, "{rule} {passed}/{total}");
        }
        let wrong = json!({"results": [{"task_id": "a", "type": "t", "passed": true, "summary": "s"}], "aggregation": {"total": 2, "passed": 1, "failed": 1, "rule": "any_pass", "overall_passed": true}});
        assert_eq!(
            errors("parallel", &wrong),
            [
                "findings.aggregation.total: is 2, but the results give 1",
                "findings.aggregation.failed: is 1, but the results give 0"
            ]
        );
    }

    #[test]
    fn a_blocked_response_needs_no_findings() {
        let mut blocked = response("validate", &json!({}));
        blocked["status"] = json!("blocked");
        blocked["decision"] = json!("STOP");
        assert!(check_response(&blocked, 500).valid);
        blocked["decision"] = json!("PROCEED");
        assert_eq!(
            check_response(&blocked, 500).warnings,
            ["decision: PROCEED although the status is blocked"]
        );
    }
}
