//! Speed of the parsers on a large text, against counting its lines.

use super::ratio::{Figure, compare};
use crate::TaskResult;
use charrette_model::diagram::{DiagramMode, check};
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::verdict::read_verdict;
use std::hint::black_box;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let review = "1. [security] Tokens are logged in src/auth.rs:40-44, where every request passes.\n   Suggested revision: redact them before they reach the log, as src/redact.rs does.\n\n".repeat(20_000);
    let prose = "This paragraph argues about the plan at some length, and it names src/lib.rs:12 on the way.\nIt has several lines.\n\n".repeat(30_000) + "## Verdict: REVISE\n";
    let diagram = "flowchart TD\n".to_owned()
        + &"  Gateway[the gateway] --> Limiter[the rate limiter]\n  Limiter --> Store[(the store)]\n"
            .repeat(20_000);
    let mut figures = Vec::new();
    let mut measure = |name: &'static str, text: &str, read: &dyn Fn(&str)| -> TaskResult {
        if name.contains(only) {
            let ours = || {
                read(black_box(text));
                Ok(())
            };
            let lines = || {
                black_box(black_box(text).lines().count());
                Ok(())
            };
            figures.push(compare(name, 10.0, 30, ours, lines)?);
        }
        Ok(())
    };
    measure("findings, against lines().count()", &review, &|text| drop(black_box(read_findings(text))))?;
    measure("verdict, against lines().count()", &prose, &|text| {
        drop(black_box(read_verdict(text, &["APPROVE", "REVISE"])));
    })?;
    measure("sanitizer, against lines().count()", &diagram, &|text| {
        drop(black_box(check(text, DiagramMode::Detect, None)));
    })?;
    Ok(figures)
}
