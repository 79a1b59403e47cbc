//! The reviser and the finisher: append resolutions to the plan verbatim and change nothing else.

use super::citable_facts::sanitize;
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::plan_text::{PlanText, RESOLVED_SECTION};
use charrette_model::markdown::{label, lines, strip_decoration};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::ids::ItemId;

/// The plan with the resolution of every accepted finding.
pub(super) fn append_accepted_findings(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan-draft.txt")?;
    let resolved: Vec<String> = parse_accepted_findings(inputs.artifact("accepted-plan-findings.md"))
        .into_iter()
        .map(|(id, title, resolution)| {
            let resolution = if resolution.is_empty() { title } else { resolution };
            format!("- {id}: {}", sanitize(&resolution, 900))
        })
        .collect();
    Ok(append_resolutions(plan, &resolved))
}

/// The plan with the results of the second discussion and the feedback; unchanged without either.
pub(super) fn append_discussion(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan-reviewed.txt")?;
    let (settled, _) = read_discussion(inputs.artifact("discussion-round2.md"));
    let mut lines: Vec<String> = settled
        .iter()
        .map(|entry| {
            format!("- Discussion, {}: {}", sanitize(&entry.title, 80), sanitize(&entry.resolution, 300))
        })
        .collect();
    for (name, text) in inputs.artifacts_like("feedback-round", "", ".md") {
        if !text.trim().is_empty() {
            lines.push(format!(
                "- Feedback ({name}): {} The implementer has to work this into the sections above.",
                sanitize(text, 600)
            ));
        }
    }
    Ok(append_resolutions(plan, &lines))
}

/// Appends lines to the section of resolved findings.
fn append_resolutions(plan: &str, resolved: &[String]) -> String {
    let plan = plan.trim_end();
    if resolved.is_empty() {
        return format!("{plan}\n");
    }
    // The section is usually the last one, so lines can be appended; a person may have moved it.
    let last = plan.lines().rev().map(|line| strip_decoration(line)).find(|line| line.heading);
    let at_end = last.is_some_and(|head| head.text.trim() == RESOLVED_SECTION)
        && PlanText::read(plan).section(RESOLVED_SECTION).is_some();
    if at_end {
        return format!("{plan}\n{}\n", resolved.join("\n"));
    }
    format!("{plan}\n\n## {RESOLVED_SECTION}\n{}\n", resolved.join("\n"))
}

/// Parses the accepted findings: id, title, resolution.
fn parse_accepted_findings(text: &str) -> Vec<(ItemId, String, String)> {
    let mut found: Vec<(ItemId, String, String)> = Vec::new();
    for line in lines(text).filter(|line| !line.fenced) {
        let head = strip_decoration(line.text);
        let Some(label) = label(&head) else { continue };
        if let Some(id) = ItemId::parse(label.name).filter(|_| head.heading) {
            found.push((id, label.value.to_owned(), String::new()));
        } else if let Some((_, _, resolution)) =
            found.last_mut().filter(|_| label.name.eq_ignore_ascii_case("resolution"))
        {
            label.value.clone_into(resolution);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_are_appended_and_the_rest_is_untouched() {
        let plan = "## Approach\nx\n";
        assert_eq!(append_resolutions(plan, &[]), plan);
        let once = append_resolutions(plan, &["- FINDING_1: y".to_owned()]);
        assert_eq!(once, "## Approach\nx\n\n## Findings resolved\n- FINDING_1: y\n");
        assert_eq!(
            append_resolutions(&once, &["- Discussion, z: w".to_owned()]),
            format!("{once}- Discussion, z: w\n")
        );
    }

    #[test]
    fn accepted_findings_are_read() {
        let text = "### FINDING_2: A title\n**Concern**: x\n**Resolution**: Do y.\n\n### FINDING_3: Other\n**Concern**: z\n";
        let found: Vec<(String, String, String)> = parse_accepted_findings(text)
            .into_iter()
            .map(|(id, title, resolution)| (id.to_string(), title, resolution))
            .collect();
        let text = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(found, [text("FINDING_2", "A title", "Do y."), text("FINDING_3", "Other", "")]);
    }
}
