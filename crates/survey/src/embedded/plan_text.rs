//! Parsed plan: its sections and their lines.

use charrette_model::markdown::{lines, strip_decoration};

pub(super) use charrette_model::panel::plan::SECTIONS;

/// Section that a review adds.
pub(super) const RESOLVED_SECTION: &str = "Findings resolved";
/// Section that a walk-through adds.
pub(super) const BREAKS_SECTION: &str = "Breaks resolved";

/// A plan, split at its headings.
#[derive(Debug)]
pub(super) struct PlanText<'a> {
    /// Titles as written, and the lines below each.
    sections: Vec<(&'a str, Vec<&'a str>)>,
}

impl<'a> PlanText<'a> {
    pub(super) fn read(text: &'a str) -> PlanText<'a> {
        let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in lines(text) {
            let head = strip_decoration(line.text);
            if head.heading && !line.fenced {
                sections.push((head.text.trim_end_matches([':', '#', ' ']), Vec::new()));
            } else if let Some((_, body)) = sections.last_mut() {
                body.push(line.text);
            }
        }
        PlanText { sections }
    }

    /// Text of a section; none if it is missing or empty.
    pub(super) fn section(&self, title: &str) -> Option<String> {
        let same = |name: &str| {
            normalize_title(name) == normalize_title(title)
                || normalize_title(name).starts_with(&normalize_title(title))
        };
        let (_, body) = self.sections.iter().find(|(name, _)| same(name))?;
        let text = body.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Lines of a section, without blank lines and quotations.
    pub(super) fn items(&self, title: &str) -> Vec<String> {
        let section = self.section(title).unwrap_or_default();
        section
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('>'))
            .map(str::to_owned)
            .collect()
    }
}

/// A title without case, marks and numbers: "1. **Edge Cases**" is "edge cases".
fn normalize_title(title: &str) -> String {
    let kept: String = title.chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect();
    kept.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_however_they_are_headed() {
        let plan = PlanText::read(
            "# Plan\n\n## 1. Files to Modify/Create\n- a\n\n### **Approach**\nText\nmore\n## Edge cases:\n\n## Failure modes\n1. x\n",
        );
        assert_eq!(plan.items("Files to modify/create"), ["- a"]);
        assert_eq!(plan.section("Approach").as_deref(), Some("Text\nmore"));
        assert_eq!(plan.section("Edge cases"), None);
        assert_eq!(plan.section("Testing strategy"), None);
    }
}
