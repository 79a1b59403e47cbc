//! The store, tried on real files, real repositories and real processes.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod active;
mod custody;
mod documents;
mod event_following;
mod events;
mod head;
mod history;
mod ledgers;
mod locks;
mod parts;
mod specs;
mod tidying;
mod trust;

mod workspace;

use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::stamp::Now;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, locate};
use charrette_testkit::Sandbox;

fn documents(sandbox: &Sandbox) -> Documents {
    let work = sandbox.work().canonicalize().unwrap();
    let repository = match locate(&work).unwrap() {
        Location::WorkTree(repository) => Some(repository),
        _ => None,
    };
    Documents::new(StateFolder::new(&work, ".claude/state"), repository, holder("test"), 500)
}

fn holder(command: &str) -> Holder {
    Holder::of_this_process("2026-11-15T12:00:00.000Z".to_owned(), command.to_owned())
}

fn name(feature: &str) -> DocumentName {
    DocumentName::for_feature(Command::Design, Some(feature)).unwrap()
}

fn now() -> Now {
    Now::real("2026-11-15T12:00:00Z".parse().unwrap())
}
