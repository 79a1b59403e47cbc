//! What is asked about a project and a feature, before anything is written and after.

use crate::flows::design::first_gate::Asked;
use crate::gate::Gate;
use charrette_model::spec::manifest::{Entry, Manifest};
use charrette_model::spec::resolver::Level;
use charrette_model::spec::sections::Sections;
use std::fmt::Write as _;

/// Before a project is written.
pub(super) const PROJECT: [Asked; 6] = [
    (
        "vision",
        "This is what the project is for:",
        "Is this the vision? [yes / correct with changes / no]",
        "yes",
    ),
    ("users", "It is made for:", "Are these the people? [yes / changes: ...]", "yes"),
    ("features", "It would have these features:", "Is this the right set? [yes / add or remove: ...]", "yes"),
    (
        "boundaries",
        "These are its boundaries:",
        "Are they right? [boundaries are right / adjustments: ...]",
        "boundaries are right",
    ),
    ("priorities", "This comes first:", "Do you agree with the order? [yes / changes: ...]", "yes"),
    ("risks", "This may go wrong:", "Are there other risks? [no additional / add: ...]", "no additional"),
];

/// Before a feature is written.
pub(super) const FEATURE: [Asked; 6] = [
    (
        "understanding",
        "This is what the feature does:",
        "Is this correct? [yes / correct with changes / no]",
        "yes",
    ),
    (
        "rough_specs_input",
        "It would be cut into these specs:",
        "Is this the right cut? [yes / changes: ...]",
        "yes",
    ),
    (
        "dependencies",
        "It depends on, or is needed by:",
        "Is anything missing? [nothing missing / add: ...]",
        "nothing missing",
    ),
    (
        "boundaries",
        "These are its boundaries:",
        "Are they right? [boundaries are right / adjustments: ...]",
        "boundaries are right",
    ),
    ("complexity", "This is where it is hard:", "Do you see it the same way? [yes / concerns: ...]", "yes"),
    (
        "constraints",
        "These constraints hold:",
        "Are there others? [no additional / add: ...]",
        "no additional",
    ),
];

/// The questions of the second gate, about what was written.
pub(super) fn about(level: Level, gate: Gate, page: &str, manifest: &Manifest) -> Gate {
    let gate =
        if level == Level::Project { project(gate, page, manifest) } else { feature(gate, page, manifest) };
    gate.ask_approval(
        "approval",
        "Do you approve this design?\n[yes] → proceed to validation\n[no] → halt; revise with --phase=write\n[revise] → the files are made again with your feedback",
    )
}

fn project(gate: Gate, page: &str, manifest: &Manifest) -> Gate {
    let names: Vec<&str> = manifest.names().collect();
    let rough = lines(manifest, |entry| match entry.rough_specs.as_slice() {
        [] => format!("{}: none named", entry.name),
        rough => format!("{}: {}", entry.name, rough.join(", ")),
    });
    gate.ask(
        "features_produced",
        &format!(
            "The project is cut into these features:\n{}\nIs this what you expected? [yes / changes: ...]",
            described(manifest)
        ),
        "yes",
    )
    .ask(
        "rough_specs",
        &format!("Each may become these specs:\n{rough}\nDo they fit? [yes / changes: ...]"),
        "yes",
    )
    .ask(
        "coverage",
        &format!(
            "What the project covers:\n{}\n\nDoes that cover the vision? [yes / missing: ...]",
            section(page, "Scope")
        ),
        "yes",
    )
    .ask(
        "granularity",
        &format!(
            "There are {}. Is each of a size to be designed by itself? [yes / split or merge: ...]",
            counted(names.len(), "feature")
        ),
        "yes",
    )
    .ask(
        "naming",
        &format!("They are called {}.\nAre these the right names? [yes / rename: ...]", names.join(", ")),
        "yes",
    )
}

fn feature(gate: Gate, page: &str, manifest: &Manifest) -> Gate {
    let is_outside = |wanted: &&String| wanted.contains('/');
    let waits = lines(manifest, |entry| {
        let inside: Vec<&str> =
            entry.depends_on.iter().filter(|wanted| !is_outside(wanted)).map(String::as_str).collect();
        if inside.is_empty() {
            format!("{}: nothing", entry.name)
        } else {
            format!("{}: {}", entry.name, inside.join(", "))
        }
    });
    let outside: Vec<String> = manifest
        .entries
        .iter()
        .flat_map(|entry| {
            entry.depends_on.iter().filter(is_outside).map(|wanted| format!("{} needs {wanted}", entry.name))
        })
        .collect();
    let outside = if outside.is_empty() { "none\n".to_owned() } else { bulleted(&outside) };
    gate.ask(
        "specs_produced",
        &format!(
            "The feature is cut into these specs:\n{}\nIs this what you expected? [yes / changes: ...]",
            described(manifest)
        ),
        "yes",
    )
    .ask(
        "dependencies",
        &format!("What each waits for:\n{waits}\nIs that right? [yes / changes: ...]"),
        "yes",
    )
    .ask(
        "build_order",
        &format!(
            "They are built in this order:\n{}\n\nDo you agree? [yes / changes: ...]",
            section(page, "Build Order")
        ),
        "yes",
    )
    .ask(
        "cross_feature",
        &format!("What they need of other features:\n{outside}\nIs that right? [yes / changes: ...]"),
        "yes",
    )
    .ask(
        "gaps",
        "Is anything missing that the feature needs? [nothing missing / add: ...]",
        "nothing missing",
    )
}

fn described(manifest: &Manifest) -> String {
    lines(manifest, |entry| format!("{}: {}", entry.name, entry.description))
}

fn lines(manifest: &Manifest, line: impl Fn(&Entry) -> String) -> String {
    bulleted(&manifest.entries.iter().map(line).collect::<Vec<_>>())
}

fn bulleted(items: &[String]) -> String {
    items.iter().fold(String::new(), |mut text, item| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {item}");
        text
    })
}

fn section(page: &str, title: &str) -> String {
    let found = Sections::of(page).named(&[title]).map(|section| section.body.trim().to_owned());
    found.filter(|body| !body.is_empty()).unwrap_or_else(|| "nothing is said".to_owned())
}

/// `1 feature`, `2 features`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_contract() {
        let before = |questions: &[Asked; 6]| questions.map(|(key, ..)| key).join(" ");
        assert_eq!(before(&PROJECT), "vision users features boundaries priorities risks");
        assert_eq!(
            before(&FEATURE),
            "understanding rough_specs_input dependencies boundaries complexity constraints"
        );
        for (level, manifest, keys) in [
            (
                Level::Project,
                r#"{"features": [{"name": "cart"}]}"#,
                "features_produced rough_specs coverage granularity naming approval",
            ),
            (
                Level::Feature,
                r#"{"specs": [{"name": "add", "depends_on": ["a/b/c"]}]}"#,
                "specs_produced dependencies build_order cross_feature gaps approval",
            ),
        ] {
            let manifest = Manifest::parse(level, manifest).unwrap();
            let gate = about(level, Gate::new("post-design", "x"), "", &manifest);
            let asked: Vec<&str> = gate.questions.iter().map(|question| question.key.as_str()).collect();
            assert_eq!(asked.join(" "), keys);
        }
    }
}
