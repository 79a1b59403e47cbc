//! Both journals keep every promise, and a journal that breaks one of them is found out.

use crate::stage::Still;
use charrette_engine::artifact::Input;
use charrette_engine::gate::{Answers, Gate, GateStanding, GateView};
use charrette_engine::journal::conformance::{Breach, RULES, Subject, check};
use charrette_engine::journal::memory::MemoryRun;
use charrette_engine::journal::{FileJournal, MemoryJournal, RunPlace};
use charrette_engine::ports::journal::{Body, Call, PhaseEnd, Recorded, Staged};
use charrette_engine::ports::{ArtifactStore, BoxFuture, Clock as _, Journal};
use charrette_engine::step::StepDone;
use charrette_engine::{Broadcast, Cancel, EventKind, Flow, StepError, Stop};
use charrette_model::checkpoint::gate::{Answering, Through};
use charrette_model::checkpoint::progress::{answer_gate, begin_run};
use charrette_model::checkpoint::{Command, DocumentName, RunRecord, TransitionError};
use charrette_model::tree::Change;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Workspace};
use charrette_testkit::Sandbox;
use serde_json::{Map, Value};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run and its child in memory.
struct InMemory {
    run: MemoryRun,
    child: MemoryRun,
}

impl InMemory {
    fn new() -> InMemory {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let run = |what: &str| MemoryRun::new(&format!("{what}-{number}"));
        InMemory { run: run("run"), child: run("child") }
    }
}

impl Subject for InMemory {
    fn open(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        Arc::new(MemoryJournal::open(&self.run, cancel, broadcast))
    }

    fn open_child(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        Arc::new(MemoryJournal::open(&self.child, cancel, broadcast))
    }

    fn edit(&self, name: &str, content: Option<&str>) {
        match content {
            Some(content) => self.run.edit(name, content),
            None => self.run.remove(name),
        }
    }

    fn answer(&self, of_child: bool, gate: &str, answers: Map<String, Value>) {
        let run = if of_child { &self.child } else { &self.run };
        // A gate that does not wait takes no answer; whoever asks will see that.
        run.answer(gate, answers);
    }
}

/// A run and its child in files.
struct InFiles {
    sandbox: Sandbox,
}

impl InFiles {
    fn documents(&self) -> Documents {
        let holder = Holder { pid: 1, since: String::new(), command: "test".to_owned() };
        Documents::new(StateFolder::new(&self.sandbox.work(), ".claude/state"), None, holder, 500)
    }

    fn name(feature: &str) -> DocumentName {
        DocumentName::for_feature(Command::Design, Some(feature)).unwrap()
    }

    fn journal(&self, feature: &str, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        let (documents, name) = (self.documents(), InFiles::name(feature));
        let folder = self.sandbox.path(&format!(".specs/{feature}"));
        let workspace = Workspace::new(&folder, &self.sandbox.outside(&format!("lanes-{feature}")));
        workspace.prepare().unwrap();
        let id = self.sandbox.work().join(feature).display().to_string();
        let begin = || {
            let run = RunRecord { id: id.clone(), ..RunRecord::default() };
            let begin = |_, circumstances: &_| {
                begin_run(("design", Some(feature)), run.clone(), &["one", "inside"], circumstances)
            };
            documents.transition(&name, "begin", Still.now(), begin).unwrap().document
        };
        let document = documents.load(&name).unwrap().map_or_else(begin, |loaded| loaded.document);
        let place = RunPlace { documents, name, document, workspace, by: Box::new(String::new) };
        Arc::new(FileJournal::new(place, Arc::new(Still), cancel, broadcast))
    }
}

impl Subject for InFiles {
    fn open(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        self.journal("run", cancel, broadcast)
    }

    fn open_child(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        self.journal("child", cancel, broadcast)
    }

    fn edit(&self, name: &str, content: Option<&str>) {
        let path = self.sandbox.path(&format!(".specs/run/{name}"));
        match content {
            Some(content) => {
                fs_err::create_dir_all(path.parent().unwrap()).unwrap();
                fs_err::write(path, content).unwrap();
            }
            None => fs_err::remove_file(path).unwrap(),
        }
    }

    fn answer(&self, of_child: bool, gate: &str, answers: Map<String, Value>) {
        let name = InFiles::name(if of_child { "child" } else { "run" });
        let by = Answering { by: String::new(), through: Through::File, client: None, version: None };
        let answered = self.documents().transition(&name, "answer", Still.now(), |on_disk, circumstances| {
            answer_gate(on_disk.ok_or(TransitionError::Gone)?, gate, answers.clone(), &by, circumstances)
        });
        answered.unwrap();
    }
}

fn checked(make: &dyn Fn() -> Arc<dyn Subject>) -> Vec<Breach> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(check(make))
}

#[test]
fn the_journal_in_memory_keeps_every_promise() {
    assert_eq!(checked(&|| Arc::new(InMemory::new())), []);
}

#[test]
fn the_journal_in_files_keeps_every_promise() {
    assert_eq!(checked(&|| Arc::new(InFiles { sandbox: Sandbox::new() })), []);
}

/// One way to break a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Every step is executed whenever the flow comes to it.
    ForgetsSteps,
    /// Inputs are not compared.
    IgnoresInputs,
    /// A file is always as its writer left it.
    IgnoresEdits,
    /// What is gone is not missed.
    IgnoresMissingOutputs,
    /// A failure counts as done.
    RecordsFailures,
    /// A missing input is taken for an empty one.
    InventsInputs,
    /// Files that are revised in place count as inputs.
    DependsOnRevised,
    /// What a branch writes is visible at once.
    CollectsAtOnce,
    /// One branch that fails takes the others along.
    ForgetsBranches,
    /// What was staged is lost with its driver.
    LosesStaged,
    /// Gates settle themselves.
    SettlesGates,
    /// An approval holds whatever is shown.
    IgnoresSubjects,
    /// A revision has no feedback.
    LosesFeedback,
    /// The request to end is not heard.
    IgnoresCancel,
    /// What agents changed is not remembered.
    ForgetsTree,
    /// Steps are reported before they are done.
    ReportsEarly,
    /// A child is driven anew each time.
    ForgetsChildren,
}

impl Fault {
    /// In the order of the rules they break.
    const ALL: [Fault; 17] = [
        Fault::ForgetsSteps,
        Fault::IgnoresInputs,
        Fault::IgnoresEdits,
        Fault::IgnoresMissingOutputs,
        Fault::RecordsFailures,
        Fault::InventsInputs,
        Fault::DependsOnRevised,
        Fault::CollectsAtOnce,
        Fault::ForgetsBranches,
        Fault::LosesStaged,
        Fault::SettlesGates,
        Fault::IgnoresSubjects,
        Fault::LosesFeedback,
        Fault::IgnoresCancel,
        Fault::ForgetsTree,
        Fault::ReportsEarly,
        Fault::ForgetsChildren,
    ];
}

/// A run in memory whose journals have a fault.
struct Faulty {
    inner: InMemory,
    fault: Fault,
    opened: AtomicUsize,
}

impl Subject for Faulty {
    fn open(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        let number = self.opened.fetch_add(1, Ordering::SeqCst);
        let cancel = if self.fault == Fault::IgnoresCancel { Cancel::default() } else { cancel };
        if self.fault == Fault::LosesStaged && number > 0 {
            self.inner.run.lose_staged();
        }
        let inner = MemoryJournal::open(&self.inner.run, cancel, broadcast);
        Arc::new(FaultyJournal {
            inner,
            run: self.inner.run.clone(),
            fault: self.fault,
            number: AtomicUsize::new(0),
        })
    }

    fn open_child(&self, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        self.inner.open_child(cancel, broadcast)
    }

    fn edit(&self, name: &str, content: Option<&str>) {
        match (self.fault, content) {
            (Fault::IgnoresEdits, Some(_)) if name == "a.md" => {}
            (Fault::IgnoresMissingOutputs, None) => {}
            _ => self.inner.edit(name, content),
        }
    }

    fn answer(&self, of_child: bool, gate: &str, answers: Map<String, Value>) {
        self.inner.answer(of_child, gate, answers);
    }
}

/// A journal with a fault, made from outside of the crate: the trait is all it knows.
struct FaultyJournal {
    inner: MemoryJournal,
    run: MemoryRun,
    fault: Fault,
    number: AtomicUsize,
}

impl FaultyJournal {
    fn next(&self) -> usize {
        self.number.fetch_add(1, Ordering::SeqCst)
    }

    fn spoiled(&self, mut call: Call) -> Call {
        match self.fault {
            Fault::ForgetsSteps => call.id = format!("{}/{}", call.id, self.next()),
            Fault::IgnoresInputs => call.reads.retain(|input| !matches!(input, Input::Given { .. })),
            Fault::InventsInputs => {
                for input in &mut call.reads {
                    if let Input::Artifact(name) = input {
                        *input = Input::Optional(name.clone());
                    }
                }
            }
            Fault::DependsOnRevised => {
                call.reads.extend(call.revises.iter().map(|name| Input::Optional(name.clone())));
            }
            Fault::ForgetsBranches if !call.branch.is_empty() => {
                call.id = format!("{}/{:p}/{}", call.id, self, self.next());
            }
            Fault::ForgetsChildren if call.id == "child" => {
                call.reads.push(Input::given("again", &format!("{:p}-{}", self, self.next())));
            }
            _ => {}
        }
        call
    }
}

impl Journal for FaultyJournal {
    fn run_id(&self) -> String {
        self.inner.run_id()
    }

    fn artifacts(&self) -> Arc<dyn ArtifactStore> {
        self.inner.artifacts()
    }

    fn place(&self) -> String {
        self.inner.place()
    }

    fn once(&self, call: Call, body: Body) -> BoxFuture<'_, Flow<Recorded>> {
        let (phase, id) = (call.phase.clone(), call.id.clone());
        let branch_writes = !call.branch.is_empty();
        let fault = self.fault;
        if fault == Fault::ReportsEarly {
            self.inner.tell(EventKind::StepFinished { phase, step: id.clone(), outputs: Vec::new() });
        }
        let body: Body = match fault {
            Fault::RecordsFailures => Box::new(move |context| {
                Box::pin(async move {
                    match body(context).await {
                        Err(StepError::Failed(_)) => Ok(StepDone::default()),
                        other => other,
                    }
                })
            }),
            Fault::ReportsEarly if id == "second" => {
                let run = self.run.clone();
                Box::new(move |context| {
                    // What was reported is forgotten when somebody looks again.
                    Box::pin(async move {
                        let done = body(context).await;
                        run.forget("one", "first");
                        done
                    })
                })
            }
            Fault::ForgetsTree => {
                let run = self.run.clone();
                Box::new(move |context| {
                    Box::pin(async move {
                        let done = body(context).await;
                        run.forget_tree();
                        done
                    })
                })
            }
            _ => body,
        };
        let call = self.spoiled(call);
        Box::pin(async move {
            let recorded = self.inner.once(call, body).await?;
            if fault == Fault::CollectsAtOnce && branch_writes {
                self.run.collect_everything();
            }
            Ok(recorded)
        })
    }

    fn collect(&self, staged: Vec<Staged>) -> BoxFuture<'_, Flow<()>> {
        self.inner.collect(staged)
    }

    fn stand<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, Flow<GateStanding>> {
        Box::pin(async move {
            match self.fault {
                Fault::SettlesGates => {
                    let answers = gate.questions.iter().map(|question| {
                        (question.key.clone(), Value::from(question.recommended.clone().unwrap_or_default()))
                    });
                    Ok(GateStanding::Settled(Answers::new(gate.name.clone(), answers.collect(), None)))
                }
                Fault::IgnoresSubjects => {
                    let gate = Gate { subject: Vec::new(), ..gate.clone() };
                    self.inner.stand(phase, &gate).await
                }
                Fault::LosesFeedback => {
                    let standing = self.inner.stand(phase, gate).await;
                    if standing == Err(Stop::Again) {
                        self.run.remove("feedback-round1.md");
                    }
                    standing
                }
                _ => self.inner.stand(phase, gate).await,
            }
        })
    }

    fn answer<'a>(&'a self, gate: &'a str, answers: Map<String, Value>) -> BoxFuture<'a, Flow<()>> {
        self.inner.answer(gate, answers)
    }

    fn waiting(&self) -> BoxFuture<'_, Flow<Vec<GateView>>> {
        self.inner.waiting()
    }

    fn withdraw(&self, gates: Vec<String>) -> BoxFuture<'_, Flow<()>> {
        self.inner.withdraw(gates)
    }

    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, Flow<()>> {
        self.inner.finish_phase(end)
    }

    fn finish_run(&self) -> BoxFuture<'_, Flow<()>> {
        self.inner.finish_run()
    }

    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()> {
        self.inner.stop_run(stop)
    }

    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<Change>> {
        self.inner.tree_changes(phase, step)
    }

    fn refresh(&self) -> BoxFuture<'_, Flow<()>> {
        self.inner.refresh()
    }

    fn tell(&self, event: EventKind) {
        self.inner.tell(event);
    }
}

#[test]
fn a_journal_that_breaks_a_rule_fails_the_suite_at_that_rule() {
    assert_eq!(RULES.len(), Fault::ALL.len());
    for ((rule, _), fault) in RULES.iter().zip(Fault::ALL) {
        let broken =
            checked(&|| Arc::new(Faulty { inner: InMemory::new(), fault, opened: AtomicUsize::new(0) }));
        let named: Vec<&str> = broken.iter().map(|breach| breach.rule).collect();
        assert!(named.contains(rule), "{fault:?} breaks '{rule}', and what was found is {broken:?}");
    }
}

#[test]
fn a_store_of_artifacts_can_be_written_from_its_signatures() {
    let store = MemoryJournal::open(&MemoryRun::new("x"), Cancel::default(), Broadcast::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let seen: io::Result<_> = runtime.block_on(async {
        let digest = store.put("a.md", b"hello").await?;
        let same = store.digest("a.md").await? == Some(digest);
        Ok((same, store.get("a.md").await?, store.list().await?, store.get("b.md").await?))
    });
    assert_eq!(seen.unwrap(), (true, Some(b"hello".to_vec()), vec!["a.md".to_owned()], None));
}
