//! The implementation plan: five sections, of which a change that is cosmetic or documentation may leave one out.
//!
//! Whether the files it names exist is checked with the specification, in [`crate::spec::check`].

use super::lines::Problem;
use crate::spec::sections::Sections;

/// The sections of a plan, in order.
pub const SECTIONS: [&str; 5] =
    ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"];

/// Where in [`SECTIONS`] the one stands that a plan may do without.
pub const FAILURE_MODES: usize = 3;

/// What is missing from a plan.
pub fn missing_sections(text: &str) -> Vec<Problem> {
    let sections = Sections::of(text);
    let needed = SECTIONS.iter().enumerate().filter(|(index, _)| *index != FAILURE_MODES);
    needed
        .filter_map(|(_, title)| match sections.named(&[title]) {
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
    fn four_sections_must_say_something_and_the_fifth_may_be_missing() {
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
