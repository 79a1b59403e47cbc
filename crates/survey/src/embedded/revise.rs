//! The later calls of the chief designer: the reviser, the mender and the finisher. They answer with edits by section that
//! account for what they were given and change nothing else; a person or a model works it into the plan.

use super::citable_facts::{NO_MODEL, sanitize};
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::plan_text::{BREAKS_SECTION, PlanText, RESOLVED_SECTION};
use charrette_model::markdown::{heading, label, lines, strip_decoration};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::ids::ItemId;
use charrette_model::panel::section_edits::apply_edits;
use charrette_model::panel::walkthrough::{WalkResult, read_walkthrough};

/// Section for what the person said after the plan was walked through.
const SETTLED_SECTION: &str = "Settled with the person";

/// Accounts for every accepted finding.
pub(super) fn account_for_findings(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan-draft.txt")?;
    let resolved: Vec<String> = parse_accepted_findings(inputs.artifact("accepted-plan-findings.md"))
        .into_iter()
        .map(|(id, title, resolution)| {
            let resolution = if resolution.is_empty() { title } else { resolution };
            format!("- {id}: taken over as a duty of the implementer: {}", sanitize(&resolution, 900))
        })
        .collect();
    Ok(add_to_section(plan, RESOLVED_SECTION, &resolved))
}

/// Accounts for every scenario that broke. The embedded agent cannot mend a plan, and says so.
pub(super) fn account_for_breaks(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan-reviewed.txt")?;
    let (walked, _) = read_walkthrough(inputs.artifact("broken-scenarios.md"), &[]);
    let broken: Vec<String> = walked
        .iter()
        .filter_map(|scenario| {
            let WalkResult::Breaks { step, why } = &scenario.outcome else { return None };
            Some(format!(
                "- {}: not mended, because no model took part; it breaks at step {step}, and a person decides before the work begins: {}",
                scenario.id,
                sanitize(why, 400)
            ))
        })
        .collect();
    Ok(add_to_section(plan, BREAKS_SECTION, &broken))
}

/// Adds the results of the second discussion and the feedback; the plan itself without either.
pub(super) fn add_answers(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan-walked.txt")?;
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
    Ok(add_to_section(plan, SETTLED_SECTION, &lines))
}

/// Edits that add lines to a section, or the section behind the last one; the whole plan if there is nothing to add.
fn add_to_section(plan: &str, title: &str, added: &[String]) -> String {
    let whole = plan.trim_end();
    if added.is_empty() {
        return format!("{whole}\n");
    }
    let added = added.join("\n");
    let known = PlanText::read(plan).section(title);
    let edits = if let Some(body) = &known {
        format!("=== replace: ## {title} ===\n## {title}\n{body}\n{added}\n")
    } else {
        let headings = lines(plan).filter(|line| !line.fenced).filter_map(|line| heading(line.text));
        let last = headings.filter(|(level, _)| *level == 2).last().map_or("", |(_, title)| title);
        format!("=== add after: ## {last} ===\n## {title}\n> {NO_MODEL}\n\n{added}\n")
    };
    // A plan whose headings cannot be named is answered as a whole.
    if apply_edits(plan, &edits).is_ok_and(|edited| !edited.is_whole) {
        return edits;
    }
    format!("{whole}\n\n## {title}\n> {NO_MODEL}\n\n{added}\n")
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

    fn edited(plan: &str, title: &str, added: &[&str]) -> String {
        let added: Vec<String> = added.iter().map(|line| (*line).to_owned()).collect();
        apply_edits(plan, &add_to_section(plan, title, &added)).unwrap().text
    }

    #[test]
    fn only_the_section_is_added_or_extended() {
        let plan = "## Approach\nx\n\n### Part\ny\n";
        assert_eq!(add_to_section(plan, RESOLVED_SECTION, &[]), plan);
        let once = edited(plan, RESOLVED_SECTION, &["- FINDING_1: y"]);
        let expected = format!("{plan}\n## Findings resolved\n> {NO_MODEL}\n\n- FINDING_1: y\n");
        assert_eq!(once, expected);
        assert_eq!(edited(&once, RESOLVED_SECTION, &["- FINDING_2: z"]), format!("{once}- FINDING_2: z\n"));
        let twice = edited(&once, SETTLED_SECTION, &["- Discussion, z: w"]);
        assert!(twice.starts_with(&once) && twice.ends_with("- Discussion, z: w\n"), "{twice}");
    }

    #[test]
    fn a_plan_without_usable_headings_is_answered_as_a_whole() {
        for plan in ["No headings.\n", "## A\nx\n\n## A\ny\n"] {
            let answer = add_to_section(plan, RESOLVED_SECTION, &["- FINDING_1: y".to_owned()]);
            let text = apply_edits(plan, &answer).unwrap().text;
            assert!(text.starts_with(plan.trim_end()) && text.ends_with("- FINDING_1: y\n"), "{text}");
        }
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
