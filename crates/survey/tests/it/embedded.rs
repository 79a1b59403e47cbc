//! The embedded agent in every seat it may take, one after the other as a run would seat it.
//!
//! Whatever it writes must be accepted by the reader of that seat's grammar, and cite only what exists.

use crate::look;
use charrette_model::diagram::check::{Mode, check};
use charrette_model::diagram::fences::Heading;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::buckets::Bucket;
use charrette_model::panel::cited;
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::merged::read_items;
use charrette_model::panel::questions::{Round, Source, read_questions};
use charrette_model::panel::resolutions::{Resolution, write_resolutions};
use charrette_model::panel::review_files::{Undecided, review_files};
use charrette_model::panel::verdict::read_review;
use charrette_model::panel::votes::{Voter, VotesRequest, tally_votes};
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, SEATS, Seat, seat};
use charrette_model::spec::links::{Texts, links};
use charrette_model::spec::meta::Meta;
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::tasks::list::TaskList;
use charrette_survey::Survey;
use charrette_survey::embedded::{DraftError, Inputs, WorkTree, draft};
use charrette_testkit::Sandbox;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run in which the embedded agent sits everywhere it may.
struct Run {
    root: PathBuf,
    request: String,
    survey: Survey,
    artifacts: BTreeMap<String, String>,
}

impl Run {
    fn new(root: &Path, request: &str) -> Run {
        let survey = look(root, request);
        let artifacts = BTreeMap::from([
            ("request.md".to_owned(), request.to_owned()),
            ("survey.json".to_owned(), serde_json::to_string(&survey).unwrap()),
        ]);
        Run { root: root.to_owned(), request: request.to_owned(), survey, artifacts }
    }

    fn draft(&self, id: &str) -> Result<String, DraftError> {
        let files = WorkTree(&self.root);
        let inputs = Inputs {
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
    fn sit(&mut self, id: &str) {
        let seat = seat(id).unwrap();
        let answer = self.draft(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(self.draft(id).as_ref(), Ok(&answer), "{id} says the same twice");
        accepted(seat, &answer);
        self.assert_cites_what_exists(id, &answer);
        if seat.writes.len() == 1 {
            self.artifacts.insert(seat.writes[0].to_owned(), answer);
        } else {
            self.artifacts.extend(split_files(&answer, seat.writes).unwrap());
        }
    }

    fn assert_cites_what_exists(&self, id: &str, answer: &str) {
        let own = |path: &str| SEATS.iter().any(|seat| seat.writes.contains(&path));
        for citation in cited::paths(answer) {
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
    fn whole(&mut self, quick: bool) {
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
        for seat in charrette_model::seats::sketches(quick) {
            self.sit(seat.id);
        }
        self.sit("synthesist");
        let decisions = read_decisions(&self.artifacts["contested-decisions.md"]).contested;
        let skipped: Vec<Resolution> = decisions
            .iter()
            .enumerate()
            .map(|(n, decision)| Resolution::bucket_skipped(decision, Bucket::of_rank(n + 1)))
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
        let questions = read_questions(&self.artifacts["questions-design.md"], Round::Design).questions;
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
        let meta = Meta {
            id: Some("the-feature".to_owned()),
            status: Some("draft".to_owned()),
            created: Some(today.to_owned()),
            updated: Some(today.to_owned()),
            tasks_total: Some(list.tasks.len()),
            tasks_complete: Some(0),
            ..Meta::default()
        };
        self.artifacts.insert("spec.json".to_owned(), SpecRecord::draft("the-feature", &list, today).text());
        self.artifacts.insert("meta.yaml".to_owned(), meta.text());
        self.artifacts.insert("summary.md".to_owned(), SUMMARY.to_owned());
    }

    fn vote(&mut self) {
        let (items, _) = read_items(&self.artifacts["findings.md"]);
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
        let files = review_files(&items, &tally, Undecided::AreDiscussed);
        self.artifacts.insert("accepted-plan-findings.md".to_owned(), files.accepted);
        self.artifacts.insert("voting-tally.md".to_owned(), files.voting_tally);
    }
}

const SUMMARY: &str = "# The Feature\n\n> **Status:** Draft\n\n## Summary\n\nOne. Two.\n\n## Key Decisions\n\n- a\n- b\n- c\n\n\
                       [1](requirements.md) [2](design.md) [3](tasks.md) [4](spec.json) [5](meta.yaml)\n";

/// Whether the reader of a seat's grammar takes an answer, and whether it says who wrote it.
fn accepted(seat: &Seat, answer: &str) {
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
            let round = if id == "clarifier" { Round::Clarify } else { Round::Design };
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
        AnswerForm::MergedFindings => assert_eq!(read_items(answer).1, [], "{id}: {answer}"),
        AnswerForm::FindingVotes => {}
        AnswerForm::Diagram => {
            let report = check(answer, Mode::Markdown, None);
            assert!(report.is_ok(), "{id}: {}", report.tokens());
            assert_eq!(
                report.diagrams.iter().map(|diagram| diagram.heading).collect::<Vec<_>>(),
                [Heading::Architecture]
            );
        }
        AnswerForm::SpecFiles => specification(&split_files(answer, seat.writes).unwrap()),
        AnswerForm::Verdict => {
            let review = read_review(answer, &["PASS", "FAIL"]);
            assert_eq!(
                (review.verdict.as_deref(), review.problems),
                (Some("PASS"), vec![]),
                "{id}: {answer}"
            );
        }
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
    let found = links(Texts { requirements, design: Some(design), tasks });
    assert_eq!((found.dangling, found.uncovered), (vec![], vec![]), "{requirements}\n{design}\n{tasks}");
    for (name, text) in files {
        assert!(text.contains("No model took part"), "{name}");
    }
}

/// A small service with a limiter that can fail, its test, and a changelog.
fn service() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"service\"\n\n[dependencies]\nrate-tables = \"1\"\n");
    sandbox.write("CHANGELOG.md", "# Changelog\n");
    sandbox.write("src/lib.rs", "//! The service.\npub mod gateway;\npub mod limiter;\n");
    sandbox.write(
        "src/limiter.rs",
        "//! Limits the rate of requests.\n\npub struct RateLimiter {\n    rate: u32,\n}\n\nimpl RateLimiter {\n    pub fn allow(&mut self) -> bool {\n        // TODO: refill the bucket\n        let _ = self.note();\n        self.rate.checked_sub(1).unwrap() > 0\n    }\n}\n",
    );
    sandbox.write("src/gateway.rs", "//! Where requests come in.\nuse crate::limiter::RateLimiter;\n\npub fn handle(limiter: &mut RateLimiter) -> bool {\n    limiter.allow()\n}\n");
    sandbox.write("tests/limiter.rs", "use service::limiter::RateLimiter;\n\n#[test]\nfn it_limits() {}\n");
    crate::commit(&sandbox, "feat: a service");
    sandbox.write(
        "src/limiter.rs",
        sandbox.read("src/limiter.rs") + "\n/// How large a burst may be.\npub const BURST: u32 = 3;\n",
    );
    crate::commit(&sandbox, "feat: bursts in the rate limiter");
    sandbox
}

#[test]
fn it_takes_the_seats_it_may_and_no_other() {
    let sandbox = service();
    let run = Run::new(&sandbox.work(), "Add bursts to the rate limiter");
    let files = WorkTree(&run.root);
    let inputs = Inputs {
        request: &run.request,
        feature: "bursts",
        survey: &run.survey,
        artifacts: &run.artifacts,
        files: &files,
        today: None,
        summary_words: 500,
    };
    for seat in SEATS {
        assert_eq!(draft(seat.id, &inputs).is_some(), seat.embedded, "{}", seat.id);
    }
    assert!(draft("nobody", &inputs).is_none());
}

#[test]
fn a_whole_run_is_drafted_in_every_grammar() {
    let sandbox = service();
    for quick in [false, true] {
        let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
        run.whole(quick);
        let plan = &run.artifacts["plan.txt"];
        for path in ["src/limiter.rs", "tests/limiter.rs", "CHANGELOG.md"] {
            assert!(plan.contains(path), "{path}: {plan}");
        }
        let diagram = &run.artifacts["architecture-diagram.candidate.md"];
        assert!(diagram.contains("f1 -- uses --> f0") && diagram.contains("-. tests .-> f0"), "{diagram}");
        let tasks = TaskList::parse(&run.artifacts["tasks.md"]);
        assert_eq!(tasks.tasks[0].files, ["tests/limiter.rs"]);
        assert_eq!(tasks.tasks[1].files, ["src/limiter.rs"]);
        assert!(run.artifacts["requirements.md"].contains("add a burst allowance to the rate limiter"));
        assert!(run.artifacts["requirements.md"].contains("cargo test"));
    }
}

#[test]
fn the_four_lenses_look_at_different_things() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.whole(false);
    let sketch = |name: &str| run.artifacts[&format!("{name}-output.txt")].clone();
    assert!(
        sketch("cursor-sketch-arch").contains("is used by src/gateway.rs"),
        "{}",
        sketch("cursor-sketch-arch")
    );
    assert!(sketch("cursor-sketch-edge").contains("src/limiter.rs:11"), "{}", sketch("cursor-sketch-edge"));
    let innovation = sketch("codex-sketch-innovation");
    assert!(
        innovation.contains("bursts in the rate limiter")
            && innovation.contains("rate-tables (Cargo.toml:5)"),
        "{innovation}"
    );
    assert!(
        sketch("codex-sketch-pragmatic").contains("tests/limiter.rs"),
        "{}",
        sketch("codex-sketch-pragmatic")
    );
}

#[test]
fn every_draft_stands_on_this_repository_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for request in ["Retry an agent that gave no answer", "Show the votes at the gate", "faster checkpoints"]
    {
        Run::new(&root, request).whole(false);
    }
}

#[test]
fn a_repository_that_says_nothing_gets_honest_drafts() {
    let sandbox = Sandbox::repository();
    let mut run = Run::new(&sandbox.work(), "dark mode");
    run.whole(false);
    let questions = read_questions(&run.artifacts["questions-clarify.md"], Round::Clarify).questions;
    let titles: Vec<&str> = questions.iter().map(|question| question.title.as_str()).collect();
    assert_eq!(titles, ["What should happen", "Where it belongs"]);
    assert!(questions.iter().all(|question| question.source == Source::User));
    assert!(run.artifacts["plan.txt"].contains("A person must name the place"));
}

#[test]
fn sketches_that_go_different_ways_are_contested() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add bursts to the rate limiter");
    for (name, text) in [
        (
            "cursor-sketch-arch-output.txt",
            "It belongs in the existing file src/limiter.rs:3.\n\nThat.\n\nGood.",
        ),
        ("cursor-sketch-edge-output.txt", "Begin at src/limiter.rs:3.\n\nThat.\n\nGood."),
        (
            "codex-sketch-innovation-output.txt",
            "I would write src/burst.rs (new), beside src/gateway.rs.\n\nThat.\n\nGood.",
        ),
    ] {
        run.artifacts.insert(name.to_owned(), text.to_owned());
    }
    run.sit("synthesist");
    let decisions = read_decisions(&run.artifacts["contested-decisions.md"]).contested;
    let told: Vec<(&str, &str)> =
        decisions.iter().map(|decision| (decision.title.as_str(), decision.chosen.as_str())).collect();
    assert_eq!(
        told,
        [
            ("Where the change begins", "The change begins in src/limiter.rs."),
            ("An existing file or a new one", "The change goes into existing files.")
        ]
    );
    run.sit("discusser");
    assert_eq!(read_questions(&run.artifacts["questions-design.md"], Round::Design).questions.len(), 2);
}

#[test]
fn the_mechanical_review_finds_what_can_be_checked() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.artifacts.insert(
        "plan-draft.txt".to_owned(),
        "## Files to modify/create\n- `src/limiter.rs:400`: change\n- `src/gone.rs`: change\n- `src/fresh.rs` (new)\n\n## Approach\nDo it.\n\n## Edge cases\nNone.\n".to_owned(),
    );
    let review = |lens: &str| -> Vec<String> {
        let text = run.draft(&format!("reviewer-{lens}")).unwrap();
        read_findings(&text).findings.iter().map(|finding| finding.concern.to_string()).collect()
    };
    let architecture = review("arch");
    assert!(
        architecture.contains(&"The plan has no section \"Testing strategy\", or nothing in it.".to_owned()),
        "{architecture:?}"
    );
    assert!(
        architecture.contains(&"The plan names src/gone.rs, which does not exist.".to_owned()),
        "{architecture:?}"
    );
    assert!(
        architecture.iter().any(|concern| concern.contains("line 400 of src/limiter.rs")),
        "{architecture:?}"
    );
    assert!(!architecture.iter().any(|concern| concern.contains("fresh")), "{architecture:?}");
    assert!(review("edge").iter().any(|concern| concern.contains("no failure modes")));
    assert!(review("edge").iter().any(|concern| concern.contains("src/limiter.rs:11")));
    assert!(review("pragmatic").iter().any(|concern| concern.contains("CHANGELOG.md")));
    assert!(review("pragmatic").iter().any(|concern| concern.contains("testing strategy names neither")));
    assert!(review("innovation").iter().any(|concern| concern.contains("rate-tables")));
}

#[test]
fn findings_are_merged_only_if_they_are_the_same() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "x");
    let finding =
        |tag: &str, concern: &str| format!("1. {tag} {concern}\n   Suggested revision: change it.\n");
    for (name, text) in [
        ("cursor-plan-arch-output.txt", finding("[correctness]", "Requests are lost in src/limiter.rs:11.")),
        (
            "cursor-plan-edge-output.txt",
            finding("[OUT_OF_SCOPE] [correctness]", "At src/limiter.rs:9 something is odd."),
        ),
        (
            "codex-primary-plan-innovation-output.txt",
            finding("[security]", "Requests are lost in src/limiter.rs:11."),
        ),
        ("codex-primary-plan-pragmatic-output.txt", "NO_ISSUES_FOUND".to_owned()),
    ] {
        run.artifacts.insert(name.to_owned(), text);
    }
    let (items, problems) = read_items(&run.draft("merger").unwrap());
    assert_eq!(problems, []);
    let told: Vec<(String, Vec<String>)> =
        items.into_iter().map(|item| (item.id.to_string(), item.proposers)).collect();
    assert_eq!(
        told,
        [
            ("FINDING_1".to_owned(), vec!["Codex-Innovation".to_owned()]),
            ("FINDING_2".to_owned(), vec!["Cursor-Arch".to_owned(), "Cursor-Edge".to_owned()])
        ]
    );
}

#[test]
fn votes_follow_the_facts() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "x");
    run.artifacts.insert("plan-draft.txt".to_owned(), "## Approach\nChange src/limiter.rs.\n".to_owned());
    for (concern, expected) in [
        ("At src/limiter.rs:11 the code gives up.", "YES"),
        ("At src/limiter.rs:900 the code gives up.", "NO"),
        ("src/nowhere.rs loops.", "NO"),
        ("The plan names src/nowhere.rs, which does not exist.", "YES"),
        ("src/limiter.rs does not exist.", "NO"),
        ("`RateLimiter` at src/limiter.rs:3 has two jobs.", "YES"),
        ("`Frobnicator` at src/limiter.rs:3 has two jobs.", "NO"),
        ("The plan is too ambitious.", "EXONERATE"),
        ("İİİİ The plan has no section \"Approach\", İ.", "NO"),
        ("The plan does not mention rate-tables, which Cargo.toml:5 brings in.", "YES"),
        ("The plan is silent about src/gateway.rs, which uses it.", "YES"),
        ("The plan does not name src/limiter.rs.", "NO"),
        ("The plan has no section \"Approach\", or nothing in it.", "NO"),
        ("The plan has no section \"Edge cases\", or nothing in it.", "YES"),
    ] {
        run.artifacts.insert(
            "ballot.txt".to_owned(),
            format!("## Findings Ballot\n\nFINDING_1: Cursor-Arch — {concern} Suggested revision: no.\n"),
        );
        let votes = run.draft("voter-codex").unwrap();
        let line = votes.lines().find(|line| line.starts_with("FINDING_1: ")).unwrap();
        assert!(line.starts_with(&format!("FINDING_1: {expected} — ")), "{concern}: {line}");
    }
}

#[test]
fn the_validator_fails_what_is_broken() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.whole(false);
    let good = run.artifacts.clone();
    for (file, from, to, expected) in [
        ("requirements.md", "THE SYSTEM SHALL", "it must", "is not in EARS form"),
        ("tasks.md", "REQ-1.1, ", "REQ-9.9, ", "REQ-9.9 is defined nowhere"),
        (
            "tasks.md",
            "**Files:** src/limiter.rs",
            "**Files:** src/gone.rs",
            "src/gone.rs, which does not exist",
        ),
        ("tasks.md", "0/", "7/", "progress says"),
        ("summary.md", "One. ", "", "the summary has 1 sentences"),
        (
            "checks.md",
            "",
            "- [CRITICAL] plan.txt:1: it is odd [plan-file]",
            "- [CRITICAL] plan.txt:1: it is odd [plan-file]",
        ),
    ] {
        run.artifacts = good.clone();
        let text = run.artifacts.entry(file.to_owned()).or_default();
        *text = if from.is_empty() { to.to_owned() } else { text.replace(from, to) };
        let answer = run.draft("validator").unwrap();
        let review = read_review(&answer, &["PASS", "FAIL"]);
        assert_eq!(review.verdict.as_deref(), Some("FAIL"), "{file}: {answer}");
        assert!(answer.contains(expected), "{file}: {answer}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let sandbox = service();
    let run = Run::new(&sandbox.work(), "x");
    for (id, missing) in [
        ("synthesist", "sketches"),
        ("reviewer-arch", "plan-draft.txt"),
        ("voter-claude", "ballot.txt"),
        ("reviser", "plan-draft.txt"),
        ("finisher", "plan-reviewed.txt"),
        ("illustrator", "plan.txt"),
        ("writer", "plan.txt"),
        ("validator", "requirements.md"),
    ] {
        assert_eq!(run.draft(id), Err(DraftError::Missing(missing)), "{id}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Requests made to confuse: ids, headings, markers, tokens of the grammars.
    #[test]
    fn no_request_breaks_a_grammar(words in prop::collection::vec(prop::sample::select(vec![
        "REQ-1.1", "T001", "US2", "C1", "## Approach", "\n\n", "=== design.md ===", "NO_ISSUES_FOUND", "Verdict: FAIL", "|", "`x`",
        "DECISION_1:", "FINDING_1: NO", "limiter", "add", "shall", "rate", "```", "- [x]", "Suggested revision:", "\u{1b}[31m", "**", "[OUT_OF_SCOPE]",
    ]), 1..8)) {
        let sandbox = service();
        Run::new(&sandbox.work(), &words.join(" ")).whole(false);
    }
}
