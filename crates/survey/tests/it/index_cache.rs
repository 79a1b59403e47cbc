//! The index cache between two surveys.

use crate::{commit, paths};
use charrette_survey::{Survey, SurveyOptions, survey};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

fn run_survey(sandbox: &Sandbox, request: &str) -> Survey {
    let cache = sandbox.outside("cache");
    survey(SurveyOptions { root: &sandbox.work(), request, top: 10, cache: Some(&cache), sources: None })
        .unwrap()
}

fn limiter() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("src/limiter.rs", "struct RateLimiter;\n");
    sandbox.write("src/parser.rs", "struct Parser;\n");
    commit(&sandbox, "limiter and parser");
    sandbox
}

/// The cache file of the sandbox.
fn cache_file(sandbox: &Sandbox) -> PathBuf {
    let entries = std::fs::read_dir(sandbox.outside("cache")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension() == Some("index".as_ref())).collect();
    assert_eq!(found.len(), 1);
    found.pop().unwrap()
}

#[test]
fn a_cached_survey_equals_the_first() {
    let sandbox = limiter();
    let first = run_survey(&sandbox, "rate limiter");
    let written = std::fs::metadata(cache_file(&sandbox)).unwrap().modified().unwrap();
    assert_eq!(run_survey(&sandbox, "rate limiter"), first);
    assert_eq!(paths(&run_survey(&sandbox, "parser"))[0], "src/parser.rs");
    assert_eq!(
        std::fs::metadata(cache_file(&sandbox)).unwrap().modified().unwrap(),
        written,
        "nothing was new"
    );
}

#[test]
fn changes_are_seen_committed_or_not() {
    let sandbox = limiter();
    run_survey(&sandbox, "rate limiter");
    sandbox.write("src/parser.rs", "struct RateLimiter; // elsewhere now\n");
    sandbox.write("src/limiter.rs", "struct Nothing;\n");
    assert_eq!(paths(&run_survey(&sandbox, "elsewhere"))[0], "src/parser.rs");
    commit(&sandbox, "swapped");
    let survey = run_survey(&sandbox, "swapped");
    assert_eq!(survey.similar_commits[0].subject, "swapped");
    sandbox.git(["checkout", "-q", "HEAD~1"]);
    assert_eq!(
        run_survey(&sandbox, "elsewhere").notes,
        ["No word of the request stands anywhere in the repository."]
    );
}

#[test]
fn torn_foreign_and_planted_caches_are_ignored() {
    let sandbox = limiter();
    let honest = run_survey(&sandbox, "rate limiter");
    let path = cache_file(&sandbox);
    let bytes = std::fs::read(&path).unwrap();
    let mut changed = bytes.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    for planted in [&bytes[..bytes.len() / 2], &bytes[..30], b"", b"charrette survey cache 1", &changed] {
        std::fs::write(&path, planted).unwrap();
        assert_eq!(run_survey(&sandbox, "rate limiter"), honest);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "it was made anew");
    }
    let other = limiter();
    std::fs::create_dir_all(other.outside("cache")).unwrap();
    run_survey(&other, "rate limiter");
    std::fs::copy(cache_file(&other), &path).unwrap();
    assert_eq!(run_survey(&sandbox, "rate limiter"), honest);
}

#[test]
fn an_unwritable_cache_folder_is_ignored() {
    let sandbox = limiter();
    std::fs::write(sandbox.outside("file"), "").unwrap();
    let place = sandbox.outside("file");
    let survey = survey(SurveyOptions {
        root: &sandbox.work(),
        request: "rate limiter",
        top: 10,
        cache: Some(Path::new(&place)),
        sources: None,
    });
    assert_eq!(paths(&survey.unwrap())[0], "src/limiter.rs");
}

#[test]
fn concurrent_surveys_share_a_cache() {
    let sandbox = limiter();
    let expected = run_survey(&sandbox, "rate limiter");
    std::fs::remove_file(cache_file(&sandbox)).unwrap();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..6).map(|_| scope.spawn(|| run_survey(&sandbox, "rate limiter"))).collect();
        for other in others {
            assert_eq!(other.join().unwrap(), expected);
        }
    });
    assert_eq!(run_survey(&sandbox, "rate limiter"), expected);
}
