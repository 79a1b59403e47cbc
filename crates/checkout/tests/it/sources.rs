//! Files that agents cite.

use crate::fixture::{checkout, repository};
use charrette_model::panel::cite::{CitationRules, SourceFacts as _, SourceKind, check_citations};
use std::os::unix::fs::symlink;

#[test]
fn only_files_below_the_root_are_read() {
    let sandbox = repository("main");
    sandbox.write("src/lib.rs", "//! x\n\nfn f() {}");
    fs_err::write(sandbox.outside("secret"), "a\nb\n").unwrap();
    symlink(sandbox.outside("secret"), sandbox.path("link")).unwrap();
    sandbox.write("binary", [0, 159, 146, 150]);
    sandbox.write("zeros", [b'a', 0, b'b']);
    sandbox.write("empty", "");
    let sources = checkout(&sandbox).sources(&[]);
    let absolute = sandbox.outside("secret").to_str().unwrap().to_owned();
    for (path, kind) in [
        ("src/lib.rs", Some(SourceKind::Text { lines: 3 })),
        ("./src/./lib.rs", Some(SourceKind::Text { lines: 3 })),
        ("empty", Some(SourceKind::Text { lines: 0 })),
        ("src", Some(SourceKind::Folder)),
        ("binary", Some(SourceKind::Other)),
        ("zeros", Some(SourceKind::Other)),
        ("link", None),
        ("nothing", None),
        ("../secret", None),
        ("src/../../secret", None),
        (".git/config", None),
        (&absolute, None),
    ] {
        assert_eq!(sources.kind(path), kind, "{path}");
    }
    assert_eq!(sources.lines("src/lib.rs", 3, 9), ["fn f() {}"]);
    assert_eq!(sources.lines("src/lib.rs", 4, 9), [""; 0]);
}

#[test]
fn absolute_paths_are_read_below_allowed_folders() {
    let sandbox = repository("main");
    let folder = sandbox.outside("registry");
    fs_err::create_dir_all(folder.join("dep-1.0/src")).unwrap();
    fs_err::write(folder.join("dep-1.0/src/lib.rs"), "pub fn dep() {}\n").unwrap();
    fs_err::write(sandbox.outside("secret.rs"), "token\n").unwrap();
    symlink(sandbox.outside("secret.rs"), folder.join("leak.rs")).unwrap();
    let allowed = vec![folder.to_str().unwrap().to_owned()];
    let rules = CitationRules { outside_folders: allowed.clone(), ..CitationRules::default() };
    let sources = checkout(&sandbox).sources(&allowed);
    let verdict = |text: &str| check_citations(text, &sources, &rules).citations[0].verdict.to_string();
    let path = |name: &str| format!("{}/{name}", allowed[0]);
    assert_eq!(verdict(&path("dep-1.0/src/lib.rs:1")), "right");
    assert_eq!(verdict("dep-1.0/src/lib.rs:1"), "right");
    assert_eq!(verdict(&path("dep-1.0/src/lib.rs:9")), "the file has 1 line");
    for outside in [path("leak.rs:1"), path("../secret.rs:1"), "/etc/passwd:1".to_owned()] {
        assert_eq!(verdict(&outside), "outside the repository", "{outside}");
    }
}

#[test]
fn a_place_may_be_right_in_the_work_tree_or_at_head() {
    let sandbox = repository("main");
    sandbox.write("lib/app/router.ex", "one\ntwo\nthree\n");
    sandbox.write("gone.hs", "main = pure ()\n");
    sandbox.git(["add", "."]);
    sandbox.git(["commit", "-qm", "files"]);
    fs_err::remove_file(sandbox.path("gone.hs")).unwrap();
    sandbox.write("lib/app/router.ex", "one\n");
    sandbox.write("infra/main.tf", "resource {}\n");
    let sources = checkout(&sandbox).sources(&[]);
    let report = check_citations(
        "lib/app/router.ex:3 router.ex:1 gone.hs:1 infra/main.tf:1 main.tf:1, then router.ex:4 gone.hs:2",
        &sources,
        &CitationRules::default(),
    );
    let verdicts: Vec<String> = report.citations.iter().map(|cited| cited.verdict.to_string()).collect();
    assert_eq!(
        verdicts,
        ["right", "right", "right", "right", "right", "the file has 1 line", "there is no such file"]
    );
}
