//! A plan taken apart for the specification.

use crate::embedded::ground::{Ground, said};
use crate::embedded::inputs::Inputs;
use crate::embedded::plan_text::{PlanText, SECTIONS};
use crate::embedded::synthesis::named_files;
use crate::tree::kind::{Kind, kind};

/// So many components a specification has.
const MOST_COMPONENTS: usize = 5;

/// What the three files are made from.
pub(super) struct Parts<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) ground: Ground<'a>,
    pub(super) plan: PlanText<'a>,
    /// The files that change, tests and documents apart: one component each.
    pub(super) components: Vec<String>,
    /// The tests that prove it.
    pub(super) tests: Vec<String>,
    /// Documents that change along.
    pub(super) docs: Vec<String>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(inputs: &'a Inputs<'a>, plan: &'a str) -> Parts<'a> {
        let ground = Ground::new(inputs);
        let text = PlanText::read(plan);
        let named = named_files(inputs, &text.section(SECTIONS[0]).unwrap_or_default());
        let is_test = |path: &String| kind(path) == Some(Kind::Test);
        let is_doc = |path: &String| kind(path) == Some(Kind::Doc);
        let tests: Vec<String> = named.iter().filter(|path| is_test(path)).cloned().collect();
        let docs: Vec<String> = named.iter().filter(|path| is_doc(path)).cloned().collect();
        let mut components: Vec<String> = named
            .iter()
            .filter(|path| !is_test(path) && !is_doc(path))
            .take(MOST_COMPONENTS)
            .cloned()
            .collect();
        if components.is_empty() {
            components = docs.iter().take(1).cloned().collect();
        }
        let docs = docs.into_iter().filter(|path| !components.contains(path)).collect();
        Parts { inputs, ground, plan: text, components, tests, docs }
    }

    /// A line with what it is, for the head of a file.
    pub(super) fn notice() -> String {
        format!("> {}", crate::embedded::ground::NO_MODEL)
    }

    /// How the change is proven: a test file, else a command, else a person.
    pub(super) fn proof(&self) -> String {
        match (self.first_test(), self.ground.test_command()) {
            (Some(test), Some(run)) => format!("a test in {test} passes with \"{}\"", said(run, 100)),
            (Some(test), None) => format!("a test in {test} passes"),
            (None, Some(run)) => format!("\"{}\" passes with a new test", said(run, 100)),
            (None, None) => "a check passes that a person must name".to_owned(),
        }
    }

    /// The test to begin with: one that covers the first component, else one the plan names.
    pub(super) fn first_test(&self) -> Option<&str> {
        let covering = self.components.first().map(|path| self.ground.tests_of(path)).unwrap_or_default();
        let apart = covering.iter().find(|test| !self.components.iter().any(|path| path == *test));
        let near = apart.or(covering.first()).copied();
        near.or_else(|| self.tests.first().map(String::as_str))
    }

    /// What the plan says in a section, line by line, safe to repeat.
    pub(super) fn lines(&self, section: &str) -> Vec<String> {
        let strip = |line: &String| {
            let bare =
                line.trim_start_matches(['-', '*', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
            said(bare.trim_start_matches(['.', ')', ' ']), 400)
        };
        self.plan.items(section).iter().map(strip).filter(|line| !line.is_empty()).collect()
    }
}
