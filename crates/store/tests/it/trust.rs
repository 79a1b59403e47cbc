//! The file of trusted repositories: kept whole and private, believed only if nobody else can have written it.

use charrette_store::Holder;
use charrette_store::trust_file::{Acceptance, TrustFile, TrustFileError};
use charrette_testkit::Sandbox;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

fn holder() -> Holder {
    Holder::of_this_process("now".to_owned(), "a test".to_owned())
}

fn acceptance(digest: &str) -> Acceptance {
    Acceptance {
        digest: digest.to_owned(),
        at: "2026-11-15T12:00:00.000Z".to_owned(),
        text: Some(format!("text {digest}")),
    }
}

fn digests(file: &TrustFile, repository: &str) -> Vec<String> {
    let records = file.read(&holder()).unwrap();
    records.accepted(Path::new(repository)).iter().map(|accepted| accepted.digest.clone()).collect()
}

#[test]
fn contents_are_kept_by_repository_and_forgotten() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    assert_eq!(digests(&file, "/a/.git"), [""; 0]);
    assert!(!file.path().exists(), "reading writes nothing");
    for digest in ["one", "two", "one"] {
        file.accept(Path::new("/a/.git"), acceptance(digest), &holder()).unwrap();
    }
    file.accept(Path::new("/b/.git"), acceptance("three"), &holder()).unwrap();
    assert_eq!(digests(&file, "/a/.git"), ["two", "one"]);
    let records = file.read(&holder()).unwrap();
    let texts: Vec<Option<&str>> =
        records.accepted(Path::new("/a/.git")).iter().map(|accepted| accepted.text.as_deref()).collect();
    assert_eq!(texts, [None, Some("text one")], "only the last text is kept");
    assert_eq!(file.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(file.revoke(Path::new("/a/.git"), &holder()).unwrap(), 2);
    assert_eq!(file.revoke(Path::new("/a/.git"), &holder()).unwrap(), 0);
    assert_eq!((digests(&file, "/a/.git").len(), digests(&file, "/b/.git").len()), (0, 1));
}

#[test]
fn old_contents_are_dropped() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    for n in 0..20 {
        file.accept(Path::new("/a"), acceptance(&n.to_string()), &holder()).unwrap();
    }
    let kept = digests(&file, "/a");
    assert_eq!((kept.len(), kept.first().unwrap().as_str(), kept.last().unwrap().as_str()), (16, "4", "19"));
}

#[test]
fn a_torn_file_is_moved_aside_and_trusts_nothing() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    file.accept(Path::new("/a"), acceptance("one"), &holder()).unwrap();
    let whole = fs_err::read(file.path()).unwrap();
    for torn in [&whole[..whole.len() / 2], b"", b"[]", br#"{"version": 1}"#] {
        fs_err::write(file.path(), torn).unwrap();
        let error = file.read(&holder()).unwrap_err();
        let TrustFileError::MovedAside { moved_to, .. } = &error else { panic!("{error}") };
        assert_eq!(fs_err::read(moved_to).unwrap(), torn);
        assert_eq!(digests(&file, "/a"), [""; 0]);
    }
    file.accept(Path::new("/a"), acceptance("two"), &holder()).unwrap();
    assert_eq!(digests(&file, "/a"), ["two"]);
    fs_err::write(file.path(), "{").unwrap();
    file.accept(Path::new("/a"), acceptance("three"), &holder()).unwrap();
    assert_eq!(digests(&file, "/a"), ["three"], "an answer is kept beside the torn file");
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    file.accept(Path::new("/a"), acceptance("one"), &holder()).unwrap();
    let whole = fs_err::read(file.path()).unwrap();
    for mode in [0o620, 0o602, 0o666] {
        fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let error = file.read(&holder()).unwrap_err();
        assert!(matches!(error, TrustFileError::WritableByOthers { .. }), "{error}");
        assert_eq!(error.to_repair(), Some(file.path()));
        assert!(file.accept(Path::new("/a"), acceptance("two"), &holder()).is_err());
    }
    fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(digests(&file, "/a"), ["one"]);
    // Only root can give a file away.
    if chown(file.path(), Some(12345), None).is_ok() {
        let error = file.read(&holder()).unwrap_err();
        assert!(matches!(error, TrustFileError::ForeignOwner { owner: 12345, .. }), "{error}");
    }
    fs_err::remove_file(file.path()).unwrap();
    fs_err::write(sandbox.outside("elsewhere"), whole).unwrap();
    symlink(sandbox.outside("elsewhere"), file.path()).unwrap();
    assert!(matches!(file.read(&holder()).unwrap_err(), TrustFileError::NotAFile(_)));
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    fs_err::create_dir_all(sandbox.outside("state")).unwrap();
    let newer = r#"{"version": 2, "repositories": {"/a": [{"digest": "one", "at": ""}]}}"#;
    fs_err::write(file.path(), newer).unwrap();
    assert!(matches!(file.read(&holder()).unwrap_err(), TrustFileError::Version { version: 2, .. }));
    assert!(file.accept(Path::new("/a"), acceptance("two"), &holder()).is_err());
    assert_eq!(fs_err::read_to_string(file.path()).unwrap(), newer);
}

#[test]
fn paths_that_are_not_unicode_are_told_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    let path = |bytes: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(bytes));
    file.accept(path(b"/a\xff"), acceptance("one"), &holder()).unwrap();
    let records = file.read(&holder()).unwrap();
    assert_eq!(records.accepted(path(b"/a\xff")).len(), 1);
    assert!(records.accepted(path(b"/a\xfe")).is_empty() && records.accepted(path(b"/a\\xff")).is_empty());
}

#[test]
fn answers_at_the_same_time_are_all_kept() {
    let sandbox = Sandbox::new();
    let file = TrustFile::new(&sandbox.outside("state"));
    std::thread::scope(|scope| {
        for n in 0..8 {
            let file = &file;
            scope.spawn(move || {
                for digest in ["one", "two"] {
                    file.accept(Path::new(&format!("/{n}")), acceptance(digest), &holder()).unwrap();
                }
            });
        }
    });
    let records = file.read(&holder()).unwrap();
    assert_eq!(records.all().map(|(_, accepted)| accepted.len()).collect::<Vec<_>>(), [2; 8]);
}
