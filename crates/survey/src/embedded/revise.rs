//! The reviser and the finisher: what was decided is appended to the plan, word for word; nothing else is touched.

use super::draft::{DraftError, needed};
use super::ground::said;
use super::inputs::Inputs;
use super::plan_text::{PlanText, RESOLVED};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::ids::ItemId;
use charrette_model::panel::lines::{bare, label, lines};

/// The plan with the resolution of every accepted finding.
pub(super) fn after_review(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let plan = needed(inputs, "plan-draft.txt")?;
    let resolved: Vec<String> = accepted(inputs.artifact("accepted-plan-findings.md"))
        .into_iter()
        .map(|(id, title, resolution)| {
            let resolution = if resolution.is_empty() { title } else { resolution };
            format!("- {id}: {}", said(&resolution, 900))
        })
        .collect();
    Ok(appended(plan, &resolved))
}

/// The plan with what the second discussion and the feedback decided. Without either it stays as it is.
pub(super) fn finish(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let plan = needed(inputs, "plan-reviewed.txt")?;
    let (settled, _) = read_discussion(inputs.artifact("discussion-round2.md"));
    let mut lines: Vec<String> = settled
        .iter()
        .map(|entry| format!("- Discussion, {}: {}", said(&entry.title, 80), said(&entry.resolution, 300)))
        .collect();
    for (name, text) in inputs.artifacts_like("feedback-round", "", ".md") {
        if !text.trim().is_empty() {
            lines.push(format!("- Feedback ({name}): {} This has to be worked into the sections above by whoever implements it.", said(text, 600)));
        }
    }
    Ok(appended(plan, &lines))
}

/// A plan with lines added to the section of what was resolved.
fn appended(plan: &str, resolved: &[String]) -> String {
    let plan = plan.trim_end();
    if resolved.is_empty() {
        return format!("{plan}\n");
    }
    // The section is the last one, so that lines can simply be added; a person may have moved it.
    let last = plan.lines().rev().map(|line| bare(line)).find(|line| line.heading);
    let at_end = last.is_some_and(|head| head.text.trim() == RESOLVED)
        && PlanText::read(plan).section(RESOLVED).is_some();
    if at_end {
        return format!("{plan}\n{}\n", resolved.join("\n"));
    }
    format!("{plan}\n\n## {RESOLVED}\n{}\n", resolved.join("\n"))
}

/// The accepted findings: name, title, resolution.
fn accepted(text: &str) -> Vec<(ItemId, String, String)> {
    let mut found: Vec<(ItemId, String, String)> = Vec::new();
    for line in lines(text).filter(|line| !line.fenced) {
        let head = bare(line.text);
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
        assert_eq!(appended(plan, &[]), plan);
        let once = appended(plan, &["- FINDING_1: y".to_owned()]);
        assert_eq!(once, "## Approach\nx\n\n## Findings resolved\n- FINDING_1: y\n");
        assert_eq!(
            appended(&once, &["- Discussion, z: w".to_owned()]),
            format!("{once}- Discussion, z: w\n")
        );
    }

    #[test]
    fn accepted_findings_are_read() {
        let text = "### FINDING_2: A title\n**Concern**: x\n**Resolution**: Do y.\n\n### FINDING_3: Other\n**Concern**: z\n";
        let found: Vec<(String, String, String)> = accepted(text)
            .into_iter()
            .map(|(id, title, resolution)| (id.to_string(), title, resolution))
            .collect();
        let text = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(found, [text("FINDING_2", "A title", "Do y."), text("FINDING_3", "Other", "")]);
    }
}
