//! Inputs of the specification: the parsed plan and its files.

use crate::embedded::citable_facts::{CitableFacts, sanitize};
use crate::embedded::inputs::DraftInputs;
use crate::embedded::person::PersonWords;
use crate::embedded::plan_text::{PlanText, SECTIONS};
use crate::embedded::synthesis::cited_files;
use crate::tree::kind::{FileKind, can_hold_tests, file_kind};

/// Maximum number of components in a specification.
const MAX_COMPONENTS: usize = 5;

/// Number of criteria that do not come from the person's words.
pub(super) const OWN_CRITERIA: usize = 3;

/// Inputs shared by the three files.
pub(super) struct SpecInputs<'a> {
    pub(super) inputs: &'a DraftInputs<'a>,
    pub(super) facts: CitableFacts<'a>,
    pub(super) person: PersonWords,
    pub(super) plan: PlanText<'a>,
    pub(super) plan_text: &'a str,
    /// All files that the plan changes.
    pub(super) named: Vec<String>,
    /// Files that change, without tests and docs: one component each.
    pub(super) components: Vec<String>,
    /// Test files of the plan.
    pub(super) tests: Vec<String>,
    /// Docs that change along.
    pub(super) docs: Vec<String>,
}

impl<'a> SpecInputs<'a> {
    pub(super) fn new(inputs: &'a DraftInputs<'a>, plan: &'a str) -> SpecInputs<'a> {
        let facts = CitableFacts::new(inputs);
        let text = PlanText::read(plan);
        let person = PersonWords::read(inputs);
        let mut named = cited_files(inputs, &text.section(SECTIONS[0]).unwrap_or_default());
        // Feedback comes after the plan.
        let added = person.included.iter().filter(|path| !named.contains(path)).cloned().collect::<Vec<_>>();
        named.extend(added);
        named.retain(|path| !person.excluded.contains(path));
        let is_test = |path: &String| file_kind(path) == Some(FileKind::Test) && can_hold_tests(path);
        let is_doc = |path: &String| file_kind(path) == Some(FileKind::Doc);
        let tests: Vec<String> = named.iter().filter(|path| is_test(path)).cloned().collect();
        let docs: Vec<String> = named.iter().filter(|path| is_doc(path)).cloned().collect();
        let mut components: Vec<String> = named
            .iter()
            .filter(|path| !is_test(path) && !is_doc(path))
            .take(MAX_COMPONENTS)
            .cloned()
            .collect();
        if components.is_empty() {
            components = docs.iter().take(1).cloned().collect();
        }
        let docs = docs.into_iter().filter(|path| !components.contains(path)).collect();
        SpecInputs { inputs, facts, person, plan: text, plan_text: plan, named, components, tests, docs }
    }

    /// Notice for the head of a file.
    pub(super) fn notice() -> String {
        format!("> {}", crate::embedded::citable_facts::NO_MODEL)
    }

    /// Proof of the change: a test file, else a command, else a person.
    pub(super) fn proof(&self) -> String {
        match (self.first_test(), self.facts.test_command()) {
            (Some(test), Some(run)) => format!("a test in {test} passes with \"{}\"", sanitize(run, 100)),
            (Some(test), None) => format!("a test in {test} passes"),
            (None, Some(run)) => format!("\"{}\" passes with a new test", sanitize(run, 100)),
            (None, None) => "a check passes that a person must name".to_owned(),
        }
    }

    /// First test to write: one that covers the first component, else one the plan names.
    pub(super) fn first_test(&self) -> Option<&str> {
        let covering = self.components.first().map(|path| self.facts.tests_of(path)).unwrap_or_default();
        let apart = covering.iter().find(|test| !self.components.iter().any(|path| path == *test));
        let near = apart.or(covering.first()).copied();
        near.or_else(|| self.tests.first().map(String::as_str))
    }

    /// Ids of the requirements that come from the person's words.
    pub(super) fn person_ids(&self) -> Vec<String> {
        (0..self.person.lines().len()).map(|n| format!("REQ-1.{}", OWN_CRITERIA + 1 + n)).collect()
    }

    /// Lines of a section of the plan, sanitized.
    pub(super) fn lines(&self, section: &str) -> Vec<String> {
        let strip = |line: &String| {
            let bare =
                line.trim_start_matches(['-', '*', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
            sanitize(bare.trim_start_matches(['.', ')', ' ']), 400)
        };
        self.plan.items(section).iter().map(strip).filter(|line| !line.is_empty()).collect()
    }
}
