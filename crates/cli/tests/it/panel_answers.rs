//! Answers of the scripted panel: they match the grammars, and their citations exist in its repository.

use crate::workshop::FAKE_AGENT;
use charrette_engine::flows::design::level_seats;
use charrette_engine::flows::seats;
use charrette_engine::roles::Roles;
use charrette_model::collect::command::Validation;
use charrette_model::collect::substance::validate_answer;
use charrette_model::diagram::check::{DiagramMode, check};
use charrette_model::feature::name::FeaturePath;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::accounting::{NumberedReview, unaccounted_findings};
use charrette_model::panel::citations;
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::debate::{DebateSide, read_defense};
use charrette_model::panel::decisions::{ContestedDecisions, read_decisions};
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::inquiries::read_inquiries;
use charrette_model::panel::investigation::read_investigation;
use charrette_model::panel::plan::{PlanDuties, check_plan};
use charrette_model::panel::questions::{AnswerSource, QuestionRound, read_questions};
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::{Proposal, Voter, VotesRequest, tally_votes};
use charrette_model::panel::walkthrough::read_walkthrough;
use charrette_model::problem::Problem;
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::links::{LinkTexts, check_links};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::tasks::TaskList;
use charrette_model::words;
use charrette_testkit::panel::{FEATURE, Panel, PanelVariant, REQUEST};

const REVIEWERS: [(&str, &str); 4] = [
    ("review/reviewer-arch", "Cursor-Arch"),
    ("review/reviewer-edge", "Cursor-Edge"),
    ("review/reviewer-innovation", "Codex-Innovation"),
    ("review/reviewer-pragmatic", "Codex-Pragmatic"),
];

/// The step of a seat.
pub(crate) fn step_of(seat: &Seat) -> String {
    let id = seat.id;
    match seat.form {
        AnswerForm::HandoffResponse => id.replace("researcher-", "research/"),
        AnswerForm::Sketch => format!("sketch/{id}"),
        AnswerForm::Defense => id.replacen("debate-", "debate/", 1),
        AnswerForm::DecisionVotes => format!("judge/{id}"),
        AnswerForm::Findings => format!("review/{id}"),
        AnswerForm::FindingVotes => format!("vote/{id}"),
        AnswerForm::Investigation => format!("investigate/{id}"),
        AnswerForm::Walkthrough => format!("walk/{id}"),
        _ => id.to_owned(),
    }
}

/// True if the scripted panel uses the seat: its inquirer asks two questions.
pub(crate) fn is_scripted(seat: &Seat) -> bool {
    !["investigator-3", "investigator-4", "investigator-5"].contains(&seat.id)
}

#[test]
fn the_answer_of_every_seat_fits_its_form() {
    let panel = Panel::regular(&*FAKE_AGENT);
    for seat in level_seats(SpecLevel::Spec).all().filter(|seat| is_scripted(seat)) {
        fits(seat, &panel.answer_text(&step_of(seat)));
    }
}

#[test]
fn no_answer_is_longer_than_its_role_allows() {
    let (panel, roles) = (Panel::regular(&*FAKE_AGENT), Roles::built_in(&seats()));
    for seat in level_seats(SpecLevel::Spec).all().filter(|seat| is_scripted(seat)) {
        let role = roles.for_seat(seat).unwrap();
        let long = words::count(&panel.answer_text(&step_of(seat)));
        assert!(role.max_words.is_none_or(|most| long <= most), "{}: {long} words", seat.id);
    }
}

#[test]
fn every_variant_fits_the_form_of_its_seat() {
    let panel = Panel::regular(&*FAKE_AGENT);
    for (file, id) in [
        ("nothing-unclear", "clarifier"),
        ("nothing-contested", "synthesist"),
        ("seven-contested", "synthesist"),
        ("quick", "synthesist"),
        ("validator-fails", "validator"),
        ("writer-vague", "writer"),
    ] {
        fits(seat(id), &variant(&panel, file));
    }
    assert_eq!(PanelVariant::ALL.len(), 7, "each of them is tried in panel_bed");
}

/// The text with all its lines, whatever decisions they are given for.
fn fill_in_decisions(text: &str) -> String {
    let line = |line: &str| {
        line.strip_prefix("{given:").and_then(|rest| rest.split_once('}')).map(|(_, line)| line.to_owned())
    };
    text.lines().map(|text| line(text).unwrap_or_else(|| text.to_owned()) + "\n").collect()
}

fn fits(seat: &Seat, text: &str) {
    let none: [Problem; 0] = [];
    let id = seat.id;
    match seat.form {
        AnswerForm::HandoffResponse => {
            let read = response_in_markdown(text, 500);
            assert_eq!((read.report.errors, read.report.warnings), (vec![], vec![]), "{id}");
            assert_eq!(validate_answer(Some(read.prose), Validation::Research), Ok(()), "{id}");
        }
        AnswerForm::ContextSummary => assert_eq!(read_context_summary(text, 500).1, none, "{id}"),
        AnswerForm::Questions => {
            let round = match seat.variant {
                Some("clarify") => QuestionRound::Clarify,
                Some("scope") => QuestionRound::Scope,
                _ => QuestionRound::Design,
            };
            assert_eq!(read_questions(text, round).problems, none, "{id}");
        }
        AnswerForm::Sketch => {
            let paragraphs = text.trim().split("\n\n").count();
            assert!((2..=3).contains(&paragraphs) && citations::cites_line(text), "{id}");
        }
        AnswerForm::Synthesis => {
            let files = split_files(text, seat.writes).unwrap();
            assert_eq!(read_decisions(&files[1].1).errors, none, "{id}");
        }
        AnswerForm::Defense => {
            let side = if id.ends_with("-thesis") { DebateSide::Thesis } else { DebateSide::AntiThesis };
            assert!(read_defense(text, side).is_ok(), "{id}: {:?}", read_defense(text, side));
        }
        AnswerForm::Plan if id == "planner" => {
            let plan = fill_in_decisions(&split_files(text, seat.writes).unwrap()[0].1);
            let duties =
                PlanDuties { decisions: (1..=7).collect(), measurements: true, ..PlanDuties::default() };
            assert_eq!(check_plan(&plan, &duties), none, "{id}");
        }
        // Edits are applied in the runs.
        AnswerForm::Plan => assert!(text.starts_with("=== replace: ## "), "{id}"),
        AnswerForm::Inquiries => assert_eq!(read_inquiries(text).problems, none, "{id}"),
        AnswerForm::Investigation => assert_eq!(read_investigation(text).1, none, "{id}"),
        AnswerForm::Walkthrough => assert_eq!(read_walkthrough(text, &[]).1, none, "{id}"),
        AnswerForm::Findings => {
            let read = read_findings(text);
            assert_eq!((read.status, read.errors), (FindingsStatus::Findings, none.to_vec()), "{id}");
            assert!(read.findings.iter().all(|finding| finding.focus.is_some()), "{id}");
            assert_eq!(validate_answer(Some(text), Validation::Check), Ok(()), "{id}");
        }
        AnswerForm::MergedFindings => assert_eq!(read_review_items(text).1, none, "{id}"),
        AnswerForm::Diagram => {
            let report = check(text, DiagramMode::Markdown, None);
            assert!(report.is_ok() && report.diagrams.len() == 1, "{id}: {report:?}");
        }
        AnswerForm::SpecFiles => is_sound(&split_files(text, seat.writes).unwrap()),
        AnswerForm::Verdict => assert!(read_verdict(text, &["PASS", "FAIL"]).verdict.is_some(), "{id}"),
        AnswerForm::TaskReview | AnswerForm::ResearchNotes => panic!("{id} is no seat of a design"),
        // Tallied below, and by the judges themselves in panel_bed.
        AnswerForm::DecisionVotes | AnswerForm::FindingVotes => {}
    }
}

/// Every requirement can be tested, every task can be traced, nothing leads nowhere.
fn is_sound(files: &[(String, String)]) {
    let [(_, requirements), (_, design), (_, tasks)] = files else { panic!("three files") };
    let read = Requirements::parse(requirements);
    assert_eq!(read.problems, []);
    for requirement in &read.requirements {
        assert!(requirement.ears.is_ok(), "{requirement:?}");
    }
    assert_eq!((read.stories.len(), read.requirements.len()), (3, 10));
    let list = TaskList::parse(tasks);
    assert_eq!(list.problems, []);
    assert_eq!((list.phases.len(), list.tasks.len(), list.counts()), (3, 5, (0, 5)));
    for task in &list.tasks {
        assert!(task.prompt.is_some() && !task.files.is_empty() && !task.refs.is_empty(), "{task:?}");
    }
    let links = check_links(LinkTexts { requirements, design: Some(design), tasks });
    assert_eq!((links.dangling, links.uncovered), (vec![], vec![]));
}

#[test]
fn every_cited_place_exists() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let mut cited = 0;
    for folder in [panel.script(), panel.script().join("variants")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for citation in citations::paths(&text) {
                let Some((file, lines)) = citation.split_once(':') else { continue };
                if panel.sandbox.path(file).exists() {
                    cited += 1;
                    let content = panel.sandbox.read(file);
                    for line in lines.split('-').map(|line| line.parse::<usize>().unwrap()) {
                        let there = content.lines().nth(line - 1).is_some_and(|line| !line.trim().is_empty());
                        assert!(there, "{}: {citation}", path.display());
                    }
                } else {
                    let own = ["requirements.md", "design.md", "tasks.md"].contains(&file);
                    assert!(own, "{}: {citation}", path.display());
                }
            }
        }
    }
    assert!(cited > 100, "{cited} places are cited");
}

#[test]
fn files_of_tasks_and_of_plans_exist_or_are_new() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let files =
        split_files(&panel.answer_text("writer"), &["requirements.md", "design.md", "tasks.md"]).unwrap();
    let (_, after) = files[2].1.split_once("## Phase 1").unwrap();
    let of_tasks = after.lines().filter_map(|line| line.strip_prefix("**Files:** "));
    let named: Vec<(String, bool)> = of_tasks
        .flat_map(|line| line.split(", "))
        .map(|file| (file.trim_end_matches(" (new)").to_owned(), file.ends_with("(new)")))
        .collect();
    let plan = panel.answer_text("reviser");
    let of_plan = plan.lines().filter_map(|line| {
        let (file, rest) = line.strip_prefix("- `")?.split_once('`')?;
        rest.starts_with([' ', ':']).then(|| (file.to_owned(), rest.starts_with(" (new)")))
    });
    let of_plan: Vec<(String, bool)> = of_plan.filter(|(file, _)| file.contains('.')).collect();
    assert!(named.len() > 8 && of_plan.len() > 8, "{named:?} {of_plan:?}");
    for (file, new) in named.iter().chain(&of_plan) {
        assert_ne!(panel.sandbox.path(file).exists(), *new, "{file}");
    }
}

#[test]
fn questions_are_as_many_as_the_answers_cover() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let clarify = read_questions(&panel.answer_text("clarifier"), QuestionRound::Clarify).questions;
    let scope = read_questions(&panel.answer_text("scoper"), QuestionRound::Scope).questions;
    let design = read_questions(&panel.answer_text("discusser"), QuestionRound::Design).questions;
    let from_code = scope.iter().filter(|question| question.source != AnswerSource::User).count();
    assert_eq!((clarify.len(), scope.len(), from_code, design.len()), (2, 3, 1, 2));
    let answers = std::fs::read_to_string(panel.answers()).unwrap();
    for question in clarify.iter().chain(&scope[..2]).chain(&design) {
        assert!(answers.contains(&format!("\"{}\"", question.recommended)), "{}", question.recommended);
    }
}

#[test]
fn decisions_are_contested_as_the_variants_say() {
    let panel = Panel::regular(&*FAKE_AGENT);
    for (text, count) in [
        (panel.answer_text("synthesist"), 3),
        (variant(&panel, "quick"), 1),
        (variant(&panel, "seven-contested"), 7),
        (variant(&panel, "nothing-contested"), 0),
    ] {
        let numbers: Vec<u32> = contested(&text).contested.iter().map(|decision| decision.n).collect();
        assert_eq!(numbers, (1..=count).collect::<Vec<u32>>(), "also by priority: {text}");
    }
}

#[test]
fn ten_findings_become_nine_and_every_outcome_occurs() {
    let panel = Panel::regular(&*FAKE_AGENT);
    let (items, _) = read_review_items(&panel.answer_text("merger"));
    let found: usize =
        REVIEWERS.iter().map(|(step, _)| read_findings(&panel.answer_text(step)).findings.len()).sum();
    assert_eq!((found, items.len()), (10, 9));
    let reviews = REVIEWERS.map(|(step, label)| NumberedReview::read(label, &panel.answer_text(step)));
    assert_eq!(unaccounted_findings(&items, &reviews), [""; 0]);
    let voter = |name: &str| Voter {
        name: name.to_owned(),
        agent: name.to_owned(),
        status: "OK".to_owned(),
        text: panel.answer_text(&format!("vote/voter-{name}")),
        vendor: String::new(),
    };
    let voters = ["claude", "codex", "cursor"].map(voter).to_vec();
    let tally = tally_votes(&VotesRequest { items: items.iter().map(Proposal::from).collect(), voters });
    assert_eq!(tally.warnings, [""; 0]);
    let outcomes: Vec<String> = tally
        .items
        .iter()
        .map(|item| {
            let outcome = serde_json::to_value(item.outcome).unwrap();
            format!("{} {}", item.id, outcome.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            "FINDING_1 accepted",
            "FINDING_2 accepted",
            "FINDING_3 neutral",
            "FINDING_4 exonerated",
            "FINDING_5 rejected",
            "FINDING_6 accepted",
            "FINDING_7 accepted",
            "OOS_1 accepted",
            "OOS_2 neutral",
        ]
    );
    let accepted: Vec<&str> = outcomes
        .iter()
        .filter(|line| line.starts_with("FINDING") && line.ends_with("accepted"))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let plan = panel.answer_text("reviser");
    let (_, resolved) = plan.split_once("## Findings resolved\n").unwrap();
    let resolved: Vec<&str> =
        resolved.lines().filter_map(|line| line.strip_prefix("- ")?.split(':').next()).collect();
    assert_eq!(resolved, accepted);
}

#[test]
fn the_feature_is_called_after_the_request() {
    assert_eq!(FeaturePath::derive(REQUEST, |_| false).unwrap().as_str(), FEATURE);
    assert!(
        Panel::regular(&*FAKE_AGENT).answer_text("writer").contains(&format!("> **Spec ID:** {FEATURE}\n"))
    );
}

fn variant(panel: &Panel, name: &str) -> String {
    std::fs::read_to_string(panel.script().join(format!("variants/{name}.txt"))).unwrap()
}

/// The contested decisions of a synthesis.
pub(crate) fn contested(synthesis: &str) -> ContestedDecisions {
    let files = split_files(synthesis, &["approach-synthesis.txt", "contested-decisions.md"]);
    read_decisions(&files.unwrap()[1].1)
}

fn seat(id: &str) -> &'static Seat {
    seats().seat(id).unwrap()
}
