//! Sections of the implementation plan. A cosmetic or documentation change may omit one of the five.
//!
//! The files it names are checked with the specification, in [`crate::spec::check`].

use crate::problem::Problem;
use crate::spec::sections::Sections;

/// Sections of a plan, in order.
pub const SECTIONS: [&str; 5] =
    ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"];

/// Index in [`SECTIONS`] of the optional section.
pub const FAILURE_MODES: usize = 3;

/// Reports missing and empty sections of a plan.
pub fn missing_sections(text: &str) -> Vec<Problem> {
    let sections = Sections::parse(text);
    let needed = SECTIONS.iter().enumerate().filter(|(index, _)| *index != FAILURE_MODES);
    needed
        .filter_map(|(_, title)| match sections.find(&[title]) {
            None => Some(Problem::new(1, format!("the section '{title}' is missing"))),
            Some(section) if section.body.trim().is_empty() => {
                Some(Problem::new(section.line, format!("the section '{title}' is empty")))
            }
            Some(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_sections_are_required_and_failure_modes_is_optional() {
        let plan =
            "## Files to modify/create\n- `a.rs`\n\n### 2. **Approach**\nDo it.\n\n## Edge Cases:\n- none\n";
        let messages: Vec<String> =
            missing_sections(plan).into_iter().map(|problem| problem.message).collect();
        assert_eq!(messages, ["the section 'Testing strategy' is missing"]);
        assert_eq!(missing_sections(&format!("{plan}\n## Testing strategy\n")).len(), 1);
        assert_eq!(missing_sections(&format!("{plan}\n## Testing strategy\nAll of it.\n")), []);
        assert_eq!(missing_sections("").len(), 4);
        assert_eq!(missing_sections("```\n## Approach\nx\n```\n").len(), 4);
    }
}
