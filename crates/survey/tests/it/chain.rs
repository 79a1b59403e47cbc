//! A run in which the embedded agent takes every seat it may, one after the other, as a design would seat it.
//!
//! Every draft must be accepted by the parser of that seat's grammar, cite only what exists, and be the same
//! when it is asked again.

use crate::run_survey;
use charrette_engine::flows::design::{level_seats, sketches};
use charrette_engine::flows::seats;
use charrette_model::diagram::check::{DiagramMode, check};
use charrette_model::diagram::fences::DiagramKind;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::buckets::Bucket;
use charrette_model::panel::citations;
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::questions::{QuestionRound, read_questions};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::resolutions::{DecisionResolution, write_resolutions};
use charrette_model::panel::review_files::{UndecidedPolicy, write_review_files};
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::{Voter, VotesRequest, tally_votes};
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::links::{LinkTexts, check_links};
use charrette_model::spec::meta::SpecMeta;
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::tasks::list::TaskList;
use charrette_survey::Survey;
use charrette_survey::embedded::{DraftError, DraftInputs, WorkTree, draft};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run in which the embedded agent sits everywhere it may.
pub(crate) struct Run {
    pub(crate) root: PathBuf,
    pub(crate) request: String,
    pub(crate) survey: Survey,
    pub(crate) artifacts: BTreeMap<String, String>,
}

impl Run {
    pub(crate) fn new(root: &Path, request: &str) -> Run {
        let survey = run_survey(root, request);
        let artifacts = BTreeMap::from([
            ("request.md".to_owned(), request.to_owned()),
            ("survey.json".to_owned(), serde_json::to_string(&survey).unwrap()),
        ]);
        Run { root: root.to_owned(), request: request.to_owned(), survey, artifacts }
    }

    pub(crate) fn draft(&self, id: &str) -> Result<String, DraftError> {
        let files = WorkTree(&self.root);
        let inputs = DraftInputs {
            request: &self.request,
            feature: "the-feature",
            survey: &self.survey,
            artifacts: &self.artifacts,
            files: &files,
            today: Some("2026-11-15"),
            summary_words: 500,
        };
        draft(id, &inputs).unwrap_or_else(|| panic!("{id} may be taken"))
    }

    /// Takes a seat: the answer is checked, and becomes the files the seat writes.
    pub(crate) fn sit(&mut self, id: &str) {
        let seat = seats().seat(id).unwrap();
        let answer = self.draft(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(self.draft(id).as_ref(), Ok(&answer), "{id} says the same twice");
        assert_accepted(seat, &answer);
        self.assert_cites_what_exists(id, &answer);
        if seat.writes.len() == 1 {
            self.artifacts.insert(seat.writes[0].to_owned(), answer);
        } else {
            self.artifacts.extend(split_files(&answer, seat.writes).unwrap());
        }
    }

    fn assert_cites_what_exists(&self, id: &str, answer: &str) {
        let own = |path: &str| level_seats(SpecLevel::Spec).all().any(|seat| seat.writes.contains(&path));
        for citation in citations::paths(answer) {
            let (path, line) = match citation.rsplit_once(':') {
                Some((path, line)) => (path, line.split('-').next().unwrap().parse::<usize>().unwrap()),
                None => (citation, 1),
            };
            if self.artifacts.contains_key(path) || own(path) || self.request.contains(path) {
                continue;
            }
            let text = std::fs::read(self.root.join(path))
                .unwrap_or_else(|error| panic!("{id} cites {citation}: {error}"));
            let lines = String::from_utf8_lossy(&text).lines().count().max(1);
            assert!(line <= lines, "{id} cites {citation}, and there are {lines} lines");
        }
    }

    /// All seats, with what the engine does in between done by hand.
    pub(crate) fn whole(&mut self, quick: bool) {
        for id in [
            "researcher-requirements",
            "researcher-dependencies",
            "researcher-tasks",
            "aggregator",
            "clarifier",
            "scoper",
        ] {
            self.sit(id);
        }
        for seat in sketches(quick) {
            self.sit(seat.id);
        }
        self.sit("synthesist");
        let decisions = read_decisions(&self.artifacts["contested-decisions.md"]).contested;
        let skipped: Vec<DecisionResolution> = decisions
            .iter()
            .enumerate()
            .map(|(n, decision)| DecisionResolution::bucket_skipped(decision, Bucket::of_rank(n + 1)))
            .collect();
        self.artifacts.insert("dialectic-resolutions.md".to_owned(), write_resolutions(&skipped));
        self.sit("planner");
        for id in ["reviewer-arch", "reviewer-edge", "reviewer-innovation", "reviewer-pragmatic"] {
            self.sit(id);
        }
        self.sit("merger");
        self.vote();
        self.sit("reviser");
        self.sit("discusser");
        let questions =
            read_questions(&self.artifacts["questions-design.md"], QuestionRound::Design).questions;
        let settled: Vec<SettledQuestion> =
            questions.iter().map(|question| SettledQuestion::from_answer(question, "ok")).collect();
        self.artifacts.insert("discussion-round2.md".to_owned(), write_discussion(&settled));
        for id in ["finisher", "illustrator", "writer"] {
            self.sit(id);
        }
        self.file();
        self.sit("validator");
    }

    /// The three files that are made without a seat.
    fn file(&mut self) {
        let today = "2026-11-15";
        let list = TaskList::parse(&self.artifacts["tasks.md"]);
        let meta = SpecMeta {
            id: Some("the-feature".to_owned()),
            status: Some("draft".to_owned()),
            created: Some(today.to_owned()),
            updated: Some(today.to_owned()),
            tasks_total: Some(list.tasks.len()),
            tasks_complete: Some(0),
            ..SpecMeta::default()
        };
        self.artifacts
            .insert("spec.json".to_owned(), SpecRecord::draft("the-feature", &list, today).to_text());
        self.artifacts.insert("meta.yaml".to_owned(), meta.to_text());
        self.artifacts.insert("summary.md".to_owned(), SUMMARY.to_owned());
    }

    fn vote(&mut self) {
        let (items, _) = read_review_items(&self.artifacts["findings.md"]);
        self.artifacts.insert("ballot.txt".to_owned(), findings_ballot(&items));
        if items.is_empty() {
            self.artifacts.insert("accepted-plan-findings.md".to_owned(), String::new());
            self.artifacts.insert("voting-tally.md".to_owned(), "No findings were raised.\n".to_owned());
            return;
        }
        for id in ["voter-claude", "voter-codex", "voter-cursor"] {
            self.sit(id);
        }
        let text = &self.artifacts["claude-vote-output.txt"];
        // As if another voter agreed: one alone decides nothing.
        let voter = |agent: &str| Voter {
            name: agent.to_owned(),
            agent: agent.to_owned(),
            status: "OK".to_owned(),
            text: text.clone(),
        };
        let request = VotesRequest {
            items: items.iter().map(Into::into).collect(),
            voters: vec![voter("embedded"), voter("claude")],
        };
        let tally = tally_votes(&request);
        assert_eq!(tally.warnings, [""; 0]);
        assert!(tally.items.iter().all(|item| item.eligible == 2), "everything is voted on");
        let files = write_review_files(&items, &tally, UndecidedPolicy::Discuss);
        self.artifacts.insert("accepted-plan-findings.md".to_owned(), files.accepted);
        self.artifacts.insert("voting-tally.md".to_owned(), files.voting_tally);
    }
}

const SUMMARY: &str = "# The Feature\n\n> **Status:** Draft\n\n## Summary\n\nOne. Two.\n\n## Key Decisions\n\n- a\n- b\n- c\n\n\
                       [1](requirements.md) [2](design.md) [3](tasks.md) [4](spec.json) [5](meta.yaml)\n";

/// Asserts that the parser of a seat's grammar accepts an answer, and that it says no model took part.
fn assert_accepted(seat: &Seat, answer: &str) {
    let id = seat.id;
    let exact = ["NONE", "NO_ISSUES_FOUND", "NO_CONTESTED_DECISIONS"].contains(&answer.trim());
    assert!(
        exact || answer.to_lowercase().contains("no model took part"),
        "{id} says who wrote it:\n{answer}"
    );
    match seat.form {
        AnswerForm::HandoffResponse => {
            let found = response_in_markdown(answer, 500);
            assert!(found.report.valid && found.report.warnings.is_empty(), "{id}: {:?}", found.report);
            assert_eq!((found.line, &found.response.unwrap()["task_id"]), (Some(2), &serde_json::json!(id)));
            assert!(!found.prose.is_empty());
        }
        AnswerForm::ContextSummary => assert_eq!(read_context_summary(answer, 500).1, [], "{id}"),
        AnswerForm::Questions => {
            let round = if id == "clarifier" { QuestionRound::Clarify } else { QuestionRound::Design };
            let read = read_questions(answer, round);
            assert_eq!((read.problems, read.deferred), (vec![], 0), "{id}");
        }
        AnswerForm::Sketch => assert_eq!(answer.trim().split("\n\n").count(), 3, "{id}: {answer}"),
        AnswerForm::Synthesis => {
            let files = split_files(answer, seat.writes).unwrap();
            assert_eq!(read_decisions(&files[1].1).errors, [], "{id}: {answer}");
        }
        AnswerForm::Plan => {
            let heads: Vec<&str> =
                answer.lines().filter_map(|line| line.strip_prefix("## ")).take(5).collect();
            assert_eq!(
                heads,
                ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"]
            );
        }
        AnswerForm::Findings => {
            let read = read_findings(answer);
            assert_eq!(read.errors, [], "{id}: {answer}");
            assert_ne!(read.status, FindingsStatus::Invalid);
            assert!(
                read.findings.iter().all(|finding| finding.focus.is_some() && finding.revision.is_some())
            );
        }
        AnswerForm::MergedFindings => assert_eq!(read_review_items(answer).1, [], "{id}: {answer}"),
        AnswerForm::FindingVotes => {}
        AnswerForm::Diagram => {
            let report = check(answer, DiagramMode::Markdown, None);
            assert!(report.is_ok(), "{id}: {}", report.tokens());
            assert_eq!(
                report.diagrams.iter().map(|diagram| diagram.heading).collect::<Vec<_>>(),
                [DiagramKind::Architecture]
            );
        }
        AnswerForm::SpecFiles => specification(&split_files(answer, seat.writes).unwrap()),
        AnswerForm::Verdict => {
            let review = read_verdict(answer, &["PASS", "FAIL"]);
            assert_eq!(
                (review.verdict.as_deref(), review.problems),
                (Some("PASS"), vec![]),
                "{id}: {answer}"
            );
        }
        AnswerForm::ResearchNotes => assert_eq!(read_research_notes(answer).1, [], "{id}: {answer}"),
        AnswerForm::Defense | AnswerForm::DecisionVotes => panic!("{id} is not for the embedded agent"),
    }
}

fn specification(files: &[(String, String)]) {
    let [requirements, design, tasks] = [0, 1, 2].map(|index| files[index].1.as_str());
    let read = Requirements::parse(requirements);
    assert_eq!((read.problems, read.stories.len()), (vec![], 1), "{requirements}");
    assert!(read.requirements.len() >= 4);
    let list = TaskList::parse(tasks);
    assert_eq!(list.problems, [], "{tasks}");
    assert!(list.tasks.iter().all(|task| task.prompt.is_some() && !task.refs.is_empty()), "{tasks}");
    assert_eq!(list.tasks[0].title, "A test that fails");
    let found = check_links(LinkTexts { requirements, design: Some(design), tasks });
    assert_eq!((found.dangling, found.uncovered), (vec![], vec![]), "{requirements}\n{design}\n{tasks}");
    for (name, text) in files {
        assert!(text.contains("No model took part"), "{name}");
    }
}
