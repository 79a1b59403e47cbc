//! Gate questions of projects and features, before and after the files are written.

use crate::flows::design::pre_design_gate::SummaryQuestion;
use crate::gate::Gate;
use charrette_model::spec::manifest::{LevelManifest, ManifestEntry};
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::sections::Sections;
use std::fmt::Write as _;

/// Pre-design questions of a project.
pub(super) const PROJECT: [SummaryQuestion; 6] = [
    SummaryQuestion {
        key: "vision",
        intro: "This is what the project is for:",
        question: "Is this the vision? [yes / correct with changes / no]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "users",
        intro: "It is made for:",
        question: "Are these the people? [yes / changes: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "features",
        intro: "It would have these features:",
        question: "Is this the right set? [yes / add or remove: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "boundaries",
        intro: "These are its boundaries:",
        question: "Are they right? [boundaries are right / adjustments: ...]",
        confirmation: "boundaries are right",
    },
    SummaryQuestion {
        key: "priorities",
        intro: "This comes first:",
        question: "Do you agree with the order? [yes / changes: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "risks",
        intro: "This may go wrong:",
        question: "Are there other risks? [no additional / add: ...]",
        confirmation: "no additional",
    },
];

/// Pre-design questions of a feature.
pub(super) const FEATURE: [SummaryQuestion; 6] = [
    SummaryQuestion {
        key: "understanding",
        intro: "This is what the feature does:",
        question: "Is this correct? [yes / correct with changes / no]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "rough_specs_input",
        intro: "It would be cut into these specs:",
        question: "Is this the right cut? [yes / changes: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "dependencies",
        intro: "It depends on, or is needed by:",
        question: "Is anything missing? [nothing missing / add: ...]",
        confirmation: "nothing missing",
    },
    SummaryQuestion {
        key: "boundaries",
        intro: "These are its boundaries:",
        question: "Are they right? [boundaries are right / adjustments: ...]",
        confirmation: "boundaries are right",
    },
    SummaryQuestion {
        key: "complexity",
        intro: "This is where it is hard:",
        question: "Do you see it the same way? [yes / concerns: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "constraints",
        intro: "These constraints hold:",
        question: "Are there others? [no additional / add: ...]",
        confirmation: "no additional",
    },
];

/// Adds the questions of the post-design gate.
pub(super) fn post_design_questions(
    level: SpecLevel,
    gate: Gate,
    page: &str,
    manifest: &LevelManifest,
) -> Gate {
    let gate = if level == SpecLevel::Project {
        ask_project(gate, page, manifest)
    } else {
        ask_feature(gate, page, manifest)
    };
    gate.ask_approval(
        "approval",
        "Do you approve this design?\n[yes] → proceed to validation\n[no] → halt; revise with --phase=write\n[revise] → the files are made again with your feedback",
    )
}

fn ask_project(gate: Gate, page: &str, manifest: &LevelManifest) -> Gate {
    let names: Vec<&str> = manifest.names().collect();
    let rough = lines(manifest, |entry| match entry.rough_specs.as_slice() {
        [] => format!("{}: none named", entry.name),
        rough => format!("{}: {}", entry.name, rough.join(", ")),
    });
    gate.ask(
        "features_produced",
        &format!(
            "The project is cut into these features:\n{}\nIs this what you expected? [yes / changes: ...]",
            entry_list(manifest)
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
            section_text(page, "Scope")
        ),
        "yes",
    )
    .ask(
        "granularity",
        &format!(
            "There are {}. Is each of a size to be designed by itself? [yes / split or merge: ...]",
            count_label(names.len(), "feature")
        ),
        "yes",
    )
    .ask(
        "naming",
        &format!("They are called {}.\nAre these the right names? [yes / rename: ...]", names.join(", ")),
        "yes",
    )
}

fn ask_feature(gate: Gate, page: &str, manifest: &LevelManifest) -> Gate {
    let is_outside = |wanted: &&String| wanted.contains('/');
    let inner_dependencies = lines(manifest, |entry| {
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
            entry_list(manifest)
        ),
        "yes",
    )
    .ask(
        "dependencies",
        &format!("What each waits for:\n{inner_dependencies}\nIs that right? [yes / changes: ...]"),
        "yes",
    )
    .ask(
        "build_order",
        &format!(
            "They are built in this order:\n{}\n\nDo you agree? [yes / changes: ...]",
            section_text(page, "Build Order")
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

fn entry_list(manifest: &LevelManifest) -> String {
    lines(manifest, |entry| format!("{}: {}", entry.name, entry.description))
}

fn lines(manifest: &LevelManifest, line: impl Fn(&ManifestEntry) -> String) -> String {
    bulleted(&manifest.entries.iter().map(line).collect::<Vec<_>>())
}

fn bulleted(items: &[String]) -> String {
    items.iter().fold(String::new(), |mut text, item| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {item}");
        text
    })
}

fn section_text(page: &str, title: &str) -> String {
    let body = Sections::parse(page).find(&[title]).map(|section| section.body.trim().to_owned());
    body.filter(|body| !body.is_empty()).unwrap_or_else(|| "nothing is said".to_owned())
}

/// Count with a noun: `1 feature`, `2 features`.
pub(super) fn count_label(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_contract() {
        let keys_of =
            |questions: &[SummaryQuestion; 6]| questions.each_ref().map(|asked| asked.key).join(" ");
        assert_eq!(keys_of(&PROJECT), "vision users features boundaries priorities risks");
        assert_eq!(
            keys_of(&FEATURE),
            "understanding rough_specs_input dependencies boundaries complexity constraints"
        );
        for (level, manifest, keys) in [
            (
                SpecLevel::Project,
                r#"{"features": [{"name": "cart"}]}"#,
                "features_produced rough_specs coverage granularity naming approval",
            ),
            (
                SpecLevel::Feature,
                r#"{"specs": [{"name": "add", "depends_on": ["a/b/c"]}]}"#,
                "specs_produced dependencies build_order cross_feature gaps approval",
            ),
        ] {
            let manifest = LevelManifest::parse(level, manifest).unwrap();
            let gate = post_design_questions(level, Gate::new("post-design", "x"), "", &manifest);
            let asked: Vec<&str> = gate.questions.iter().map(|question| question.key.as_str()).collect();
            assert_eq!(asked.join(" "), keys);
        }
    }
}
