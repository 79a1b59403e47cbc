//! The reviewers: a mechanical review of paths, tests, sections, risks and files that change together. Only checkable
//! findings.

use super::citable_facts::{CitableFacts, NO_MODEL, is_citable, join_list, sanitize};
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::plan_text::{PlanText, SECTIONS};
use super::synthesis::strip_line;
use charrette_model::panel::citations;
use charrette_model::panel::findings::FindingSeverity::{Major, Minor};
use charrette_model::panel::findings::{FindingSeverity, Focus, NO_ISSUES_FOUND};
use std::fmt::Write as _;

/// Focus of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lens {
    Architecture,
    Edges,
    Innovation,
    Pragmatic,
}

/// Maximum number of findings per reviewer.
const MAX_FINDINGS: usize = 6;

/// Reviews `plan-draft.txt`.
pub(super) fn review(inputs: &DraftInputs<'_>, lens: Lens) -> Result<String, DraftError> {
    let text = required_artifact(inputs, "plan-draft.txt")?;
    let plan = PlanText::read(text);
    let facts = CitableFacts::new(inputs);
    let mut review = Review { inputs, text, plan, facts, findings: Vec::new() };
    match lens {
        Lens::Architecture => {
            review.missing_sections();
            review.missing_paths();
            review.missing_top_files();
        }
        Lens::Edges => {
            review.missing_failure_modes();
        }
        Lens::Innovation => {
            review.missing_precedents();
            review.related_dependencies();
        }
        Lens::Pragmatic => {
            review.missing_tests();
            review.too_many_files();
            review.missing_changelog();
        }
    }
    Ok(review.render())
}

struct Review<'a> {
    inputs: &'a DraftInputs<'a>,
    text: &'a str,
    plan: PlanText<'a>,
    facts: CitableFacts<'a>,
    findings: Vec<MechanicalFinding>,
}

struct MechanicalFinding {
    focus: Focus,
    severity: FindingSeverity,
    title: String,
    concern: String,
    revision: String,
}

impl Review<'_> {
    fn add_finding(
        &mut self,
        (focus, severity): (Focus, FindingSeverity),
        title: String,
        concern: String,
        revision: String,
    ) {
        self.findings.push(MechanicalFinding { focus, severity, title, concern, revision });
    }

    fn missing_sections(&mut self) {
        let missing: Vec<&str> = SECTIONS
            .into_iter()
            .filter(|title| *title != "Failure modes" && self.plan.section(title).is_none())
            .collect();
        for title in missing {
            let concern = format!("The plan has no section \"{title}\", or nothing in it.");
            self.add_finding(
                (Focus::CodeQuality, Major),
                format!("The section \"{title}\" is missing"),
                concern,
                format!("Write the section \"{title}\"."),
            );
        }
    }

    /// Paths in the plan that neither exist nor are marked as new.
    fn missing_paths(&mut self) {
        let mut seen: Vec<&str> = Vec::new();
        for citation in citations::paths(self.text) {
            let path = strip_line(citation);
            if seen.contains(&path) || is_new(self.text, path) {
                continue;
            }
            seen.push(path);
            match self.inputs.files.lines(path) {
                None => self.add_finding(
                    (Focus::Correctness, Major),
                    "A named file does not exist".to_owned(),
                    format!("The plan names {path}, which does not exist."),
                    format!("Correct {path}, or mark it as (new)."),
                ),
                Some(length) => {
                    let line = citation
                        .rsplit_once(':')
                        .and_then(|(_, line)| line.split('-').next()?.parse::<usize>().ok());
                    if let Some(line) = line.filter(|line| citation != path && *line > length.max(1)) {
                        self.add_finding(
                            (Focus::Correctness, Minor),
                            "A cited line does not exist".to_owned(),
                            format!("The plan cites line {line} of {path}, which has {length} lines."),
                            format!("Look {path} up again and cite what is there."),
                        );
                    }
                }
            }
        }
    }

    /// Top files of the survey that the plan does not mention.
    fn missing_top_files(&mut self) {
        let forgotten: Vec<(String, String)> = self
            .facts
            .sources()
            .iter()
            .take(3)
            .filter(|file| !self.text.contains(&file.path))
            .map(|file| {
                (
                    file.path.clone(),
                    file.reasons.first().map(|reason| sanitize(reason, 140)).unwrap_or_default(),
                )
            })
            .collect();
        for (path, reason) in forgotten {
            self.add_finding(
                (Focus::RiskIntegration, Minor),
                "A file the survey ranks high is not mentioned".to_owned(),
                format!("The plan is silent about {path}, which the survey puts among the first three: it {reason}."),
                format!("Look at {path} before the first task is closed; it changes if the failing test needs it, and otherwise stays as it is."),
            );
        }
    }

    fn missing_failure_modes(&mut self) {
        let code = self.facts.sources().iter().any(|file| self.text.contains(&file.path));
        let modes = self.plan.items("Failure modes");
        if modes.is_empty() && code {
            self.add_finding(
                (Focus::RiskIntegration, Major),
                "Failure modes are missing".to_owned(),
                "The plan changes code and names no failure modes.".to_owned(),
                "Name the three likeliest, each with its first sign and a remedy.".to_owned(),
            );
        }
    }

    /// Files touched by a similar commit and not by the plan.
    fn missing_precedents(&mut self) {
        let mut found = Vec::new();
        for commit in self.facts.commits().iter().take(2) {
            let id = commit.id.get(..9).unwrap_or(&commit.id);
            let files: Vec<&str> =
                commit.files.iter().map(String::as_str).filter(|path| is_citable(path)).collect();
            let forgotten: Vec<&str> =
                files.iter().filter(|path| !self.text.contains(**path)).copied().take(3).collect();
            // A commit that touched many files says little about this one.
            if files.len() <= 8 && forgotten.len() < files.len() && !forgotten.is_empty() {
                found.push((id.to_owned(), sanitize(&commit.subject, 100), join_list(&forgotten)));
            }
        }
        for (id, subject, files) in found {
            self.add_finding(
                (Focus::RiskIntegration, Minor),
                "A similar commit touched more files".to_owned(),
                format!("Commit {id} (\"{subject}\") did something like it and also touched {files}, which the plan does not name."),
                format!("Look at {files} before the last task is closed; they change if what this adds shows there, and otherwise stay as they are."),
            );
        }
    }

    fn related_dependencies(&mut self) {
        let related: Vec<(String, String)> = self
            .facts
            .related_dependencies()
            .iter()
            .filter(|dependency| !self.text.contains(&dependency.name))
            .take(2)
            .map(|dependency| {
                (sanitize(&dependency.name, 60), format!("{}:{}", dependency.path, dependency.line))
            })
            .collect();
        for (name, place) in related {
            self.add_finding(
                (Focus::CodeQuality, Minor),
                "A dependency with a related name is not considered".to_owned(),
                format!("The plan does not mention {name}, which {place} already brings in and whose name shares a word with the request."),
                format!("Look whether {name} does part of this before it is written anew."),
            );
        }
    }

    fn missing_tests(&mut self) {
        let testing = self.plan.section("Testing strategy").unwrap_or_default();
        let names_a_test = self.facts.tests().iter().any(|test| testing.contains(test))
            || citations::paths(&testing)
                .iter()
                .any(|path| self.inputs.files.lines(strip_line(path)).is_some());
        let command = self.facts.test_command().map(str::to_owned);
        if let Some(run) = command.filter(|run| !names_a_test && !testing.contains(run.as_str())) {
            self.add_finding(
                (Focus::CodeQuality, Major),
                "The tests are not named".to_owned(),
                "The testing strategy names neither a test file that exists nor a command that runs the tests.".to_owned(),
                format!("Name the test that proves the change, and run it with \"{}\".", sanitize(&run, 100)),
            );
        }
    }

    fn too_many_files(&mut self) {
        let files = self.plan.items(SECTIONS[0]).iter().filter(|line| line.starts_with(['-', '*'])).count();
        if files > 12 {
            self.add_finding(
                (Focus::RiskIntegration, Minor),
                "Many files change at once".to_owned(),
                format!("The plan changes {files} files at once."),
                "Cut it into changes that each leave the repository working.".to_owned(),
            );
        }
    }

    fn missing_changelog(&mut self) {
        let changelog = self.facts.changelog().map(str::to_owned);
        if let Some(path) = changelog.filter(|path| !self.text.contains(path.as_str())) {
            self.add_finding(
                (Focus::CodeQuality, Minor),
                "The changelog is not mentioned".to_owned(),
                format!("{path} is kept up in this repository, and the plan does not name it."),
                format!("Add a line to {path}."),
            );
        }
    }

    fn render(mut self) -> String {
        self.findings.truncate(MAX_FINDINGS);
        if self.findings.is_empty() {
            return format!("{NO_ISSUES_FOUND}\n");
        }
        let mut text = format!("> {NO_MODEL}\n\n");
        for (n, finding) in (1..).zip(&self.findings) {
            let MechanicalFinding { focus, severity, title, concern, revision } = finding;
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{n}. [{}] [{}] {title}\n   {concern}\n   Suggested revision: {revision}",
                focus.name(),
                severity.name()
            );
        }
        text
    }
}

/// True if the plan marks a path as new.
pub(super) fn is_new(text: &str, path: &str) -> bool {
    text.lines().any(|line| line.contains(path) && line.contains("(new)"))
}
