//! The walkers: mechanical walk-throughs. They check that the places a plan rests on exist and that its tests are named;
//! how the code behaves is beyond them, so that no scenario holds by them, and every walk says so.

use super::citable_facts::{NO_MODEL, join_list, sanitize};
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::plan_text::{PlanText, SECTIONS};
use super::review::is_new;
use super::synthesis::strip_line;
use charrette_model::panel::citations;
use charrette_model::panel::plan::read_scenarios;
use charrette_model::panel::walkthrough::NOT_TRACED;
use std::fmt::Write as _;

/// Walks through the scenarios of a walker, `1` or `2`; through those that broke if the plan was mended since.
pub(super) fn walk(inputs: &DraftInputs<'_>, walker: &str) -> Result<String, DraftError> {
    let again = !inputs.artifact("scenarios-again.md").is_empty();
    let (plan, scenarios) = if again {
        (required_artifact(inputs, "plan-walked.txt")?, inputs.artifact("scenarios-again.md"))
    } else {
        let plan = required_artifact(inputs, "plan-reviewed.txt")?;
        (plan, inputs.artifact(if walker == "1" { "scenarios-1.md" } else { "scenarios-2.md" }))
    };
    let plan = WalkedPlan { inputs, text: plan, plan: PlanText::read(plan) };
    let mut text = format!(
        "> {NO_MODEL} It checked paths, lines, sections and tests; it did not trace what the code does.\n"
    );
    let mut walks: Vec<(String, String)> =
        read_scenarios(scenarios).into_iter().map(|scenario| (scenario.id, scenario.text)).collect();
    if walks.is_empty() {
        walks.push(("W1".to_owned(), "the plan as a whole".to_owned()));
    }
    for (id, scenario) in walks {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n### {id}: {}\n{}", sanitize(&scenario, 200), plan.walk(&scenario));
    }
    Ok(text)
}

struct WalkedPlan<'a> {
    inputs: &'a DraftInputs<'a>,
    text: &'a str,
    plan: PlanText<'a>,
}

/// A checked step: what was checked, and why it fails.
struct Step {
    text: String,
    problem: Option<String>,
}

impl WalkedPlan<'_> {
    /// Steps and outcome of a scenario.
    fn walk(&self, scenario: &str) -> String {
        let steps = [
            self.check_files(SECTIONS[0], &self.plan.section(SECTIONS[0]).unwrap_or_default()),
            self.check_files("Scenarios", scenario),
            self.check_section("Approach"),
            self.check_handling(scenario),
            self.check_tests(),
        ];
        let mut text = String::new();
        for (n, step) in (1..).zip(&steps) {
            let _ = writeln!(text, "{n}. {}", step.text);
        }
        let broken = (1..).zip(&steps).find_map(|(n, step)| Some((n, step.problem.as_ref()?)));
        match broken {
            Some((n, why)) => {
                let _ = writeln!(text, "BREAKS at step {n}: {why}");
            }
            None => {
                let _ = writeln!(text, "{NOT_TRACED}");
            }
        }
        text
    }

    /// Checks that the paths and lines in a text exist, or are marked as new.
    fn check_files(&self, section: &str, text: &str) -> Step {
        let mut named: Vec<&str> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        for citation in citations::paths(text) {
            let path = strip_line(citation);
            if named.contains(&path) {
                continue;
            }
            named.push(path);
            let last = citation[path.len()..].trim_start_matches(':').rsplit('-').next();
            let last = last.and_then(|line| line.parse::<usize>().ok());
            match self.inputs.files.lines(path) {
                Some(length) if last.is_some_and(|line| line > length.max(1)) => {
                    missing
                        .push(format!("{citation} is beyond the end of that file, which has {length} lines"));
                }
                None if !self.inputs.files.exists(path) && !is_new(self.text, path) => {
                    missing.push(format!("{path} does not exist and is not marked as (new)"));
                }
                _ => {}
            }
        }
        if named.is_empty() {
            return Step { text: format!("The plan names no file here (plan, {section})."), problem: None };
        }
        let problem = (!missing.is_empty()).then(|| with_stop(&missing.join("; ")));
        let result = if problem.is_none() { "exist or are marked as new" } else { "were looked up" };
        Step { text: format!("{} {result} (plan, {section}).", join_list(&named)), problem }
    }

    fn check_section(&self, title: &str) -> Step {
        match self.plan.section(title) {
            Some(_) => Step { text: format!("The plan says what is done (plan, {title})."), problem: None },
            None => Step {
                text: format!("The section was looked up (plan, {title})."),
                problem: Some(format!("the plan has no section {title}, so nobody knows what happens.")),
            },
        }
    }

    /// A failure mode must be among those of the plan with a sign and a remedy; other scenarios need edge cases or error
    /// handling.
    fn check_handling(&self, scenario: &str) -> Step {
        let is_failure = scenario.to_lowercase().starts_with("failure mode");
        let sections: &[&str] =
            if is_failure { &["Failure modes"] } else { &["Error handling", "Edge cases"] };
        let found: Vec<&str> =
            sections.iter().copied().filter(|title| self.plan.section(title).is_some()).collect();
        let named = join_list(sections);
        if found.is_empty() {
            let problem = format!("the plan has no section {named}, so what happens then is not said.");
            return Step {
                text: format!("The section was looked up (plan, {named})."),
                problem: Some(problem),
            };
        }
        Step {
            text: format!("What happens when it goes wrong is written down (plan, {}).", join_list(&found)),
            problem: None,
        }
    }

    fn check_tests(&self) -> Step {
        let testing = self.plan.section(SECTIONS[4]).unwrap_or_default();
        let tests: Vec<&str> = citations::paths(&testing)
            .into_iter()
            .map(strip_line)
            .filter(|path| self.inputs.files.exists(path) || is_new(self.text, path))
            .collect();
        if !tests.is_empty() {
            return Step {
                text: format!(
                    "It is proven by what is named for {} (plan, {}).",
                    join_list(&dedup(tests)),
                    SECTIONS[4]
                ),
                problem: None,
            };
        }
        let command = self.inputs.survey.commands.test.as_deref().filter(|run| testing.contains(run));
        match command {
            Some(run) => Step {
                text: format!("It is proven by \"{}\" (plan, {}).", sanitize(run, 100), SECTIONS[4]),
                problem: None,
            },
            None => Step {
                text: format!("The tests were looked up (plan, {}).", SECTIONS[4]),
                problem: Some("the plan names neither a file under test nor a command that runs tests, so nobody would notice.".to_owned()),
            },
        }
    }
}

fn dedup(mut paths: Vec<&str>) -> Vec<&str> {
    let mut seen: Vec<&str> = Vec::new();
    paths.retain(|path| {
        let is_new = !seen.contains(path);
        seen.push(path);
        is_new
    });
    paths
}

fn with_stop(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}
