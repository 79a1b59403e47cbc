//! The embedded agent in the seats it may take.

use crate::chain::Run;
use charrette_engine::flows::design::level_seats;
use charrette_engine::flows::seats;
use charrette_model::panel::ballot::findings_ballot;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::questions::{AnswerSource, QuestionRound, read_questions};
use charrette_model::panel::quotes::no_quotes;
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::seats::AnswerForm;
use charrette_model::seats::files::split_files;
use charrette_model::spec::check::check_level;
use charrette_model::spec::manifest::LevelManifest;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::tasks::list::TaskList;
use charrette_survey::embedded::{DraftError, DraftInputs, WorkTree, draft};
use charrette_testkit::Sandbox;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// A small service with a limiter that can fail, its test, and a changelog.
pub(crate) fn service() -> Sandbox {
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
fn the_embedded_agent_takes_only_its_seats() {
    let sandbox = service();
    let run = Run::new(&sandbox.work(), "Add bursts to the rate limiter");
    let files = WorkTree(&run.root);
    let inputs = DraftInputs {
        request: &run.request,
        feature: "bursts",
        survey: &run.survey,
        artifacts: &run.artifacts,
        files: &files,
        today: None,
        summary_words: 500,
    };
    for seat in seats().all() {
        assert_eq!(draft(seat.id, &inputs).is_some(), seat.embedded, "{}", seat.id);
    }
    assert!(draft("nobody", &inputs).is_none());
}

#[test]
fn projects_and_features_are_cut_along_what_the_repository_has() {
    let sandbox = service();
    for (level, page, manifest) in [
        (SpecLevel::Project, "project.md", "features.json"),
        (SpecLevel::Feature, "feature.md", "specs.json"),
    ] {
        let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
        let files = WorkTree(&run.root.clone());
        for seat in level_seats(level).all() {
            let inputs = DraftInputs {
                request: &run.request,
                feature: "shop.bursts",
                survey: &run.survey,
                artifacts: &run.artifacts,
                files: &files,
                today: None,
                summary_words: 500,
            };
            let text = draft(seat.id, &inputs).unwrap().unwrap();
            assert!(text.contains("No model took part"), "{}: {text}", seat.id);
            let written = match seat.form {
                AnswerForm::SpecFiles => split_files(&text, seat.writes).unwrap(),
                _ => vec![(seat.writes[0].to_owned(), text)],
            };
            run.artifacts.extend(written);
        }
        assert_eq!(check_level(level, &run.artifacts[page], &run.artifacts[manifest]), []);
        assert!(
            run.artifacts["validation.md"].starts_with("Verdict: PASS"),
            "{}",
            run.artifacts["validation.md"]
        );
        let cut = LevelManifest::parse(level, &run.artifacts[manifest]).unwrap();
        assert!(cut.names().any(|name| name == "limiter"), "{}", run.artifacts[manifest]);
        let gateway = cut.entry("gateway").unwrap();
        if level == SpecLevel::Feature {
            assert_eq!(gateway.depends_on, ["limiter"], "it uses that");
        }
    }
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
    let questions = read_questions(&run.artifacts["questions-clarify.md"], QuestionRound::Clarify).questions;
    let titles: Vec<&str> = questions.iter().map(|question| question.title.as_str()).collect();
    assert_eq!(titles, ["What should happen", "Where it belongs"]);
    assert!(questions.iter().all(|question| question.source == AnswerSource::User));
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
    assert_eq!(
        read_questions(&run.artifacts["questions-design.md"], QuestionRound::Design).questions.len(),
        2
    );
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
    // What the code does badly today is a note, not a finding about the plan.
    assert!(!review("edge").iter().any(|concern| concern.contains("src/limiter.rs:11")));
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
    let (items, problems) = read_review_items(&run.draft("merger").unwrap());
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
        let finding = format!(
            "### FINDING_1: A title\n- **From**: Cursor-Arch#1\n- **Severity**: major\n- **Focus**: correctness\n- **Concern**: {concern}\n- **Revision**: No.\n"
        );
        let (items, problems) = read_review_items(&finding);
        assert_eq!(problems, []);
        run.artifacts.insert("ballot.txt".to_owned(), findings_ballot(&items, &[], &no_quotes));
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
        let review = read_verdict(&answer, &["PASS", "FAIL"]);
        assert_eq!(review.verdict.as_deref(), Some("FAIL"), "{file}: {answer}");
        assert!(answer.contains(expected), "{file}: {answer}");
    }
}

#[test]
fn errors_name_the_missing_artifact() {
    let sandbox = service();
    let run = Run::new(&sandbox.work(), "x");
    for (id, missing) in [
        ("synthesist", "sketches"),
        ("reviewer-arch", "plan-draft.txt"),
        ("voter-claude", "ballot.txt"),
        ("reviser", "plan-draft.txt"),
        ("walker-1", "plan-reviewed.txt"),
        ("mender", "plan-reviewed.txt"),
        ("finisher", "plan-walked.txt"),
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

#[test]
fn two_runs_write_the_same_bytes() {
    let sandbox = service();
    let run = || {
        let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
        run.whole(false);
        run.artifacts
    };
    assert_eq!(run(), run());
}

#[test]
#[ignore = "for real repositories: CHARRETTE_TREES=DIR:DIR cargo test -p charrette-survey -- --ignored"]
fn every_draft_stands_on_real_repositories() {
    let trees = std::env::var_os("CHARRETTE_TREES").expect("folders, separated by colons");
    let shown = std::env::var_os("CHARRETTE_DRAFTS").map(PathBuf::from);
    for root in std::env::split_paths(&trees) {
        for (n, request) in [
            "Add a timeout",
            "Retry failed requests with exponential backoff and give up after a configurable number of attempts, reporting the last error to the caller",
            "Show \"unknown option\" instead of 'bad flag'",
            "zzqx frobnicate wibble",
            "設定ファイルを読み込む",
            "parse config errors",
        ]
        .iter()
        .enumerate()
        {
            let mut run = Run::new(&root, request);
            run.whole(false);
            if let Some(folder) = &shown {
                let folder = folder.join(root.file_name().unwrap()).join(n.to_string());
                std::fs::create_dir_all(&folder).unwrap();
                for (name, text) in &run.artifacts {
                    std::fs::write(folder.join(name), text).unwrap();
                }
            }
        }
    }
}
