//! What is remembered between two surveys, and what happens to it.

use crate::{commit, paths};
use charrette_survey::{Ask, Survey, survey};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

fn look(sandbox: &Sandbox, request: &str) -> Survey {
    let cache = sandbox.outside("cache");
    survey(Ask { root: &sandbox.work(), request, top: 10, cache: Some(&cache) }).unwrap()
}

fn limiter() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("src/limiter.rs", "struct RateLimiter;\n");
    sandbox.write("src/parser.rs", "struct Parser;\n");
    commit(&sandbox, "limiter and parser");
    sandbox
}

/// The one file that remembers.
fn memory(sandbox: &Sandbox) -> PathBuf {
    let entries = std::fs::read_dir(sandbox.outside("cache")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension() == Some("index".as_ref())).collect();
    assert_eq!(found.len(), 1);
    found.pop().unwrap()
}

#[test]
fn the_second_survey_says_the_same() {
    let sandbox = limiter();
    let first = look(&sandbox, "rate limiter");
    let written = std::fs::metadata(memory(&sandbox)).unwrap().modified().unwrap();
    assert_eq!(look(&sandbox, "rate limiter"), first);
    assert_eq!(paths(&look(&sandbox, "parser"))[0], "src/parser.rs");
    assert_eq!(std::fs::metadata(memory(&sandbox)).unwrap().modified().unwrap(), written, "nothing was new");
}

#[test]
fn changes_are_seen_committed_or_not() {
    let sandbox = limiter();
    look(&sandbox, "rate limiter");
    sandbox.write("src/parser.rs", "struct RateLimiter; // elsewhere now\n");
    sandbox.write("src/limiter.rs", "struct Nothing;\n");
    assert_eq!(paths(&look(&sandbox, "elsewhere"))[0], "src/parser.rs");
    commit(&sandbox, "swapped");
    let survey = look(&sandbox, "swapped");
    assert_eq!(survey.similar_commits[0].subject, "swapped");
    sandbox.git(["checkout", "-q", "HEAD~1"]);
    assert_eq!(
        look(&sandbox, "elsewhere").notes,
        ["No word of the request stands anywhere in the repository."]
    );
}

#[test]
fn torn_foreign_and_planted_memories_are_ignored() {
    let sandbox = limiter();
    let honest = look(&sandbox, "rate limiter");
    let path = memory(&sandbox);
    let bytes = std::fs::read(&path).unwrap();
    let mut changed = bytes.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    for planted in [&bytes[..bytes.len() / 2], &bytes[..30], b"", b"charrette survey cache 1", &changed] {
        std::fs::write(&path, planted).unwrap();
        assert_eq!(look(&sandbox, "rate limiter"), honest);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "it was made anew");
    }
    let other = limiter();
    std::fs::create_dir_all(other.outside("cache")).unwrap();
    look(&other, "rate limiter");
    std::fs::copy(memory(&other), &path).unwrap();
    assert_eq!(look(&sandbox, "rate limiter"), honest);
}

#[test]
fn a_place_that_cannot_be_written_is_no_problem() {
    let sandbox = limiter();
    std::fs::write(sandbox.outside("file"), "").unwrap();
    let place = sandbox.outside("file");
    let survey = survey(Ask {
        root: &sandbox.work(),
        request: "rate limiter",
        top: 10,
        cache: Some(Path::new(&place)),
    });
    assert_eq!(paths(&survey.unwrap())[0], "src/limiter.rs");
}

#[test]
fn several_at_once_do_not_disturb_each_other() {
    let sandbox = limiter();
    let expected = look(&sandbox, "rate limiter");
    std::fs::remove_file(memory(&sandbox)).unwrap();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..6).map(|_| scope.spawn(|| look(&sandbox, "rate limiter"))).collect();
        for other in others {
            assert_eq!(other.join().unwrap(), expected);
        }
    });
    assert_eq!(look(&sandbox, "rate limiter"), expected);
}
