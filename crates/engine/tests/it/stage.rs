//! Test harness: an unattended run on real files, without agents.

use charrette_engine::gate::{GateView, Reply};
use charrette_engine::journal::{FileJournal, RunStorage};
use charrette_engine::ports::{
    AgentAnswer, Asker, BoxFuture, Checkout, Clock, Journal, LaunchError, LaunchOrder, Launcher,
};
use charrette_engine::{Broadcast, Cancel, Event, Ports, Run, RunOrder};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Command, DocumentName, RunRecord};
use charrette_model::progress::StageSpec;
use charrette_model::stamp::Now;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Workspace};
use charrette_testkit::Sandbox;
use std::sync::Arc;

/// A clock that stands still.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Now {
        Now::frozen("2026-11-15T12:00:00Z".parse().unwrap())
    }
}

/// Asker and launcher of an unattended run without agents.
struct Unattended;

impl Asker for Unattended {
    fn ask<'a>(&'a self, _: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(std::future::ready(Reply::Unattended))
    }
}

impl Launcher for Unattended {
    fn launch(&self, _: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(std::future::ready(Err(LaunchError::failed("there are no agents here"))))
    }
}

/// Opens a run: a new one, or the one on disk.
pub(crate) fn run(sandbox: &Sandbox) -> Run<'static> {
    watched(sandbox, &[], |_| {})
}

/// Opens a run with these stages and a watcher of its events.
pub(crate) fn watched(
    sandbox: &Sandbox,
    stages: &'static [StageSpec],
    watcher: impl Fn(&Event) + Send + Sync + 'static,
) -> Run<'static> {
    with_ports(sandbox, stages, Ports::minimal(Arc::new(Unattended), Arc::new(Unattended)), watcher)
}

/// Opens a run with an agent.
pub(crate) fn launching(sandbox: &Sandbox, launcher: Arc<dyn Launcher>) -> Run<'static> {
    with_ports(sandbox, &[], Ports::minimal(launcher, Arc::new(Unattended)), |_| {})
}

/// Opens a run that is asked by a script, and looks at files through `checkout`.
pub(crate) fn scripted(
    sandbox: &Sandbox,
    launcher: Arc<dyn Launcher>,
    checkout: Arc<dyn Checkout>,
) -> Run<'static> {
    let ports = Ports { checkout, ..Ports::minimal(launcher, Arc::new(Unattended)) };
    with_ports(sandbox, &[], ports, |_| {})
}

fn with_ports(
    sandbox: &Sandbox,
    stages: &'static [StageSpec],
    ports: Ports,
    watcher: impl Fn(&Event) + Send + Sync + 'static,
) -> Run<'static> {
    let work = sandbox.work();
    let holder = Holder { pid: 1, since: String::new(), command: "test".to_owned(), namespace: None };
    let documents = Documents::new(StateFolder::new(&work, ".claude/state"), None, holder, 500);
    let name = DocumentName::for_feature(Command::Design, Some("x")).unwrap();
    let workspace = Workspace::new(&sandbox.path(".specs/x"), &sandbox.outside("lanes"));
    workspace.prepare().unwrap();
    let begin = || {
        workspace.put("request.md", b"request").unwrap();
        let run = RunRecord { id: "run".to_owned(), ..RunRecord::default() };
        let begin = |_, context: &_| begin_run(name.key(), run.clone(), &["all"], context);
        documents.transition(&name, "begin", Still.now(), begin).unwrap().document
    };
    let document = documents.load(&name).unwrap().map_or_else(begin, |loaded| loaded.document);
    let storage = RunStorage { documents, name, document, workspace, user_name: Box::new(String::new) };
    let broadcast = Broadcast::default();
    broadcast.subscribe(Arc::new(watcher));
    let journal: Arc<dyn Journal> =
        Arc::new(FileJournal::new(storage, Arc::new(Still), Cancel::default(), broadcast));
    Run::new(journal, ports, Arc::new(RunOrder::default()), stages).with_parallel(3)
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}
