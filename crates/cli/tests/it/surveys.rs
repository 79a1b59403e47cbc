//! `charrette survey` in real repositories.

use crate::charrette;
use charrette_testkit::Sandbox;
use insta::assert_snapshot;

/// A small service with a limiter and its test.
fn service() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"service\"\n");
    sandbox.write("src/lib.rs", "//! The service.\npub mod limiter;\n");
    sandbox.write(
        "src/limiter.rs",
        "//! Limits the rate of requests.\n\npub struct RateLimiter {\n    rate: u32,\n}\n\nimpl RateLimiter {\n    pub fn allow(&mut self) -> bool {\n        // TODO: refill the bucket\n        self.rate > 0\n    }\n}\n",
    );
    sandbox.write("tests/limiter.rs", "use service::limiter::RateLimiter;\n\n#[test]\nfn it_limits() {}\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: a rate limiter");
    sandbox
}

#[test]
fn a_page_for_people() {
    let sandbox = service();
    let page = charrette(&sandbox, &["survey", "Let the rate limiter burst"]);
    assert_eq!((page.code, page.stderr.as_str()), (Some(0), ""));
    let head = sandbox.git(["rev-parse", "--short=9", "HEAD"]);
    assert_snapshot!(page.stdout.replace(&head, "HEAD"), @r#"
    Let the rate limiter burst
    at HEAD · files: 3 Rust, 1 TOML · no model took part

    Files, most likely first
    ────────────────────────
      1. src/limiter.rs:1
         says "rate", "limiter", closest in lines 1-10
         changed by a commit like this, HEAD "feat: a rate limiter"
         is named after "limiter"
      2. tests/limiter.rs:1
         says "rate", "limiter", closest in lines 1-4
         changed by a commit like this, HEAD "feat: a rate limiter"
         is named after "limiter"
      3. src/lib.rs:2
         changed by a commit like this, HEAD "feat: a rate limiter"
         says "limiter", on line 2
         is the entry file of its folder
      4. Cargo.toml
         changed by a commit like this, HEAD "feat: a rate limiter"

    Definitions to read first
    ─────────────────────────
      src/limiter.rs:3    struct RateLimiter
      src/limiter.rs:8    function allow
      tests/limiter.rs:4  function it_limits
      src/lib.rs:2        module limiter

    Tests
    ─────
      tests/limiter.rs
         covers src/limiter.rs

    Risks
    ─────
      src/limiter.rs:9  todo
         // TODO: refill the bucket

    Similar commits
    ───────────────
      HEAD  feat: a rate limiter
         Cargo.toml, src/lib.rs, src/limiter.rs, tests/limiter.rs

    Commands and conventions
    ────────────────────────
      build      cargo build
      test       cargo test
      tests      1 of 1 test files are in tests

    Note: Nowhere in the repository: "burst".
    "#);
}

#[test]
fn json_output_and_the_number_of_files() {
    let sandbox = service();
    let survey = charrette(&sandbox, &["survey", "rate limiter", "--json", "--top", "1"]).json();
    assert_eq!(survey["files"].as_array().unwrap().len(), 1);
    assert_eq!(survey["files"][0]["path"], "src/limiter.rs");
    assert!(survey["files"][0]["score"].as_f64().unwrap() > 0.0);
    assert!(survey["files"][0]["reasons"][0].is_string());
    for member in ["symbols", "tests", "conventions", "risks", "similar_commits", "languages"] {
        assert!(survey[member].is_array(), "{member}");
    }
    assert_eq!(survey["symbols"][0]["line"], 3);
    assert_eq!(survey["commands"]["test"], "cargo test");
    assert_eq!(survey["similar_commits"][0]["subject"], "feat: a rate limiter");
}

#[test]
fn surveys_run_in_subfolders_and_change_no_files() {
    let sandbox = service();
    let here = charrette(&sandbox, &["survey", "rate limiter", "--json"]).stdout;
    assert_eq!(charrette(&sandbox, &["-C", "src", "survey", "rate limiter", "--json"]).stdout, here);
    assert_eq!(sandbox.git(["status", "--porcelain", "--ignored"]), "");
    assert!(
        sandbox.home().join(".local/state/charrette/survey").is_dir(),
        "what is remembered is the user's"
    );
}

#[test]
fn outside_a_repository_the_folder_is_surveyed() {
    let sandbox = Sandbox::new();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    let survey = charrette(&sandbox, &["survey", "rate limiter", "--json"]).json();
    assert_eq!((survey["files"][0]["path"].as_str(), survey["head"].is_null()), (Some("limiter.py"), true));
}

#[test]
fn an_empty_feature_is_a_usage_error() {
    let sandbox = service();
    let empty = charrette(&sandbox, &["survey", "  "]);
    assert_eq!(empty.code, Some(2));
    assert_snapshot!(empty.stderr, @r#"
    error: the feature description is empty
    hint: Describe the feature, for example: charrette survey "retry failed uploads"
    "#);
    assert_eq!(charrette(&sandbox, &["survey"]).code, Some(2));
}
