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
use charrette_model::panel::accounting::{NumberedReview, unaccounted_findings};
use charrette_model::panel::ballot::{ballot_ids, findings_ballot};
use charrette_model::panel::buckets::Bucket;
use charrette_model::panel::citations;
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::findings::{FindingsStatus, check_review, read_findings};
use charrette_model::panel::ids::ItemId;
use charrette_model::panel::inquiries::read_inquiries;
use charrette_model::panel::plan::{PlanDuties, check_plan, read_scenarios};
use charrette_model::panel::questions::{QuestionRound, read_questions};
use charrette_model::panel::quotes::no_quotes;
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::resolutions::{DecisionResolution, read_resolutions, write_resolutions};
use charrette_model::panel::review_files::{UndecidedPolicy, write_review_files};
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::section_edits::apply_edits;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::{Voter, VotesRequest, missing_votes, tally_votes};
use charrette_model::panel::walkthrough::{
    WalkedScenario, assign_scenarios, read_breaks, read_walkthrough, write_breaks, write_record,
    write_scenarios,
};
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::coverage::{CoverageTexts, lost_parts};
use charrette_model::spec::links::{LinkTexts, check_links};
use charrette_model::spec::meta::SpecMeta;
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::sections::Sections;
use charrette_model::spec::tasks::list::TaskList;
use charrette_survey::Survey;
use charrette_survey::embedded::{DraftError, DraftInputs, WorkTree, draft, reviewer_label};
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
        self.assert_accepted(seat, &answer);
        self.assert_cites_what_exists(id, &answer);
        if seat.form == AnswerForm::Plan && seat.writes.len() == 1 {
            let plan = self.revised_plan(seat, &answer);
            self.artifacts.insert(seat.writes[0].to_owned(), plan);
        } else if seat.writes.len() == 1 {
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
        if !quick {
            self.sit("inquirer");
        }
        self.sit("planner");
        for id in ["reviewer-arch", "reviewer-edge", "reviewer-innovation", "reviewer-pragmatic"] {
            self.sit(id);
        }
        self.sit("merger");
        self.vote();
        self.sit("reviser");
        self.walk();
        self.sit("discusser");
        let questions =
            read_questions(&self.artifacts["questions-design.md"], QuestionRound::Design).questions;
        let settled: Vec<SettledQuestion> =
            questions.iter().map(|question| SettledQuestion::from_answer(question, "ok")).collect();
        self.artifacts.insert("discussion-round2.md".to_owned(), write_discussion(&settled));
        for id in ["finisher", "illustrator", "writer"] {
            self.sit(id);
        }
        let lost = lost_parts(&CoverageTexts {
            plan: &self.artifacts["plan.txt"],
            resolutions: &self.artifacts["dialectic-resolutions.md"],
            requirements: &self.artifacts["requirements.md"],
            design: &self.artifacts["design.md"],
            tasks: &self.artifacts["tasks.md"],
        });
        assert_eq!(lost, [], "{}\n{}", self.artifacts["plan.txt"], self.artifacts["design.md"]);
        self.file();
        self.sit("validator");
    }

    /// Asserts that the parser of a seat's grammar accepts an answer, and that it says no model took part.
    fn assert_accepted(&self, seat: &Seat, answer: &str) {
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
                assert_eq!(
                    (found.line, &found.response.unwrap()["task_id"]),
                    (Some(2), &serde_json::json!(id))
                );
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
            AnswerForm::Plan => self.assert_plan(seat, answer),
            AnswerForm::Inquiries => assert_eq!(read_inquiries(answer).problems, [], "{id}"),
            AnswerForm::Walkthrough => {
                let assigned =
                    read_scenarios(&self.artifacts[&format!("scenarios-{}.md", seat.variant.unwrap())]);
                let ids: Vec<&str> = assigned.iter().map(|scenario| scenario.id.as_str()).collect();
                assert_eq!(read_walkthrough(answer, &ids).1, [], "{id}: {answer}");
            }
            AnswerForm::Findings => {
                let read = read_findings(answer);
                assert_eq!(read.errors, [], "{id}: {answer}");
                assert_ne!(read.status, FindingsStatus::Invalid);
                let plan = Sections::parse(&self.artifacts["plan-draft.txt"]);
                assert_eq!(
                    check_review(answer, &plan.titles().collect::<Vec<_>>()),
                    Ok(()),
                    "{id}: {answer}"
                );
                assert!(read.findings.iter().all(|finding| finding.severity.is_some()), "{id}: {answer}");
                assert!(
                    read.findings.iter().all(|finding| finding.focus.is_some() && finding.revision.is_some())
                );
            }
            AnswerForm::MergedFindings => {
                let (items, problems) = read_review_items(answer);
                assert_eq!(problems, [], "{id}: {answer}");
                let reviews = self.artifacts.iter().filter(|(name, _)| name.contains("-plan-"));
                let reviews: Vec<NumberedReview> =
                    reviews.map(|(name, text)| NumberedReview::read(&reviewer_label(name), text)).collect();
                assert_eq!(unaccounted_findings(&items, &reviews), [""; 0], "{id}: {answer}");
            }
            AnswerForm::FindingVotes => {
                assert_eq!(
                    missing_votes(answer, &ballot_ids(&self.artifacts["ballot.txt"])),
                    [""; 0],
                    "{id}"
                );
            }
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
            AnswerForm::Defense
            | AnswerForm::DecisionVotes
            | AnswerForm::Investigation
            | AnswerForm::TaskReview => {
                panic!("{id} is not for the embedded agent")
            }
        }
    }

    /// Asserts that a plan accounts for everything that binds it at its step.
    fn assert_plan(&self, seat: &Seat, answer: &str) {
        let id = seat.id;
        let plan = match seat.writes {
            [_] => self.revised_plan(seat, answer),
            names => split_files(answer, names).unwrap()[0].1.clone(),
        };
        let text = |name: &str| self.artifacts.get(name).map_or("", String::as_str);
        let headed = |line: &str| ItemId::parse(line.strip_prefix("### ")?.split(':').next()?);
        let accepted = text("accepted-plan-findings.md").lines().filter_map(headed).collect();
        let duties = PlanDuties {
            decisions: read_resolutions(text("dialectic-resolutions.md")).0.iter().map(|one| one.n).collect(),
            accepted: if id == "reviser" { accepted } else { Vec::new() },
            breaks: if id == "mender" { read_breaks(text("broken-scenarios.md")) } else { Vec::new() },
            measurements: false,
        };
        assert_eq!(check_plan(&plan, &duties), [], "{id}: {plan}");
    }

    /// Both walkers, and the mender if something broke.
    pub(crate) fn walk(&mut self) {
        let reviewed = self.artifacts["plan-reviewed.txt"].clone();
        for (n, scenarios) in (1..).zip(assign_scenarios(&read_scenarios(&reviewed))) {
            self.artifacts.insert(format!("scenarios-{n}.md"), write_scenarios(&scenarios));
            self.sit(&format!("walker-{n}"));
        }
        let walked: Vec<WalkedScenario> = ["walkthrough-1.md", "walkthrough-2.md"]
            .iter()
            .flat_map(|name| read_walkthrough(&self.artifacts[*name], &[]).0)
            .collect();
        self.artifacts.insert("walkthroughs.md".to_owned(), write_record(&walked, &[]));
        let broken: Vec<&WalkedScenario> = walked.iter().filter(|one| one.outcome.is_break()).collect();
        if broken.is_empty() {
            self.artifacts.insert("plan-walked.txt".to_owned(), reviewed);
            return;
        }
        self.artifacts.insert("broken-scenarios.md".to_owned(), write_breaks(&broken));
        self.sit("mender");
    }

    /// The plan after the edits of a later call of the chief designer.
    fn revised_plan(&self, seat: &Seat, answer: &str) -> String {
        let base = match seat.id {
            "reviser" => "plan-draft.txt",
            "mender" => "plan-reviewed.txt",
            _ => "plan-walked.txt",
        };
        apply_edits(&self.artifacts[base], answer)
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", seat.id))
            .text
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
        self.artifacts.insert("ballot.txt".to_owned(), findings_ballot(&items, &[], &no_quotes));
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
            vendor: String::new(),
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
