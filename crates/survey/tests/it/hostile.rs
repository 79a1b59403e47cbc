//! Surveys of hostile and unusual work trees.

use crate::{commit, paths, run_survey};
use charrette_survey::render::render_survey;
use charrette_survey::{SurveyOptions, survey};
use charrette_testkit::Sandbox;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn links_are_not_followed() {
    for repository in [true, false] {
        let sandbox = if repository { Sandbox::repository() } else { Sandbox::new() };
        sandbox.write("src/limiter.rs", "struct RateLimiter;\n");
        symlink(".", sandbox.path("loop")).unwrap();
        symlink("..", sandbox.path("src/up")).unwrap();
        std::fs::write(sandbox.outside("limiter.rs"), "struct RateLimiter; // outside\n").unwrap();
        symlink(sandbox.outside("limiter.rs"), sandbox.path("outside_limiter.rs")).unwrap();
        symlink("nowhere", sandbox.path("dangling_limiter.rs")).unwrap();
        let survey = run_survey(&sandbox.work(), "rate limiter");
        assert_eq!(paths(&survey), ["src/limiter.rs"], "repository: {repository}");
    }
}

#[test]
fn an_enormous_file_is_read_only_at_its_beginning() {
    let sandbox = Sandbox::repository();
    sandbox.write("huge_limiter.rs", "struct RateLimiter;\n".repeat(100));
    let file = std::fs::OpenOptions::new().write(true).open(sandbox.path("huge_limiter.rs")).unwrap();
    file.set_len(1 << 30).unwrap();
    sandbox.write("binary.rs", b"struct RateLimiter;\0\xff\xfe");
    sandbox.write("small.rs", "struct RateLimiter;\n");
    let survey = run_survey(&sandbox.work(), "rate limiter");
    assert_eq!(paths(&survey).first(), Some(&"small.rs"));
}

#[test]
fn strange_names_are_shown_safely_and_cited_exactly() {
    let sandbox = Sandbox::repository();
    let strange = [
        "new\nline_limiter.rs",
        "\u{1b}[31mred_limiter.rs",
        "tab\tlimiter.rs",
        "quote\"limiter.rs",
        "-limiter.rs",
        "über limiter.rs",
    ];
    for name in strange {
        sandbox.write(name, "struct RateLimiter;\n");
    }
    let invalid = sandbox.work().join(OsStr::from_bytes(b"limiter\xff.rs"));
    std::fs::write(&invalid, "struct RateLimiter;\n").unwrap();
    commit(&sandbox, "\u{1b}[2J strange rate limiter names");
    let survey = run_survey(&sandbox.work(), "rate limiter");
    let mut found = paths(&survey);
    found.sort_unstable();
    let mut expected = strange.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(survey.notes, ["1 files have names that are not UTF-8 and were left out."]);
    let shown = render_survey(&survey, 100);
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    assert!(shown.contains("new\\nline_limiter.rs"), "{shown}");
}

#[test]
fn text_that_is_no_utf8_is_still_read() {
    let sandbox = Sandbox::repository();
    sandbox.write("latin.rs", b"// gr\xf6\xdfe of the rate limiter\nstruct RateLimiter;\n");
    assert_eq!(paths(&run_survey(&sandbox.work(), "rate limiter")), ["latin.rs"]);
}

#[test]
fn a_repository_without_commits_is_surveyed() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q"]);
    sandbox.write("limiter.py", "class RateLimiter:\n    pass\n");
    let survey = run_survey(&sandbox.work(), "rate limiter");
    assert_eq!((paths(&survey), survey.head.as_deref()), (vec!["limiter.py"], None));
    assert_eq!(survey.notes, ["There are no commits, so nothing is said about history."]);
}

#[test]
fn a_shallow_clone_says_that_it_is_one() {
    let sandbox = Sandbox::repository();
    sandbox.write("limiter.py", "class RateLimiter:\n    pass\n");
    commit(&sandbox, "rate limiter");
    sandbox.commit("another");
    let source = format!("file://{}", sandbox.work().display());
    let clone = sandbox.outside("clone");
    sandbox.git(["clone", "-q", "--depth", "1", &source, clone.to_str().unwrap()]);
    let survey = run_survey(&clone, "rate limiter");
    assert_eq!(paths(&survey), ["limiter.py"]);
    assert_eq!(survey.notes, ["This is a shallow clone: history is known only in part."]);
}

#[test]
fn submodules_are_part_of_the_tree() {
    let sandbox = Sandbox::repository();
    let inner = sandbox.outside("inner");
    std::fs::create_dir(&inner).unwrap();
    sandbox.git_in(&inner, ["init", "-q", "-b", "main"]);
    std::fs::write(inner.join("limiter.go"), "package limiter\n\ntype RateLimiter struct{}\n").unwrap();
    sandbox.git_in(&inner, ["add", "."]);
    sandbox.git_in(&inner, ["commit", "-q", "-m", "inner"]);
    sandbox.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        inner.to_str().unwrap(),
        "lib/inner",
    ]);
    commit(&sandbox, "a submodule");
    assert_eq!(paths(&run_survey(&sandbox.work(), "rate limiter"))[0], "lib/inner/limiter.go");
    // One that was never checked out has no files.
    sandbox.git(["submodule", "deinit", "-q", "-f", "lib/inner"]);
    assert!(!paths(&run_survey(&sandbox.work(), "rate limiter")).contains(&"lib/inner/limiter.go"));
}

#[test]
fn pipes_and_unreadable_folders_are_skipped() {
    let sandbox = Sandbox::new();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe_limiter.py")).status().unwrap().success());
    sandbox.write("closed/limiter.py", "class RateLimiter: pass\n");
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(sandbox.path("closed"), closed).unwrap();
    let survey = survey(SurveyOptions {
        root: &sandbox.work(),
        request: "rate limiter",
        top: 10,
        cache: None,
        sources: None,
    });
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("closed"), open).unwrap();
    let survey = survey.unwrap();
    assert!(paths(&survey).contains(&"limiter.py"));
    assert!(!paths(&survey).contains(&"pipe_limiter.py"));
}

#[test]
fn a_repository_cannot_make_us_run_its_programs() {
    let sandbox = Sandbox::repository();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    commit(&sandbox, "limiter");
    let mark = sandbox.outside("mark");
    let script = sandbox.outside("script");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for key in ["core.fsmonitor", "diff.external", "core.pager", "core.sshCommand"] {
        sandbox.git(["config", key, script.to_str().unwrap()]);
    }
    sandbox.write("limiter.py", "class RateLimiter: pass # changed\n");
    run_survey(&sandbox.work(), "rate limiter");
    assert!(!mark.exists());
}

#[test]
fn nothing_in_the_repository_is_touched() {
    let sandbox = Sandbox::repository();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    commit(&sandbox, "limiter");
    let index = || std::fs::read(sandbox.path(".git/index")).unwrap();
    // A file that only looks changed would make git refresh its index.
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    let before = index();
    run_survey(&sandbox.work(), "rate limiter");
    assert_eq!(index(), before);
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn a_read_only_tree_and_an_unwritable_cache_are_no_error() {
    let sandbox = Sandbox::repository();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    commit(&sandbox, "limiter");
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(sandbox.work(), mode(0o555)).unwrap();
    // A file in place of the cache folder.
    let cache = sandbox.outside("file");
    std::fs::write(&cache, "").unwrap();
    for cache in [cache.clone(), cache.join("below"), PathBuf::from("/proc/none")] {
        let ask = SurveyOptions {
            root: &sandbox.work(),
            request: "rate limiter",
            top: 10,
            cache: Some(&cache),
            sources: None,
        };
        assert_eq!(paths(&survey(ask).unwrap()), ["limiter.py"], "{}", cache.display());
    }
    std::fs::set_permissions(sandbox.work(), mode(0o755)).unwrap();
}

#[test]
fn enormous_and_odd_requests_are_answered() {
    let sandbox = Sandbox::repository();
    sandbox.write("limiter.py", "class RateLimiter: pass\n");
    commit(&sandbox, "limiter");
    for request in [
        "rate limiter ".repeat(20_000),
        "\u{1b}[31m rate \u{7} limiter\0".to_owned(),
        format!("rate {}", "x".repeat(1 << 20)),
        "../../etc/passwd rate `$(reboot)` --help".to_owned(),
    ] {
        let survey = run_survey(&sandbox.work(), &request);
        assert_eq!(paths(&survey), ["limiter.py"]);
        let shown = render_survey(&survey, 100);
        assert!(shown.len() < 4_000, "{} bytes", shown.len());
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    }
}
