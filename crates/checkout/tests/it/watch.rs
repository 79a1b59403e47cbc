//! Many agents at work in one tree.

use crate::fixture::{repository, root};
use charrette_checkout::{Surroundings, TreeWatch};
use charrette_model::tree::{OwnPaths, TreeChange};
use charrette_testkit::Sandbox;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use std::sync::Arc;

fn watch(sandbox: &Sandbox) -> TreeWatch {
    let own = OwnPaths { folders: vec![".specs".to_owned()], specs: None, spec_folders: None };
    TreeWatch::new(root(sandbox), own, Surroundings::default())
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn describe(changes: &[TreeChange]) -> Vec<String> {
    changes.iter().map(|change| format!("{} {}", change.kind, change.path)).collect()
}

#[test]
fn changes_are_reported_patched_and_undone() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    wait(async {
        let before = watch.snapshot().await.unwrap();
        sandbox.write("file", "changed");
        sandbox.write("new", "new");
        sandbox.write(".specs/run/plan.txt", "our own");
        let after = watch.snapshot().await.unwrap();
        let changes = watch.changes(before, after).await.unwrap();
        assert_eq!(describe(&changes), ["modified file", "added new"]);
        let patch = String::from_utf8(watch.patch(changes.clone()).await.unwrap()).unwrap();
        assert!(patch.contains("+changed") && patch.contains("+new"), "{patch}");
        let undone = watch.undo(changes).await.unwrap();
        assert_eq!((undone.undone.len(), undone.skipped.len()), (2, 0));
        assert_eq!((sandbox.read("file").as_str(), sandbox.path("new").exists()), ("first", false));
    });
}

/// Git is asked about a file that was only touched. Meanwhile the output of other agents is read.
#[test]
fn snapshots_are_compared_on_another_thread() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    wait(async {
        let before = watch.snapshot().await.unwrap();
        sandbox.write("file", "first");
        let after = watch.snapshot().await.unwrap();
        let mut comparison = Box::pin(watch.changes(before, after));
        assert!((&mut comparison).now_or_never().is_none(), "the only thread of the driver has to wait");
        assert_eq!(describe(&comparison.await.unwrap()), [""; 0]);
    });
}

#[test]
fn concurrent_requests_share_a_snapshot() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    let snapshots = wait(join_all((0..16).map(|_| watch.snapshot())));
    let first = snapshots[0].as_ref().unwrap();
    assert!(snapshots.iter().all(|snapshot| Arc::ptr_eq(snapshot.as_ref().unwrap(), first)));
    let another = wait(watch.snapshot()).unwrap();
    assert!(!Arc::ptr_eq(&another, first), "an old snapshot is never used again");
}

/// Time-dependent only where it must not be reused: a slow machine takes one snapshot more.
#[test]
fn an_agent_starts_with_a_snapshot_of_a_moment_ago_unless_something_was_switched_or_undone() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    let is_reused = |meddle: &dyn Fn()| {
        (0..20).any(|_| {
            let taken = wait(watch.snapshot()).unwrap();
            meddle();
            Arc::ptr_eq(&taken, &wait(watch.starting_snapshot()).unwrap())
        })
    };
    assert!(is_reused(&|| {}));
    assert!(!is_reused(&|| watch.forget()));
    assert!(!is_reused(&|| std::thread::sleep(std::time::Duration::from_millis(420))));
    let count = std::cell::Cell::new(0);
    let switch = || {
        count.set(count.get() + 1);
        sandbox.git(["switch", "-q", "-c", &format!("branch-{}", count.get())]);
    };
    assert!(!is_reused(&switch));
    let configure = || {
        count.set(count.get() + 1);
        sandbox.git(["config", "alias.any", &format!("status {}", count.get())]);
    };
    assert!(!is_reused(&configure));
    // What was found changed may be put back.
    let before = wait(watch.snapshot()).unwrap();
    let change = || {
        count.set(count.get() + 1);
        sandbox.write("file", format!("changed {}", count.get()));
        let after = wait(watch.snapshot()).unwrap();
        assert_eq!(describe(&wait(watch.changes(before.clone(), after)).unwrap()).len(), 1);
    };
    assert!(!is_reused(&change));
}

/// Every task changes the tree and snapshots, all at the same time and again and again: it always sees its own change.
#[test]
fn a_snapshot_sees_every_change_made_before_the_request() {
    const TASKS: usize = 8;
    const ROUNDS: usize = 6;
    let sandbox = Arc::new(repository("main"));
    let watch = watch(&sandbox);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let snapshots = runtime.block_on(async {
        let before = watch.snapshot().await.unwrap();
        let tasks = (0..TASKS).map(|task| {
            let (sandbox, watch, before) = (sandbox.clone(), watch.clone(), before.clone());
            tokio::spawn(async move {
                let mut snapshots = Vec::new();
                for round in 0..ROUNDS {
                    let name = format!("new-{task}-{round}");
                    sandbox.write(&name, "x");
                    let after = watch.snapshot().await.unwrap();
                    let seen = describe(&watch.changes(before.clone(), after.clone()).await.unwrap());
                    assert!(seen.contains(&format!("added {name}")), "{name} is not among {seen:?}");
                    snapshots.push(after);
                }
                snapshots
            })
        });
        join_all(tasks).await
    });
    let mut snapshots: Vec<_> =
        snapshots.into_iter().flat_map(Result::unwrap).map(|snapshot| Arc::as_ptr(&snapshot)).collect();
    snapshots.sort();
    snapshots.dedup();
    assert!(snapshots.len() <= 2 * ROUNDS, "{} snapshots for {} requests", snapshots.len(), TASKS * ROUNDS);
}

#[test]
fn every_request_outside_a_repository_gets_the_error() {
    let sandbox = Sandbox::new();
    let watch = watch(&sandbox);
    for snapshot in wait(join_all((0..3).map(|_| watch.snapshot()))) {
        let error = snapshot.unwrap_err().to_string();
        assert!(error.contains("there is no git repository at"), "{error}");
    }
}
