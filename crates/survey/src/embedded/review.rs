//! The reviewers: a mechanical review. Paths exist, tests are named, sections are there, and what is fragile or changes
//! along is not forgotten. Nothing is said that cannot be checked.

use super::draft::{DraftError, needed};
use super::ground::{Ground, NO_MODEL, is_citable, listed, risk_place, risk_sentence, said};
use super::inputs::Inputs;
use super::plan::failure;
use super::plan_text::{PlanText, SECTIONS};
use super::synthesis::without_line;
use charrette_model::panel::cited;
use charrette_model::panel::findings::{Focus, NO_ISSUES_FOUND};
use std::fmt::Write as _;

/// Through which eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lens {
    Architecture,
    Edges,
    Innovation,
    Pragmatic,
}

/// So many findings are worth a vote.
const MOST: usize = 6;

/// Reviews `plan-draft.txt`.
pub(super) fn review(inputs: &Inputs<'_>, lens: Lens) -> Result<String, DraftError> {
    let text = needed(inputs, "plan-draft.txt")?;
    let plan = PlanText::read(text);
    let ground = Ground::new(inputs);
    let mut review = Review { inputs, text, plan, ground, findings: Vec::new() };
    match lens {
        Lens::Architecture => {
            review.missing_sections();
            review.missing_paths();
            review.forgotten_companions();
        }
        Lens::Edges => {
            review.missing_failure_modes();
            review.unguarded_risks();
        }
        Lens::Innovation => {
            review.forgotten_precedents();
            review.related_dependencies();
        }
        Lens::Pragmatic => {
            review.missing_tests();
            review.too_many_files();
            review.forgotten_habits();
        }
    }
    Ok(review.written())
}

struct Review<'a> {
    inputs: &'a Inputs<'a>,
    text: &'a str,
    plan: PlanText<'a>,
    ground: Ground<'a>,
    findings: Vec<(Focus, String, String)>,
}

impl Review<'_> {
    fn find(&mut self, focus: Focus, concern: String, revision: String) {
        self.findings.push((focus, concern, revision));
    }

    fn missing_sections(&mut self) {
        let missing: Vec<&str> = SECTIONS
            .into_iter()
            .filter(|title| *title != "Failure modes" && self.plan.section(title).is_none())
            .collect();
        for title in missing {
            let concern = format!("The plan has no section \"{title}\", or nothing in it.");
            self.find(Focus::CodeQuality, concern, format!("Write the section \"{title}\"."));
        }
    }

    /// Paths the plan names that are neither there nor announced as new.
    fn missing_paths(&mut self) {
        let mut seen: Vec<&str> = Vec::new();
        for citation in cited::paths(self.text) {
            let path = without_line(citation);
            if seen.contains(&path) || is_new(self.text, path) {
                continue;
            }
            seen.push(path);
            match self.inputs.files.lines(path) {
                None => self.findings.push((
                    Focus::Correctness,
                    format!("The plan names {path}, which does not exist."),
                    format!("Correct {path}, or mark it as (new)."),
                )),
                Some(length) => {
                    let line = citation
                        .rsplit_once(':')
                        .and_then(|(_, line)| line.split('-').next()?.parse::<usize>().ok());
                    if let Some(line) = line.filter(|line| citation != path && *line > length.max(1)) {
                        self.findings.push((
                            Focus::Correctness,
                            format!("The plan cites line {line} of {path}, which has {length} lines."),
                            format!("Look {path} up again and cite what is there."),
                        ));
                    }
                }
            }
        }
    }

    /// Files at the top of the survey that the plan is silent about.
    fn forgotten_companions(&mut self) {
        let forgotten: Vec<(String, String)> = self
            .ground
            .sources()
            .iter()
            .take(3)
            .filter(|file| !self.text.contains(&file.path))
            .map(|file| {
                (file.path.clone(), file.reasons.first().map(|reason| said(reason, 140)).unwrap_or_default())
            })
            .collect();
        for (path, reason) in forgotten {
            self.find(
                Focus::RiskIntegration,
                format!("The plan is silent about {path}, which the survey puts among the first three: it {reason}."),
                format!("Look at {path} before the first task is closed; it changes if the failing test needs it, and otherwise stays as it is."),
            );
        }
    }

    fn missing_failure_modes(&mut self) {
        let code = self.ground.sources().iter().any(|file| self.text.contains(&file.path));
        let modes = self.plan.items("Failure modes");
        if modes.is_empty() && code {
            self.find(
                Focus::RiskIntegration,
                "The plan changes code and names no failure modes.".to_owned(),
                "Name the three likeliest, each with its first sign and a remedy.".to_owned(),
            );
        }
    }

    /// Risks in files the plan changes, at lines it does not mention.
    fn unguarded_risks(&mut self) {
        let risks: Vec<(String, String)> = self
            .ground
            .risks()
            .iter()
            .filter(|risk| !matches!(risk.kind.as_str(), "large" | "untested"))
            .filter(|risk| self.text.contains(&risk.path) && !self.text.contains(&risk_place(risk)))
            .take(4)
            .map(|risk| (risk_sentence(risk), failure(risk)))
            .collect();
        for (sentence, failure) in risks {
            self.find(
                Focus::Correctness,
                format!("{sentence}; the plan changes that file and does not say what becomes of it."),
                format!("One more failure mode. {failure}"),
            );
        }
    }

    /// Files a commit like this one touched, and the plan does not.
    fn forgotten_precedents(&mut self) {
        let mut found = Vec::new();
        for commit in self.ground.commits().iter().take(2) {
            let id = commit.id.get(..9).unwrap_or(&commit.id);
            let files: Vec<&str> =
                commit.files.iter().map(String::as_str).filter(|path| is_citable(path)).collect();
            let forgotten: Vec<&str> =
                files.iter().filter(|path| !self.text.contains(**path)).copied().take(3).collect();
            // A commit that touched much says little about this one.
            if files.len() <= 8 && forgotten.len() < files.len() && !forgotten.is_empty() {
                found.push((id.to_owned(), said(&commit.subject, 100), listed(&forgotten)));
            }
        }
        for (id, subject, files) in found {
            self.find(
                Focus::RiskIntegration,
                format!("Commit {id} (\"{subject}\") did something like it and also touched {files}, which the plan does not name."),
                format!("Look at {files} before the last task is closed; they change if what this adds shows there, and otherwise stay as they are."),
            );
        }
    }

    fn related_dependencies(&mut self) {
        let related: Vec<(String, String)> = self
            .ground
            .related_dependencies()
            .iter()
            .filter(|dependency| !self.text.contains(&dependency.name))
            .take(2)
            .map(|dependency| {
                (said(&dependency.name, 60), format!("{}:{}", dependency.path, dependency.line))
            })
            .collect();
        for (name, place) in related {
            self.find(
                Focus::CodeQuality,
                format!("The plan does not mention {name}, which {place} already brings in and whose name shares a word with the request."),
                format!("Look whether {name} does part of this before it is written anew."),
            );
        }
    }

    fn missing_tests(&mut self) {
        let testing = self.plan.section("Testing strategy").unwrap_or_default();
        let names_a_test = self.ground.tests().iter().any(|test| testing.contains(test))
            || cited::paths(&testing)
                .iter()
                .any(|path| self.inputs.files.lines(without_line(path)).is_some());
        let command = self.ground.test_command().map(str::to_owned);
        if let Some(run) = command.filter(|run| !names_a_test && !testing.contains(run.as_str())) {
            self.find(
                Focus::CodeQuality,
                "The testing strategy names neither a test file that exists nor a command that runs the tests.".to_owned(),
                format!("Name the test that proves the change, and run it with \"{}\".", said(&run, 100)),
            );
        }
    }

    fn too_many_files(&mut self) {
        let files = self.plan.items(SECTIONS[0]).iter().filter(|line| line.starts_with(['-', '*'])).count();
        if files > 12 {
            self.find(
                Focus::RiskIntegration,
                format!("The plan changes {files} files at once."),
                "Cut it into changes that each leave the repository working.".to_owned(),
            );
        }
    }

    fn forgotten_habits(&mut self) {
        let changelog = self.ground.changelog().map(str::to_owned);
        if let Some(path) = changelog.filter(|path| !self.text.contains(path.as_str())) {
            self.find(
                Focus::CodeQuality,
                format!("{path} is kept up in this repository, and the plan does not name it."),
                format!("Add a line to {path}."),
            );
        }
    }

    fn written(mut self) -> String {
        self.findings.truncate(MOST);
        if self.findings.is_empty() {
            return format!("{NO_ISSUES_FOUND}\n");
        }
        let mut text = format!("> {NO_MODEL}\n\n");
        for (n, (focus, concern, revision)) in self.findings.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{}. [{}] {concern}
   Suggested revision: {revision}",
                n + 1,
                focus.name()
            );
        }
        text
    }
}

/// Whether the plan says that a path does not exist yet.
fn is_new(text: &str, path: &str) -> bool {
    text.lines().any(|line| line.contains(path) && line.contains("(new)"))
}
