//! Many agents at work in one tree.

use crate::place::{repository, root};
use charrette_checkout::TreeWatch;
use charrette_model::tree::{Change, Own};
use charrette_testkit::Sandbox;
use futures_util::future::join_all;
use std::sync::Arc;

fn watch(sandbox: &Sandbox) -> TreeWatch {
    let own = Own { folders: vec![".specs".to_owned()], specs: None };
    TreeWatch::new(root(sandbox), own)
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn said(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| format!("{} {}", change.kind, change.path)).collect()
}

#[test]
fn what_changed_is_told_kept_and_undone() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    wait(async {
        let before = watch.look().await.unwrap();
        sandbox.write("file", "changed");
        sandbox.write("new", "new");
        sandbox.write(".specs/run/plan.txt", "our own");
        let after = watch.look().await.unwrap();
        let changes = watch.changes(&before, &after);
        assert_eq!(said(&changes), ["modified file", "added new"]);
        let patch = String::from_utf8(watch.patch(changes.clone()).await.unwrap()).unwrap();
        assert!(patch.contains("+changed") && patch.contains("+new"), "{patch}");
        let undone = watch.undo(changes).await.unwrap();
        assert_eq!((undone.undone.len(), undone.kept.len()), (2, 0));
        assert_eq!((sandbox.read("file").as_str(), sandbox.path("new").exists()), ("first", false));
    });
}

#[test]
fn those_who_ask_at_once_share_a_look() {
    let sandbox = repository("main");
    let watch = watch(&sandbox);
    let looks = wait(join_all((0..16).map(|_| watch.look())));
    let first = looks[0].as_ref().unwrap();
    assert!(looks.iter().all(|look| Arc::ptr_eq(look.as_ref().unwrap(), first)));
    let another = wait(watch.look()).unwrap();
    assert!(!Arc::ptr_eq(&another, first), "an old look is never used again");
}

/// Every task changes the tree and looks, all at the same time and again and again: it always sees its own change.
#[test]
fn a_change_made_before_asking_is_always_seen() {
    const TASKS: usize = 8;
    const ROUNDS: usize = 6;
    let sandbox = Arc::new(repository("main"));
    let watch = watch(&sandbox);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let looks = runtime.block_on(async {
        let before = watch.look().await.unwrap();
        let tasks = (0..TASKS).map(|task| {
            let (sandbox, watch, before) = (sandbox.clone(), watch.clone(), before.clone());
            tokio::spawn(async move {
                let mut looks = Vec::new();
                for round in 0..ROUNDS {
                    let name = format!("new-{task}-{round}");
                    sandbox.write(&name, "x");
                    let after = watch.look().await.unwrap();
                    let seen = said(&watch.changes(&before, &after));
                    assert!(seen.contains(&format!("added {name}")), "{name} is not among {seen:?}");
                    looks.push(after);
                }
                looks
            })
        });
        join_all(tasks).await
    });
    let mut looks: Vec<_> =
        looks.into_iter().flat_map(Result::unwrap).map(|look| Arc::as_ptr(&look)).collect();
    looks.sort();
    looks.dedup();
    assert!(looks.len() <= 2 * ROUNDS, "{} looks for {} requests", looks.len(), TASKS * ROUNDS);
}

#[test]
fn where_there_is_no_repository_everybody_is_told_why() {
    let sandbox = Sandbox::new();
    let watch = watch(&sandbox);
    for look in wait(join_all((0..3).map(|_| watch.look()))) {
        let error = look.unwrap_err().to_string();
        assert!(error.contains("not a git repository"), "{error}");
    }
}
