//! A run on real files, with nobody to ask and no agents.

use charrette_engine::gate::{GateView, Reply};
use charrette_engine::journal::{FileJournal, RunPlace};
use charrette_engine::ports::{
    AgentAnswer, Asker, BoxFuture, Clock, Journal, LaunchError, LaunchOrder, Launcher,
};
use charrette_engine::{Broadcast, Cancel, Event, Order, Ports, Run};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Command, DocumentName, RunRecord};
use charrette_model::progress::Stage;
use charrette_model::stamp::Now;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Workspace};
use charrette_testkit::Sandbox;
use std::sync::Arc;

pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Now {
        Now::frozen("2026-11-15T12:00:00Z".parse().unwrap())
    }
}

struct Nobody;

impl Asker for Nobody {
    fn ask<'a>(&'a self, _: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(std::future::ready(Reply::Nobody))
    }
}

impl Launcher for Nobody {
    fn launch(&self, _: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(std::future::ready(Err(LaunchError::failed("there are no agents here"))))
    }
}

/// A run that begins, or goes on from what is on disk.
pub(crate) fn run(sandbox: &Sandbox) -> Run<'static> {
    watched(sandbox, &[], |_| {})
}

/// The same with these stages, and somebody who hears what happens.
pub(crate) fn watched(
    sandbox: &Sandbox,
    stages: &'static [Stage],
    watcher: impl Fn(&Event) + Send + Sync + 'static,
) -> Run<'static> {
    let work = sandbox.work();
    let holder = Holder { pid: 1, since: String::new(), command: "test".to_owned() };
    let documents = Documents::new(StateFolder::new(&work, ".claude/state"), None, holder, 500);
    let name = DocumentName::for_feature(Command::Design, Some("x")).unwrap();
    let workspace = Workspace::new(&sandbox.path(".specs/x"), &sandbox.outside("lanes"));
    workspace.prepare().unwrap();
    let begin = || {
        workspace.put("request.md", b"request").unwrap();
        let run = RunRecord { id: "run".to_owned(), ..RunRecord::default() };
        let begin =
            |_, circumstances: &_| begin_run(("design", Some("x")), run.clone(), &["all"], circumstances);
        documents.transition(&name, "begin", Still.now(), begin).unwrap().document
    };
    let document = documents.load(&name).unwrap().map_or_else(begin, |loaded| loaded.document);
    let place = RunPlace { documents, name, document, workspace, by: Box::new(String::new) };
    let broadcast = Broadcast::default();
    broadcast.subscribe(Arc::new(watcher));
    let journal: Arc<dyn Journal> =
        Arc::new(FileJournal::new(place, Arc::new(Still), Cancel::default(), broadcast));
    let ports = Ports::bare(Arc::new(Nobody), Arc::new(Nobody));
    Run::new(journal, ports, Arc::new(Order::default()), stages).with_parallel(3)
}

/// Drives something to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}
