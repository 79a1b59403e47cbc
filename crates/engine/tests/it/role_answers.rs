//! Every role shows an example of its answer. It must be one that the reader of that answer accepts: a prompt
//! that asks for something else would cost a repair round each time.

use crate::role_prompts::sampled;
use charrette_engine::flows::seats;
use charrette_model::diagram::check::{DiagramMode, check};
use charrette_model::diagram::fences::DiagramKind;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::citations::cites_line;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PARTS, PROJECT_PARTS, read_parts};
use charrette_model::panel::debate::{DebateSide, read_defense};
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::dialectic::anonymity::named_tool;
use charrette_model::panel::dialectic::{JudgesRequest, tally_judges};
use charrette_model::panel::file_names::{DESIGN_NOTES, PLAN_DRAFT};
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::implementation::read_implementation;
use charrette_model::panel::inquiries::read_inquiries;
use charrette_model::panel::investigation::read_investigation;
use charrette_model::panel::plan::{PlanDuties, check_plan, read_scenarios};
use charrette_model::panel::questions::{AnswerSource, NONE, QuestionRound, read_questions};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::section_edits::apply_edits;
use charrette_model::panel::task_review::read_task_review;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::{VotesRequest, tally_votes};
use charrette_model::panel::walkthrough::read_walkthrough;
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::check::check_level;
use charrette_model::spec::links::{LinkTexts, check_links};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::tasks::list::TaskList;
use charrette_model::words;
use serde_json::json;

#[test]
fn every_example_is_accepted() {
    for seat in seats().all() {
        accepted(seat, example(seat, &sampled(seat.id)));
    }
}

/// The example at the end of a prompt.
pub(crate) fn example<'a>(seat: &Seat, prompt: &'a str) -> &'a str {
    let example = prompt.split_once("\n<example>\n").and_then(|(_, rest)| rest.split_once("\n</example>"));
    let (example, after) = example.unwrap_or_else(|| panic!("{} has no example", seat.id));
    assert_eq!(after.trim(), "", "{}: the example comes last", seat.id);
    example
}

/// Holds an answer against the reader of its form.
#[expect(clippy::too_many_lines, reason = "one arm for each form")]
pub(crate) fn accepted(seat: &Seat, answer: &str) {
    let id = seat.id;
    match seat.form {
        AnswerForm::HandoffResponse => {
            let found = response_in_markdown(answer, 500);
            assert!(found.report.valid && found.report.warnings.is_empty(), "{id}: {:?}", found.report);
            assert_eq!(found.response.unwrap()["task_id"], id);
            assert!(!found.prose.is_empty());
            if seat.is_writer() {
                let (work, errors) = read_implementation(answer, 500);
                assert!(errors.is_empty() && !work.files_changed.is_empty(), "{id}: {errors:?}");
            }
        }
        AnswerForm::ContextSummary => {
            let labels = match seat.variant {
                Some("project") => PROJECT_PARTS,
                Some("feature") => FEATURE_PARTS,
                _ => PARTS,
            };
            assert_eq!(read_parts(answer, &labels, 500).1, [], "{id}");
        }
        AnswerForm::Questions => {
            let read = read_questions(answer, QuestionRound::Clarify);
            assert_eq!((read.problems.len(), read.questions.len(), read.deferred), (0, 2, 0), "{id}");
            assert!(matches!(read.questions[1].source, AnswerSource::Codebase(_)), "{id}");
            assert!(read_questions(NONE, QuestionRound::Clarify).problems.is_empty());
        }
        AnswerForm::Sketch => {
            assert!((300..=800).contains(&words::count(answer)), "{id}: {}", words::count(answer));
            assert!(cites_line(answer) && answer.to_lowercase().contains("reject"), "{id}");
        }
        AnswerForm::Synthesis => {
            let files = split_files(answer, seat.writes).unwrap();
            let decisions = read_decisions(&files[1].1);
            assert_eq!((decisions.errors.len(), decisions.contested.len()), (0, 2), "{id}");
        }
        AnswerForm::Defense => {
            let side = if seat.role == "thesis" { DebateSide::Thesis } else { DebateSide::AntiThesis };
            assert_eq!(read_defense(answer, side).err(), None, "{id}");
            assert_eq!(named_tool(answer), None, "{id}");
        }
        AnswerForm::DecisionVotes => {
            let request: JudgesRequest = serde_json::from_value(
                json!({"decisions": [{"n": 1}, {"n": 2}], "judges": [{"name": id, "status": "OK", "text": answer}]}),
            )
            .unwrap();
            let tally = tally_judges(&request);
            assert_eq!(tally.warnings, [""; 0], "{id}");
            assert!(tally.decisions.iter().all(|decision| decision.eligible == 1), "{id}");
        }
        AnswerForm::Plan if seat.variant == Some("drafting") => drafted_plan(seat, answer),
        AnswerForm::Plan => edited_plan(seat, answer),
        AnswerForm::Inquiries => assert_eq!(read_inquiries(answer).problems, [], "{id}"),
        AnswerForm::Investigation => assert_eq!(read_investigation(answer).1, [], "{id}"),
        AnswerForm::Walkthrough => assert_eq!(read_walkthrough(answer, &[]).1, [], "{id}"),
        AnswerForm::Findings => {
            let read = read_findings(answer);
            assert!(read.errors.is_empty() && read.findings.len() >= 2, "{id}: {:?}", read.errors);
            assert!(read.findings.iter().any(|finding| finding.out_of_scope), "{id}");
            assert!(read.findings.iter().all(|finding| finding.severity.is_some()), "{id}");
            assert!(
                read.findings.iter().all(|finding| finding.focus.is_some() && !finding.paths().is_empty())
            );
        }
        AnswerForm::MergedFindings => {
            let (items, problems) = read_review_items(answer);
            assert_eq!((problems.len(), items.len()), (0, 3), "{id}: {problems:?}");
            assert!(items.iter().all(|item| !item.from.is_empty() && item.severity.is_some()), "{id}");
        }
        AnswerForm::FindingVotes => votes(id, answer),
        AnswerForm::Diagram => {
            let report = check(answer, DiagramMode::Markdown, None);
            assert!(report.is_ok(), "{id}: {}", report.tokens());
            let headings: Vec<DiagramKind> = report.diagrams.iter().map(|diagram| diagram.heading).collect();
            assert_eq!(headings, [DiagramKind::Architecture], "{id}");
        }
        AnswerForm::SpecFiles => {
            let files = split_files(answer, seat.writes).unwrap();
            match seat.variant {
                Some(level) => {
                    let level = SpecLevel::from_name(level).unwrap();
                    assert_eq!(check_level(level, &files[0].1, &files[1].1), [], "{id}");
                }
                None => specification(&files),
            }
        }
        AnswerForm::Verdict => {
            let review = read_verdict(answer, &["PASS", "FAIL"]);
            assert_eq!((review.verdict.as_deref(), review.findings.len()), (Some("FAIL"), 2), "{id}");
            assert_eq!(review.problems, [], "{id}");
        }
        AnswerForm::TaskReview => {
            let (review, problems) = read_task_review(answer);
            let review = review.unwrap();
            assert_eq!((problems, review.findings.len(), review.is_pass()), (vec![], 3, false), "{id}");
            assert!(review.findings.iter().all(|finding| !finding.places.is_empty()), "{id}: {review:?}");
            assert!(review.findings.iter().all(|finding| !finding.suggestion.is_empty()), "{id}: {review:?}");
        }
        AnswerForm::ResearchNotes => {
            let (notes, problems) = read_research_notes(answer);
            assert_eq!((problems, notes.code_references.len()), (vec![], 8), "{id}");
            assert!(notes.recommendations.is_some() && notes.open_questions.is_some(), "{id}");
        }
    }
}

fn drafted_plan(seat: &Seat, answer: &str) {
    let id = seat.id;
    let plan = &split_files(answer, seat.writes).unwrap()[0].1;
    let named = plan.lines().filter_map(|line| line.strip_prefix("- DECISION_"));
    let decisions = named.filter_map(|rest| rest.split(':').next()?.parse().ok()).collect();
    let measurements = plan.contains("## Measure first");
    let duties = PlanDuties { decisions, measurements, ..PlanDuties::default() };
    assert_eq!(check_plan(plan, &duties), [], "{id}");
    assert!(!read_scenarios(plan).is_empty(), "{id}");
}

/// The example edits the plan of the first variant.
fn edited_plan(seat: &Seat, answer: &str) {
    let id = seat.id;
    let drafted = sampled("planner");
    let drafted = example(crate::seats::seat("planner").unwrap(), &drafted);
    let plan = split_files(drafted, &[PLAN_DRAFT, DESIGN_NOTES]).unwrap().remove(0).1;
    let accounts = match seat.variant {
        Some("revising") => "",
        Some("mending") => "\n## Findings resolved\n- FINDING_1: x\n",
        _ => "\n## Findings resolved\n- FINDING_1: x\n\n## Breaks resolved\n- S1: y\n",
    };
    let plan = plan + accounts;
    let edited = apply_edits(&plan, answer).unwrap_or_else(|problems| panic!("{id}: {problems:?}"));
    assert!(!edited.is_whole && !edited.changes.is_empty(), "{id}");
}

fn votes(id: &str, answer: &str) {
    let items = ["FINDING_1", "FINDING_2", "FINDING_3", "FINDING_4", "OOS_1"];
    let items: Vec<_> = items.iter().map(|id| json!({"id": id, "proposers": []})).collect();
    let voter = |name: &str| json!({"name": name, "agent": name, "status": "OK", "text": answer});
    let request: VotesRequest =
        serde_json::from_value(json!({"items": items, "voters": [voter("a"), voter("b")]})).unwrap();
    let tally = tally_votes(&request);
    assert_eq!(tally.warnings, [""; 0], "{id}");
    let counts: Vec<_> = tally.items.iter().map(|item| (item.yes, item.exonerate, item.no)).collect();
    assert_eq!(counts, [(2, 0, 0), (0, 0, 2), (2, 0, 0), (0, 2, 0), (2, 0, 0)], "{id}");
}

fn specification(files: &[(String, String)]) {
    let [requirements, design, tasks] = [0, 1, 2].map(|index| files[index].1.as_str());
    let read = Requirements::parse(requirements);
    assert_eq!((read.problems, read.stories.len(), read.requirements.len()), (vec![], 2, 7));
    let list = TaskList::parse(tasks);
    assert_eq!((list.problems.clone(), list.tasks.len(), list.counts()), (vec![], 3, (0, 3)));
    assert!(list.tasks.iter().all(|task| !task.files.is_empty() && task.prompt.is_some()));
    assert_eq!(list.tasks[0].files, ["src/http/limit.rs (new)", "src/http/mod.rs"]);
    let found = check_links(LinkTexts { requirements, design: Some(design), tasks });
    assert_eq!((found.dangling, found.uncovered), (vec![], vec![]));
}
