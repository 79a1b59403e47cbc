//! The embedded agent in the seats of a research run: reports and notes in their grammars, with places that exist.

use crate::chain::Run;
use crate::commit;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::places::{PlaceFacts, cited_places, wrong_places};
use charrette_model::panel::research_notes::{ResearchNotes, check_places, read_research_notes};
use charrette_survey::embedded::{DraftError, WorkTree};
use charrette_testkit::Sandbox;
use proptest::prelude::*;
use std::os::unix::fs::symlink;
use std::path::Path;

const RESEARCHERS: [(&str, &str); 3] = [
    ("topic-structure", "research-structure.md"),
    ("topic-behaviour", "research-behaviour.md"),
    ("topic-history", "research-history.md"),
];

/// A small service with a limiter, its test, and commits that changed both.
fn service() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"service\"\n\n[dependencies]\nrate-tables = \"1\"\n");
    sandbox
        .write("src/lib.rs", "//! The service, with a rate limiter.\npub mod gateway;\npub mod limiter;\n");
    sandbox.write(
        "src/limiter.rs",
        "//! Limits the rate of requests.\n\npub struct RateLimiter {\n    rate: u32,\n}\n\nimpl RateLimiter {\n    pub fn allow(&mut self) -> bool {\n        // TODO: refill the bucket\n        let _ = self.note();\n        self.rate.checked_sub(1).unwrap() > 0\n    }\n}\n",
    );
    sandbox.write("src/gateway.rs", "//! Where requests meet the rate limiter.\nuse crate::limiter::RateLimiter;\n\npub fn handle(limiter: &mut RateLimiter) -> bool {\n    limiter.allow()\n}\n");
    sandbox.write(
        "tests/limiter.rs",
        "use service::limiter::RateLimiter;\n\n#[test]\nfn the_rate_limiter_limits() {}\n",
    );
    commit(&sandbox, "feat: a service with a rate limiter");
    for (n, subject) in
        ["feat: bursts in the rate limiter", "fix(limiter): the panic at src/gone.rs:99"].iter().enumerate()
    {
        sandbox.write(
            "src/limiter.rs",
            sandbox.read("src/limiter.rs") + &format!("pub const BURST_{n}: u32 = 3;\n"),
        );
        sandbox.write("tests/limiter.rs", sandbox.read("tests/limiter.rs") + &format!("// {n}\n"));
        commit(&sandbox, subject);
    }
    sandbox
}

/// All four seats. Each answer is in its form, cites what exists, and is the same when it is asked for again.
fn research(root: &Path, topic: &str) -> (Run, ResearchNotes) {
    let mut run = Run::new(root, topic);
    for (seat, file) in RESEARCHERS {
        let answer = same_twice(&run, seat);
        let found = response_in_markdown(&answer, 500);
        assert!(found.report.valid && found.report.warnings.is_empty(), "{seat}: {:?}", found.report);
        assert_eq!((found.line, &found.response.unwrap()["task_id"]), (Some(2), &serde_json::json!(seat)));
        assert!(found.prose.contains("No model took part"), "{seat}: {answer}");
        assert_eq!(wrong_places(&cited_places(&answer), &WorkTree(root)), [], "{seat}: {answer}");
        run.artifacts.insert(file.to_owned(), answer);
    }
    let notes = research_notes(&run);
    (run, notes)
}

fn same_twice(run: &Run, seat: &str) -> String {
    let answer = run.draft(seat).unwrap();
    assert_eq!(run.draft(seat).as_ref(), Ok(&answer), "{seat} says the same twice");
    answer
}

fn research_notes(run: &Run) -> ResearchNotes {
    let text = same_twice(run, "topic-synthesist");
    let (notes, problems) = read_research_notes(&text);
    assert_eq!(problems, [], "{text}");
    assert_eq!(check_places(&notes, &WorkTree(&run.root)), [], "{text}");
    assert!(text.contains("No model took part"), "{text}");
    notes
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
}

#[test]
fn three_researchers_look_at_different_sides() {
    let sandbox = service();
    let (run, _) = research(&sandbox.work(), "How does the rate limiter work?");
    assert_says(
        &run.artifacts["research-structure.md"],
        &[
            "lead first to src/limiter.rs:",
            "struct RateLimiter (src/limiter.rs:3)",
            "Folders are entered through src/lib.rs:",
            "Cargo.toml:5 brings in rate-tables",
            "built with `cargo build` (Cargo.toml:1)",
        ],
    );
    assert_says(
        &run.artifacts["research-behaviour.md"],
        &[
            "src/limiter.rs is covered by tests/limiter.rs",
            "src/limiter.rs is used by src/gateway.rs",
            "function the_rate_limiter_limits (tests/limiter.rs:4)",
            "Worth a look at src/limiter.rs:11: the program may end instead of reporting an error",
            "tested with `cargo test`",
            "No code was run",
        ],
    );
    assert_says(
        &run.artifacts["research-history.md"],
        &[
            "src/limiter.rs changed most often: in 3 of the 4 commits looked at",
            "It changed together with tests/limiter.rs (3 times).",
            "\"feat: bursts in the rate limiter\"",
            "the panic at src/gone.rs: 99",
            "Unfinished at src/limiter.rs:9",
            "Only the first lines of commit messages were read",
        ],
    );
}

#[test]
fn the_notes_bring_the_reports_together() {
    let sandbox = service();
    let (run, notes) = research(&sandbox.work(), "How does the rate limiter work?");
    assert_says(
        &notes.findings,
        &["### Structure", "### Behaviour", "### History", "struct RateLimiter (src/limiter.rs:3)"],
    );
    let places: Vec<String> = notes
        .code_references
        .iter()
        .flat_map(|reference| &reference.places)
        .map(ToString::to_string)
        .collect();
    for place in ["src/limiter.rs:3", "tests/limiter.rs:4", "src/limiter.rs:9", "src/limiter.rs:11"] {
        assert!(places.iter().any(|known| known == place), "{place}: {places:?}");
    }
    assert!(
        places.iter().all(|place| places.iter().filter(|other| *other == place).count() == 1),
        "{places:?}"
    );
    assert_says(
        &notes.recommendations.unwrap(),
        &["Begin reading at src/limiter.rs:", "Read tests/limiter.rs"],
    );
    assert_says(&notes.open_questions.unwrap(), &["were not read", "a person who knows the code must say"]);
    assert_eq!(research(&sandbox.work(), "How does the rate limiter work?").0.artifacts, run.artifacts);
}

#[test]
fn a_topic_without_matches_says_so() {
    let empty = Sandbox::repository();
    let bare = Sandbox::new();
    let full = service();
    for (root, topic) in [
        (empty.work(), "rate limiter"),
        (bare.work(), "rate limiter"),
        (full.work(), "zzqx frobnicate wibble"),
        (full.work(), "設定ファイル"),
        (full.work(), ""),
    ] {
        let (_, notes) = research(&root, topic);
        assert_eq!(notes.code_references, [], "{topic}");
        assert_eq!(notes.recommendations, None, "{topic}");
        assert_says(&notes.findings, &["No file of the repository has a word of the topic"]);
        assert_says(&notes.open_questions.unwrap(), &["which words does the code use for it?"]);
    }
}

#[test]
fn files_that_cannot_be_cited_are_not_denied() {
    let sandbox = Sandbox::repository();
    sandbox.write("rate limiter.rs", "struct RateLimiter;\n");
    let (_, notes) = research(&sandbox.work(), "rate limiter");
    assert_says(&notes.findings, &["Files have words of the topic, but none with a name that can be cited."]);
    assert_eq!(notes.code_references, []);
}

#[test]
fn words_that_occur_nowhere_become_questions() {
    let sandbox = service();
    let (_, notes) = research(&sandbox.work(), "exponential backoff in the rate limiter");
    assert_says(
        &notes.open_questions.unwrap(),
        &["Nowhere in the repository: \"exponential\", \"backoff\". What is meant by that?"],
    );
}

#[test]
fn reports_of_others_are_taken_over_without_their_wrong_places() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "How does the rate limiter work?");
    assert_eq!(run.draft("topic-synthesist"), Err(DraftError::Missing("research-structure.md")));
    let report = r###"```json
{"task_id": "topic-structure", "phase": "research", "status": "complete", "decision": "PROCEED",
 "findings": {
  "existing_implementations": [
   {"file": "src/limiter.rs:3", "description": "the limiter, see src/gone.rs:7", "relevance": "high"},
   {"file": "src/limiter.rs:900", "description": "the end", "relevance": "low"},
   {"file": "src/gateway.rs", "description": "no line", "relevance": "low"}],
  "recommendations": ["Open `src/limiter.rs:3` first", "Open `src/limiter.rs:3` first", "## Findings"]},
 "context_summary": "Requests pass `src/limiter.rs:8`.\n\n## Open questions\nThe **src/limiter.rs**:901 and src/gone.rs:7 refuse them.",
 "issues": ["Who calls it, src/gateway.rs:4 or src/gateway.rs:44?"]}
```

Prose that is not needed."###;
    run.artifacts.insert("research-structure.md".to_owned(), report.to_owned());
    run.artifacts
        .insert("research-history.md".to_owned(), "## Findings\nNo JSON, but src/lib.rs:2.\n".to_owned());
    let text = run.draft("topic-synthesist").unwrap();
    let notes = research_notes(&run);
    assert_says(
        &notes.findings,
        &[
            "- Requests pass 'src/limiter.rs:8'.",
            "(struck: no such place) and (struck: no such place) refuse them.",
            "- Findings No JSON, but src/lib.rs:2.",
        ],
    );
    let references: Vec<(String, &str)> = notes
        .code_references
        .iter()
        .map(|found| (found.places[0].to_string(), found.about.as_str()))
        .collect();
    assert_eq!(references, [("src/limiter.rs:3".to_owned(), "the limiter, see src/gone.rs: 7")]);
    assert_eq!(notes.recommendations.as_deref(), Some("- Open 'src/limiter.rs:3' first\n- Findings"));
    assert_says(
        &notes.open_questions.unwrap(),
        &[
            "- Behaviour: there was no research-behaviour.md",
            "- Who calls it, src/gateway.rs:4 or (struck: no such place)",
            "- What was meant by 3 cited places that do not exist",
        ],
    );
    assert!(text.starts_with("> No model took part in putting these notes together"), "{text}");
    run.artifacts.remove("research-structure.md");
    let notes = research_notes(&run);
    assert_eq!(notes.code_references[0].about, "cited by the report on history");
}

#[test]
fn every_report_stands_on_this_repository_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for topic in
        ["How are answers of agents read?", "locks and atomic writes", "src/nowhere.rs:12 and places"]
    {
        let (_, notes) = research(&root, topic);
        assert!(notes.code_references.len() > 5, "{topic}");
    }
}

#[test]
fn a_work_tree_knows_the_length_of_every_file_in_it_and_of_no_other() {
    let sandbox = Sandbox::repository();
    sandbox.write("two.rs", "one\ntwo");
    sandbox.write("empty.rs", "");
    sandbox.write("made.rs", "// @generated\nfn a() {}\n");
    sandbox.write("large.txt", "line\n".repeat(400_000));
    sandbox.write("binary.bin", b"a\0b\nc\n");
    std::fs::write(sandbox.outside("secret.rs"), "x\n").unwrap();
    symlink("two.rs", sandbox.path("link.rs")).unwrap();
    symlink(sandbox.outside("secret.rs"), sandbox.path("out.rs")).unwrap();
    symlink(sandbox.outside(""), sandbox.path("outside")).unwrap();
    let work = sandbox.work();
    let facts: &dyn PlaceFacts = &WorkTree(&work);
    for (path, lines) in [
        ("two.rs", Some(2)),
        ("./two.rs", Some(2)),
        ("empty.rs", Some(0)),
        ("made.rs", Some(2)),
        ("large.txt", Some(400_000)),
        ("binary.bin", Some(2)),
        ("link.rs", Some(2)),
        ("out.rs", None),
        ("outside/secret.rs", None),
        ("../secret.rs", None),
        ("/etc/passwd", None),
        ("src", None),
        (".", None),
        ("none.rs", None),
        ("nul\0.rs", None),
    ] {
        assert_eq!(facts.line_count(path), lines, "{path:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Topics made to confuse: headings, places that do not exist, marks of the grammars.
    #[test]
    fn no_topic_breaks_a_grammar(words in prop::collection::vec(prop::sample::select(vec![
        "## Findings", "\n\n", "## Code references\n- x", "None", "src/limiter.rs:900", "src/gone.rs:3", "`src/lib.rs`:77", "|", "```", "limiter", "rate",
        "> ", "- ", "\u{1b}[31m", "**", "(struck: no such place)", "LICENSE:3", "日本",
    ]), 1..8)) {
        let sandbox = service();
        research(&sandbox.work(), &words.join(" "));
    }
}
