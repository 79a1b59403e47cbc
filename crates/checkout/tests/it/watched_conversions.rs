//! Bytes that git's conversions leave out of what it stores, and files that they only seem to change.

use crate::tree::{root, with_own_work};
use crate::watched::{describe, shell, watched, watched_changes};
use charrette_checkout::tree::{patch, undo};
use charrette_testkit::Sandbox;

/// A repository with files that git converts, as it lays them out itself.
fn with_conversions() -> Sandbox {
    let sandbox = with_own_work();
    sandbox.write(".gitattributes", "*.id ident\n*.dos text eol=crlf\n*.txt text=auto\n");
    sandbox.write("y.id", "x = \"$Id$\"\n");
    sandbox.write("odd\nname.dos", "one\ntwo\n");
    for name in ["a", "b c", "\"quoted\"", "d"] {
        sandbox.write(&format!("{name}.dos"), format!("{name}\ntwo\n"));
    }
    shell(
        &sandbox,
        "git add .gitattributes *.id *.dos; git commit -q -m conversions; rm *.id *.dos; git checkout -q -- '*.id' '*.dos'",
    );
    assert_eq!(sandbox.read("a.dos"), "a\r\ntwo\r\n");
    sandbox
}

#[test]
fn bytes_that_git_does_not_store_are_a_change() {
    for (act, expected) in [
        (
            r#"printf 'x = "$Id: "; import os; os.system(evil) # $"\n' > y.id; git add y.id"#,
            &["modified y.id"][..],
        ),
        (r"printf 'one\r\ntwo\r\n' > a.txt; git add a.txt", &["modified a.txt"]),
        (
            r"printf 'a\ntwo\r\n' > a.dos; printf 'd\r\ntwo\n' > d.dos; git add '*.dos'",
            &["modified a.dos", "modified d.dos"],
        ),
        (
            r#"printf 'one\ntwo\r\n' > "$(printf 'odd\nname.dos')"; git add '*.dos'"#,
            &["modified odd\\nname.dos"],
        ),
    ] {
        let sandbox = with_conversions();
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert_eq!(sandbox.git(["diff", "HEAD", "--name-only"]), "mine.txt", "git must see nothing: {act}");
        assert_eq!(describe(&changes), expected);
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert_eq!((done.undone.len(), done.skipped.len()), (0, changes.len()));
        assert!(done.skipped.iter().all(|skipped| skipped.reason.contains("does not store")), "{done:?}");
    }
}

/// Changes that git sees, too: the patch has only what git would store.
#[test]
fn a_file_with_bytes_that_git_does_not_store_is_not_undone() {
    for (prepare, act, is_kept) in [
        (
            r"git config core.autocrlf input; printf 'a\r\nb\r\n' > w.dat; git add w.dat; git commit -q -m w",
            r"printf 'x\r\n' >> w.dat",
            true,
        ),
        ("true", r"printf 'x\n' >> d.dos", true),
        ("true", r"printf 'x\r\n' >> d.dos", false),
        ("true", r"printf 'x\n' >> d.dos; git add d.dos", true),
        ("git config core.safecrlf true", r"printf 'x\n' >> d.dos", true),
        ("true", r#"printf 'x\r\n' >> "$(printf 'odd\nname.dos')""#, false),
        ("true", r#"printf 'x\n' >> "$(printf 'odd\nname.dos')"; printf 'x\n' >> '"quoted".dos'"#, true),
        ("true", r#"printf 'x = "$Id: mine $"\ny\n' > y.id"#, true),
        ("true", "rm d.dos y.id; ln -s a.dos d.dos", false),
        (
            "echo '* text' > .gitattributes; git add .gitattributes; git commit -q -m text",
            r"mkdir ../behind; printf 'x\r\n' | tee ../behind/b.txt > ../behind/c.txt; rm -r dir; ln -s ../behind dir",
            false,
        ),
        // Line ends that were committed.
        (
            r"printf 'one\r\n' > w.dat; git add w.dat; git commit -q -m w; git config core.autocrlf input",
            r"printf 'x\r\n' >> w.dat",
            false,
        ),
    ] {
        let sandbox = with_conversions();
        shell(&sandbox, prepare);
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert!(!changes.is_empty() && sandbox.git(["diff", "HEAD", "--name-only"]) != "mine.txt", "{act}");
        let status = sandbox.git(["status", "--porcelain"]);
        let patch = patch(&root(&sandbox), &changes).unwrap();
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert_eq!(patch.is_empty(), is_kept, "{act}");
        let (undone, skipped) = if is_kept { (0, changes.len()) } else { (changes.len(), 0) };
        assert_eq!((done.undone.len(), done.skipped.len()), (undone, skipped), "{act}: {done:?}");
        assert!(done.skipped.iter().all(|skipped| skipped.reason.contains("does not store")), "{done:?}");
        assert_eq!(sandbox.git(["status", "--porcelain"]) == status, is_kept, "{act}");
    }
}

#[test]
fn files_that_git_converts_and_that_were_only_touched_are_no_change() {
    let sandbox = with_conversions();
    assert_eq!(
        watched_changes(&sandbox, || shell(&sandbox, "touch *.id *.dos; git add '*.id' '*.dos'")),
        [""; 0]
    );
    let rewrite = "for file in *.dos *.id; do cp \"$file\" copy; cat copy > \"$file\"; done; rm copy";
    assert_eq!(watched_changes(&sandbox, || shell(&sandbox, rewrite)), [""; 0]);
}

#[test]
fn line_ends_that_were_committed_are_no_change() {
    let sandbox = with_own_work();
    shell(
        &sandbox,
        r"printf 'one\r\ntwo\r\n' > dos.c; git add dos.c; git commit -q -m dos; git config core.autocrlf true",
    );
    let act = r"printf 'one\r\ntwo\r\n' > new; mv new dos.c; touch a.txt";
    assert_eq!(watched_changes(&sandbox, || shell(&sandbox, act)), [""; 0]);
}
