//! Locks: one writer at a time, and no lock that outlives its holder.

use crate::{documents, holder, name, now};
use charrette_store::lock::DocumentLock;
use charrette_store::{Lease, StoreError};
use charrette_testkit::Sandbox;
use serde_json::json;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn no_update_of_many_threads_is_lost() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let (writers, updates) = (8, 25);
    thread::scope(|scope| {
        for writer in 0..writers {
            let documents = documents.clone();
            scope.spawn(move || {
                for n in 0..updates {
                    let data = json!({"tasks": {format!("T{writer}-{n}"): {"status": "complete"}}});
                    documents.update_phase(&name("add-login"), "phase-1", &data, now()).unwrap();
                }
            });
        }
    });
    let document = documents.load(&name("add-login")).unwrap().unwrap().document;
    assert_eq!(document.phases["phase-1"].tasks.as_ref().unwrap().len(), writers * updates);
}

#[test]
fn a_lease_has_one_holder_and_says_who() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let path = documents.folder().lease(&name("add-login"));
    assert_eq!(Lease::holder(&path).unwrap(), None);
    let lease = documents.lease(&name("add-login")).unwrap();
    assert_eq!(Lease::holder(&path).unwrap(), Some(holder("test")));
    let StoreError::Locked { holder: found, .. } = documents.lease(&name("add-login")).unwrap_err() else {
        panic!("expected it to be locked");
    };
    assert_eq!(found, Some(holder("test")));
    drop(lease);
    assert_eq!(Lease::holder(&path).unwrap(), None);
    assert!(documents.lease(&name("add-login")).is_ok());
}

#[test]
fn a_look_at_the_lease_does_not_keep_a_driver_away() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let path = documents.folder().lease(&name("add-login"));
    drop(documents.lease(&name("add-login")).unwrap());
    let until = Instant::now() + Duration::from_millis(300);
    thread::scope(|scope| {
        scope.spawn(|| {
            while Instant::now() < until {
                Lease::holder(&path).unwrap();
            }
        });
        while Instant::now() < until {
            documents.lease(&name("add-login")).unwrap();
        }
    });
}

#[test]
fn a_lock_whose_file_was_removed_is_not_trusted() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("x.lock");
    let old = DocumentLock::acquire(&path, &holder("old")).unwrap();
    fs_err::remove_file(&path).unwrap();
    let new = DocumentLock::acquire(&path, &holder("new")).unwrap();
    drop(old);
    assert!(Lease::holder(&path).unwrap().is_some(), "the new lock still holds");
    drop(new);
}

#[test]
fn a_lease_whose_file_is_gone_or_another_is_taken_again() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let path = documents.folder().lease(&name("add-login"));
    let _lease = documents.lease(&name("add-login")).unwrap();
    assert!(documents.take_back_leases(&sandbox.outside("evidence")).unwrap().is_empty());
    let locks = path.parent().unwrap().to_owned();
    let replace_by_folder = || {
        fs_err::remove_file(&path).unwrap();
        fs_err::create_dir(&path).unwrap();
    };
    let replace_by_copy = || {
        fs_err::copy(&path, locks.join("copy")).unwrap();
        fs_err::rename(locks.join("copy"), &path).unwrap();
    };
    let remove_all = || fs_err::remove_dir_all(&locks).unwrap();
    for damage in [&replace_by_folder as &dyn Fn(), &replace_by_copy, &remove_all] {
        damage();
        assert_eq!(
            documents.take_back_leases(&sandbox.outside("evidence")).unwrap(),
            std::slice::from_ref(&path)
        );
        assert!(documents.take_back_leases(&sandbox.outside("evidence")).unwrap().is_empty());
        assert_eq!(Lease::holder(&path).unwrap(), Some(holder("test")));
        assert!(matches!(documents.lease(&name("add-login")), Err(StoreError::Locked { .. })));
    }
}

#[test]
fn a_lease_that_another_process_took_meanwhile_is_not_taken_again() {
    let sandbox = Sandbox::repository();
    let documents = documents(&sandbox);
    let path = documents.folder().lease(&name("add-login"));
    let lease = documents.lease(&name("add-login")).unwrap();
    fs_err::remove_file(&path).unwrap();
    let _other = Lease::acquire(&path, &holder("other")).unwrap();
    let StoreError::Locked { holder: found, .. } =
        documents.take_back_leases(&sandbox.outside("evidence")).unwrap_err()
    else {
        panic!("expected it to be locked");
    };
    assert_eq!(found, Some(holder("other")));
    drop(lease);
    assert!(
        documents.take_back_leases(&sandbox.outside("evidence")).unwrap().is_empty(),
        "a lease that was freed is not taken again"
    );
}

#[test]
fn the_lock_of_a_dead_process_is_free() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("x.lock");
    fs_err::write(&path, "{\"pid\":1,\"since\":\"\",\"command\":\"long gone\"}").unwrap();
    assert_eq!(Lease::holder(&path).unwrap(), None);
    DocumentLock::acquire(&path, &holder("new")).unwrap();
}

#[test]
fn a_planted_link_is_not_locked_through() {
    let sandbox = Sandbox::new();
    sandbox.write("precious", "keep me");
    std::os::unix::fs::symlink(sandbox.path("precious"), sandbox.path("x.lock")).unwrap();
    assert!(DocumentLock::acquire(&sandbox.path("x.lock"), &holder("new")).is_err());
    assert_eq!(sandbox.read("precious"), "keep me");
}

#[test]
fn a_lock_is_signed_by_whoever_holds_it_now() {
    let sandbox = Sandbox::new();
    let path = sandbox.path("x.lock");
    for command in ["a long command", "short", "short", "longer than that"] {
        let lock = DocumentLock::acquire(&path, &holder(command)).unwrap();
        assert_eq!(Lease::holder(&path).unwrap(), Some(holder(command)));
        assert_eq!(sandbox.read("x.lock").lines().count(), 1);
        drop(lock);
    }
}
