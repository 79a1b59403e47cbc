//! The implementation plan: five sections, of which a change that is cosmetic or documentation may leave one out.

use super::lines::{Problem, bare, lines};

/// The sections of a plan, in order.
pub const SECTIONS: [&str; 5] =
    ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"];

/// The section a plan may do without.
const MAY_BE_MISSING: &str = "Failure modes";

/// What is missing from a plan.
pub fn missing_sections(text: &str) -> Vec<Problem> {
    let mut found: Vec<(String, bool)> = Vec::new();
    for line in lines(text) {
        let head = bare(line.text);
        if head.heading && !line.fenced {
            found.push((simple(head.text), false));
        } else if let Some((_, says)) = found.last_mut() {
            *says |= !line.text.trim().is_empty();
        }
    }
    let wanted = SECTIONS.iter().filter(|section| **section != MAY_BE_MISSING);
    wanted
        .filter_map(|section| {
            let is_it = |(title, _): &&(String, bool)| title.starts_with(&simple(section));
            match found.iter().find(is_it) {
                None => Some(Problem::new(1, format!("the section '{section}' is missing"))),
                Some((_, false)) => Some(Problem::new(1, format!("the section '{section}' is empty"))),
                Some(_) => None,
            }
        })
        .collect()
}

/// A title without case, marks and numbers: "1. **Edge Cases**" is "edge cases".
fn simple(title: &str) -> String {
    let kept: String = title.chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect();
    kept.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
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
