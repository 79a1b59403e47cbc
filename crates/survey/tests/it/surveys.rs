//! Surveys of ordinary repositories.

use crate::{commit, paths, run_survey};
use charrette_survey::render::render_survey;
use charrette_survey::{SurveyError, SurveyOptions, survey};
use charrette_testkit::Sandbox;
use std::path::Path;

/// A small service with a limiter, its test, and some history.
fn service() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"service\"\n\n[dependencies]\nserde = \"1\"\n");
    sandbox.write(".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: cargo test --locked\n      - run: cargo clippy -- -D warnings\n");
    sandbox.write("src/lib.rs", "//! The service.\npub mod gateway;\npub mod limiter;\n");
    sandbox.write(
        "src/limiter.rs",
        "//! Limits the rate of requests.\n\npub struct RateLimiter {\n    rate: u32,\n}\n\nimpl RateLimiter {\n    /// Whether one more request may pass.\n    pub fn allow(&mut self) -> bool {\n        // TODO: refill the bucket\n        self.rate > 0\n    }\n}\n",
    );
    sandbox.write("src/gateway.rs", "//! Where requests come in.\nuse crate::limiter::RateLimiter;\n\npub fn handle(limiter: &mut RateLimiter) -> bool {\n    limiter.allow()\n}\n");
    sandbox.write("tests/limiter.rs", "use service::limiter::RateLimiter;\n\n#[test]\nfn it_limits() {}\n");
    sandbox.write("README.md", "# Service\n\nA service with a gateway.\n");
    sandbox.write("LICENSE", "Permission is hereby granted to limit the rate of nothing.\n");
    commit(&sandbox, "feat: a service");
    sandbox.write("src/limiter.rs", sandbox.read("src/limiter.rs") + "\npub const BURST: u32 = 3;\n");
    sandbox.write("tests/limiter.rs", sandbox.read("tests/limiter.rs") + "\n#[test]\nfn bursts() {}\n");
    commit(&sandbox, "feat: bursts in the rate limiter");
    sandbox
}

#[test]
fn the_right_files_come_first_with_reasons() {
    let sandbox = service();
    let survey = run_survey(&sandbox.work(), "Add a burst allowance to the rate limiter");
    assert_eq!(paths(&survey)[..2], ["src/limiter.rs", "tests/limiter.rs"]);
    let reasons = survey.files[0].reasons.join("\n");
    assert!(reasons.contains("says \"burst\", \"rate\", \"limiter\""), "{reasons}");
    assert!(reasons.contains("changed by a commit like this"), "{reasons}");
    assert!(reasons.contains("is named after \"limiter\""), "{reasons}");
    assert!(!paths(&survey).contains(&"LICENSE"));
}

#[test]
fn symbols_tests_commands_risks_and_history_are_reported() {
    let sandbox = service();
    let survey = run_survey(&sandbox.work(), "Add a burst allowance to the rate limiter");
    let symbols: Vec<String> = survey
        .symbols
        .iter()
        .map(|symbol| format!("{} {} {}:{}", symbol.kind, symbol.name, symbol.path, symbol.line))
        .collect();
    assert!(symbols.contains(&"struct RateLimiter src/limiter.rs:3".to_owned()), "{symbols:?}");
    assert!(symbols.contains(&"function allow src/limiter.rs:9".to_owned()), "{symbols:?}");
    assert!(survey.tests.iter().any(|test| test.path == "tests/limiter.rs" && test.covers.contains(&"src/limiter.rs".to_owned())));
    assert_eq!(survey.commands.test.as_deref(), Some("cargo test --locked"));
    assert_eq!(survey.commands.lint.as_deref(), Some("cargo clippy -- -D warnings"));
    assert_eq!(survey.commands.build.as_deref(), Some("cargo build"));
    let risk = survey.risks.iter().find(|risk| risk.kind == "todo").unwrap();
    assert_eq!(
        (risk.path.as_str(), risk.line, risk.text.as_str()),
        ("src/limiter.rs", 10, "// TODO: refill the bucket")
    );
    assert_eq!(survey.similar_commits[0].subject, "feat: bursts in the rate limiter");
    assert_eq!(survey.similar_commits[0].files, ["src/limiter.rs", "tests/limiter.rs"]);
    let changes = &survey.changes[0];
    assert_eq!((changes.path.as_str(), changes.commits, changes.commits_examined), ("src/limiter.rs", 2, 3));
    assert_eq!(changes.latest[0].subject, "feat: bursts in the rate limiter");
    assert!(changes.latest[0].date.len() == 10 && changes.latest.len() == 2);
    assert_eq!((changes.together[0].path.as_str(), changes.together[0].times), ("tests/limiter.rs", 2));
    assert!(
        survey.imports.iter().any(|import| import.from == "src/gateway.rs" && import.to == "src/limiter.rs")
    );
    assert_eq!(survey.dependencies[0].name, "serde");
    assert_eq!((survey.languages[0].name.as_str(), survey.languages[0].files), ("Rust", 4));
}

#[test]
fn a_survey_survives_its_json_and_is_the_same_each_time() {
    let sandbox = service();
    let first = run_survey(&sandbox.work(), "rate limiter");
    assert_eq!(run_survey(&sandbox.work(), "rate limiter"), first);
    let json = serde_json::to_string(&first).unwrap();
    let read: charrette_survey::Survey = serde_json::from_str(&json).unwrap();
    assert_eq!(read, first);
    let empty: charrette_survey::Survey = serde_json::from_str("{}").unwrap();
    assert_eq!(empty, charrette_survey::Survey::default());
}

#[test]
fn untracked_and_changed_files_count_and_ignored_and_deleted_ones_do_not() {
    let sandbox = service();
    sandbox.write(".gitignore", "secret/\n");
    sandbox.write("secret/limiter.rs", "struct RateLimiter;\n");
    sandbox.write("src/throttle.rs", "pub struct Throttle; // a rate limiter\n");
    std::fs::remove_file(sandbox.path("src/limiter.rs")).unwrap();
    let survey = run_survey(&sandbox.work(), "rate limiter");
    assert!(paths(&survey).contains(&"src/throttle.rs"));
    assert!(!paths(&survey).iter().any(|path| path.starts_with("secret/") || *path == "src/limiter.rs"));
}

#[test]
fn files_are_found_under_their_new_names() {
    let sandbox = service();
    sandbox.git(["mv", "src/limiter.rs", "src/throttle.rs"]);
    commit(&sandbox, "refactor: another name");
    let survey = run_survey(&sandbox.work(), "bursts in the rate limiter");
    let similar = survey
        .similar_commits
        .iter()
        .find(|commit| commit.subject == "feat: bursts in the rate limiter")
        .unwrap();
    assert!(similar.files.contains(&"src/throttle.rs".to_owned()), "{similar:?}");
}

#[test]
fn scripts_without_blanks_are_searched_too() {
    let sandbox = Sandbox::repository();
    sandbox.write("src/a.rs", "// 起動時に設定ファイルを探す\nfn open() {}\n");
    sandbox.write("src/b.rs", "// 何もしない\nfn close() {}\n");
    commit(&sandbox, "最初");
    let survey = run_survey(&sandbox.work(), "設定を読み込む");
    assert_eq!(paths(&survey)[0], "src/a.rs");
    assert!(survey.files[0].reasons[0].contains("設定"), "{:?}", survey.files[0].reasons);
}

#[test]
fn words_that_occur_nowhere_are_noted() {
    let sandbox = service();
    let survey = run_survey(&sandbox.work(), "Add exponential backoff to the rate limiter");
    assert_eq!(survey.notes, ["Nowhere in the repository: \"exponential\", \"backoff\"."]);
}

#[test]
fn change_frequency_alone_ranks_nothing() {
    let sandbox = service();
    assert_eq!(paths(&run_survey(&sandbox.work(), "zzz qqq")), [""; 0]);
}

#[test]
fn a_request_without_matches_is_noted() {
    let sandbox = service();
    let survey = run_survey(&sandbox.work(), "zzz qqq");
    assert_eq!(survey.notes, ["No word of the request stands anywhere in the repository."]);
    let silent = run_survey(&sandbox.work(), "the of 12");
    assert_eq!(silent.notes, ["The request has no searchable word."]);
    assert!(
        render_survey(&run_survey(Sandbox::new().work().as_path(), "x y"), 80)
            .contains("No file fits the request")
    );
    let nowhere = survey_of_a_missing_folder();
    assert!(nowhere.contains("is not a folder"), "{nowhere}");
}

fn survey_of_a_missing_folder() -> String {
    let options = SurveyOptions {
        root: Path::new("/nowhere/at/all"),
        request: "x",
        top: 3,
        cache: None,
        sources: None,
    };
    let error: SurveyError = survey(options).unwrap_err();
    error.to_string()
}

#[test]
fn commands_are_those_the_repository_itself_runs() {
    for (files, build, test, lint) in [
        (vec![("go.mod", "module a\n")], Some("go build ./..."), Some("go test ./..."), Some("go vet ./...")),
        (
            vec![(
                "package.json",
                "{\n \"scripts\": {\n  \"build\": \"tsc\",\n  \"test\": \"jest\",\n  \"lint\": \"eslint .\"\n }\n}\n",
            )],
            Some("npm run build"),
            Some("npm test"),
            Some("npm run lint"),
        ),
        (vec![("pyproject.toml", "[tool.pytest.ini_options]\n")], None, Some("python -m pytest"), None),
        (
            vec![
                ("pyproject.toml", "[project]\n"),
                (
                    ".gitlab-ci.yml",
                    "test:\n  script:\n    - pip install x\n    - pytest -q tests\n    - ruff check .\n",
                ),
            ],
            None,
            Some("pytest -q tests"),
            Some("ruff check ."),
        ),
        (vec![("pom.xml", "<project/>\n")], Some("mvn package"), Some("mvn test"), None),
        (
            vec![("Makefile", "build:\n\tcc\ntest: build\n\t./t\n")],
            Some("make build"),
            Some("make test"),
            None,
        ),
        (vec![("README.md", "run cargo test\n")], None, None, None),
    ] {
        let sandbox = Sandbox::repository();
        for (path, text) in &files {
            sandbox.write(path, text);
        }
        let commands = run_survey(&sandbox.work(), "anything").commands;
        let found = (commands.build.as_deref(), commands.test.as_deref(), commands.lint.as_deref());
        assert_eq!(found, (build, test, lint), "{files:?}");
    }
}

#[test]
fn a_long_request_does_not_drown_in_its_own_words() {
    let sandbox = Sandbox::repository();
    let body = "    // waits for connections\n".repeat(10);
    sandbox.write("src/server.rs", format!("pub struct Server;\npub fn drain_connections() {{\n{body}}}\n"));
    sandbox.write("src/clock.rs", "/// Every minute, cut to the minute.\npub fn tick() {}\n");
    sandbox.write("src/while_loop.rs", "pub fn run() {}\n");
    sandbox.write(
        "docs/design.md",
        "# Design\n\nWhile a minute passes, people cut the design short: the design of a day, a night, an hour, a week.\n",
    );
    sandbox.write("tests/minute.rs", "// a minute while people wait, cut off\nfn minute() {}\n");
    for n in 0..20 {
        sandbox.write(&format!("src/other{n}.rs"), "pub fn other() {}\n");
    }
    commit(&sandbox, "first");
    let request = "Drain the connections of the server before it stops. Somebody who looks away for a minute while a release goes out should not see requests cut off in the middle; last night that took an hour, the phone rang all day, and a week later customers still asked. Keep the design small, do not touch the billing, the reports, the mail templates or the login, and tell me whether the balancer must know.";
    let survey = run_survey(&sandbox.work(), request);
    assert_eq!(paths(&survey)[0], "src/server.rs", "{:#?}", survey.files);
}
