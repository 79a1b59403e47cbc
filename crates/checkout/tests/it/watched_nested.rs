//! Submodules, folders of submodules that were not fetched, and other repositories in the work tree.

use crate::tree::{root, with_own_work};
use crate::watched::{describe, shell, watched};
use charrette_checkout::tree::undo;
use charrette_testkit::Sandbox;

/// A repository with the submodule `lib`, one in `empty` that was not fetched, and a repository of its own in `dep`.
fn with_nested() -> Sandbox {
    let sandbox = with_own_work();
    shell(
        &sandbox,
        "mkdir ../source; cd ../source; git init -q -b main; echo x > a.txt; git add .; git commit -q -m first; \
         cd ../work; git stash -q -u; \
         for name in lib empty; do git -c protocol.file.allow=always submodule --quiet add ../source $name; done; \
         git commit -q -m submodules; git submodule --quiet deinit -f empty; git stash pop -q; \
         git clone -q ../source dep",
    );
    sandbox
}

#[test]
fn changes_in_repositories_below_are_found_and_left() {
    for (act, expected) in [
        ("true", &[][..]),
        ("git -C lib status; git -C lib gc -q; git -C dep gc -q", &[]),
        ("echo evil > lib/evil.py", &["added lib/evil.py"]),
        ("echo evil > lib/a.txt", &["modified lib/a.txt"]),
        ("git -C lib update-index --assume-unchanged a.txt; echo evil > lib/a.txt", &["modified lib/a.txt"]),
        (
            "echo 'evil*' >> .git/modules/lib/info/exclude; echo evil > lib/evil.py",
            &["modified lib/.git/info/exclude"],
        ),
        ("touch .git/modules/lib/hooks/post-checkout", &["added lib/.git/hooks/post-checkout"]),
        ("git -C lib config core.fsmonitor evil", &["modified lib/.git/config"]),
        ("git -C lib branch planted", &["added lib/.git/refs/heads/planted"]),
        ("git -C lib commit -q --allow-empty -m evil", &["modified lib"]),
        ("git -C lib switch -q -c other", &["modified lib"]),
        ("rm lib/.git; cp -r .git/modules/lib lib/.git", &["modified lib/.git"]),
        ("echo evil > empty/evil.py", &["added empty/evil.py"]),
        ("echo evil > dep/evil.py; echo evil > dep/a.txt", &["modified dep/a.txt", "added dep/evil.py"]),
        ("git -C dep config core.fsmonitor evil", &["modified dep/.git/config"]),
    ] {
        let sandbox = with_nested();
        let changes = watched(&sandbox, || shell(&sandbox, act));
        assert_eq!(describe(&changes), expected, "{act}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert_eq!(done.skipped.len(), changes.len(), "{act}: {done:?}");
        assert!(
            done.skipped.iter().all(|skipped| skipped.reason.contains("submodule")
                || skipped.reason.contains("nested git repository")),
            "{act}: {done:?}"
        );
    }
}

#[test]
fn changes_in_a_submodule_that_was_dirty_before_are_found() {
    let sandbox = with_nested();
    shell(&sandbox, "echo mine > lib/a.txt; echo mine > lib/notes");
    let act = "echo evil >> lib/a.txt; echo evil > lib/evil.py";
    let changes = watched(&sandbox, || shell(&sandbox, act));
    assert_eq!(describe(&changes), ["modified lib/a.txt", "added lib/evil.py"]);
}
