//! Single files of the work tree.

use crate::fixture::{checkout, repository, root};
use charrette_checkout::PortError;
use charrette_store::workspace::sha256;
use std::os::unix::fs::symlink;

#[test]
fn only_what_is_below_the_root_is_there() {
    let sandbox = repository("main");
    sandbox.write("src/lib.rs", "//! x\n\nfn f() {}");
    fs_err::write(sandbox.outside("secret"), "a\nb\n").unwrap();
    let checkout = checkout(&sandbox);
    let absolute = sandbox.outside("secret").to_str().unwrap().to_owned();
    for (path, there) in [
        ("src/lib.rs", true),
        ("./src/./lib.rs", true),
        ("src", true),
        ("nothing", false),
        ("", false),
        ("../secret", false),
        ("src/../../secret", false),
        (&absolute, false),
    ] {
        assert_eq!(checkout.exists(path), there, "{path}");
    }
}

#[test]
fn a_file_is_delivered_and_only_our_own_is_replaced() {
    let sandbox = repository("main");
    let checkout = checkout(&sandbox);
    let outside = sandbox.outside("elsewhere/notes.md");
    for (path, file) in [
        ("docs/notes.md", root(&sandbox).join("docs/notes.md")),
        (outside.to_str().unwrap(), outside.clone()),
    ] {
        let read = || fs_err::read_to_string(&file).unwrap();
        assert_eq!(checkout.deliver(path, "first", None), Ok(()));
        assert_eq!(checkout.deliver(path, "first", None), Ok(()), "once more, as after a crash");
        let Err(PortError::Refused(said)) = checkout.deliver(path, "second", None) else {
            panic!("not refused")
        };
        assert!(said.contains("already exists and was not written by this run"), "{said}");
        assert_eq!(read(), "first");
        assert_eq!(checkout.deliver(path, "second", Some(&sha256(b"first"))), Ok(()));
        assert_eq!(read(), "second");
        fs_err::write(&file, "edited by hand").unwrap();
        let refused = checkout.deliver(path, "third", Some(&sha256(b"second")));
        assert!(matches!(refused, Err(PortError::Refused(_))), "{refused:?}");
        assert_eq!(read(), "edited by hand");
        let left = fs_err::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing else is left there");
    }
}

#[test]
fn nothing_is_delivered_through_a_link_or_over_a_folder() {
    let sandbox = repository("main");
    fs_err::write(sandbox.outside("victim"), "x").unwrap();
    symlink(sandbox.outside("victim"), sandbox.path("link")).unwrap();
    fs_err::create_dir(sandbox.path("folder")).unwrap();
    let checkout = checkout(&sandbox);
    for path in ["link", "folder"] {
        let refused = checkout.deliver(path, "text", Some(&sha256(b"x")));
        assert!(matches!(refused, Err(PortError::Refused(_))), "{refused:?}");
    }
    assert_eq!(fs_err::read_to_string(sandbox.outside("victim")).unwrap(), "x");
    let failed = checkout.deliver("file/inside", "text", None);
    assert!(matches!(failed, Err(PortError::Failed(_))), "{failed:?}");
}
