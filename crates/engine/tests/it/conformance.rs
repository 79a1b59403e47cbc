//! The conformance suite: both journals pass, and a journal with a fault fails at the rule it breaks.

use crate::stage::Still;
use charrette_engine::artifact::Input;
use charrette_engine::gate::{Answers, Gate, GateStatus, GateView};
use charrette_engine::journal::conformance::{RULES, RunFixture, Violation, check};
use charrette_engine::journal::memory::MemoryRun;
use charrette_engine::journal::{FileJournal, MemoryJournal, RunStorage};
use charrette_engine::ports::journal::{PhaseEnd, StagedFiles, StepBody, StepCall, StepOutcome};
use charrette_engine::ports::{ArtifactStore, BoxFuture, Clock as _, Journal};
use charrette_engine::step::StepOutput;
use charrette_engine::{Broadcast, Cancel, EventKind, FlowResult, StepError, Stop};
use charrette_model::checkpoint::gate::{AnswerChannel, Respondent};
use charrette_model::checkpoint::given::give_answers;
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{Command, DocumentName, RunRecord, TransitionError};
use charrette_model::tree::TreeChange;
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

impl RunFixture for InMemory {
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
        // A gate that is not open takes no answer; the rule notices that.
        run.answer(gate, answers);
    }
}

/// A run and its child in files.
struct InFiles {
    sandbox: Sandbox,
}

impl InFiles {
    fn documents(&self) -> Documents {
        let holder = Holder { pid: 1, since: String::new(), command: "test".to_owned(), namespace: None };
        Documents::new(StateFolder::new(&self.sandbox.work(), ".claude/state"), None, holder, 500)
    }

    fn name(feature: &str) -> DocumentName {
        DocumentName::for_feature(Command::Design, Some(feature)).unwrap()
    }

    fn workspace(&self, feature: &str) -> Workspace {
        let folder = self.sandbox.path(&format!(".specs/{feature}"));
        Workspace::new(&folder, &self.sandbox.outside(&format!("lanes-{feature}")))
    }

    fn journal(&self, feature: &str, cancel: Cancel, broadcast: Broadcast) -> Arc<dyn Journal> {
        let (documents, name) = (self.documents(), InFiles::name(feature));
        let workspace = self.workspace(feature);
        workspace.prepare().unwrap();
        let id = self.sandbox.work().join(feature).display().to_string();
        let begin = || {
            let run = RunRecord { id: id.clone(), ..RunRecord::default() };
            let begin = |_, context: &_| begin_run(name.key(), run.clone(), &["one", "inside"], context);
            documents.transition(&name, "begin", Still.now(), begin).unwrap().document
        };
        let document = documents.load(&name).unwrap().map_or_else(begin, |loaded| loaded.document);
        let storage = RunStorage { documents, name, document, workspace, user_name: Box::new(String::new) };
        Arc::new(FileJournal::new(storage, Arc::new(Still), cancel, broadcast))
    }
}

impl RunFixture for InFiles {
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
        let feature = if of_child { "child" } else { "run" };
        let (name, notes) = (InFiles::name(feature), self.workspace(feature).answer_notes());
        let by = Respondent { by: String::new(), through: AnswerChannel::File, client: None, version: None };
        let answered = self.documents().answer(&name, &notes, Still.now(), |on_disk, context| {
            let answers = [(gate.to_owned(), answers.clone())];
            give_answers(on_disk.ok_or(TransitionError::Gone)?, &answers, &by, context)
        });
        answered.unwrap();
    }
}

fn checked(make: &dyn Fn() -> Arc<dyn RunFixture>) -> Vec<Violation> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(check(make))
}

#[test]
fn the_memory_journal_conforms() {
    assert_eq!(checked(&|| Arc::new(InMemory::new())), []);
}

#[test]
fn the_file_journal_conforms() {
    assert_eq!(checked(&|| Arc::new(InFiles { sandbox: Sandbox::new() })), []);
}

/// A fault of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Steps are never reused.
    ForgetsSteps,
    /// Inputs are not compared.
    IgnoresInputs,
    /// Edits of people are lost.
    IgnoresEdits,
    /// Missing outputs are not noticed.
    IgnoresMissingOutputs,
    /// A failure counts as done.
    RecordsFailures,
    /// A missing input is taken for an empty one.
    InventsInputs,
    /// Files that are revised in place count as inputs.
    DependsOnRevised,
    /// Files of a branch are visible at once.
    CollectsAtOnce,
    /// A failed branch undoes the others.
    ForgetsBranches,
    /// Staged files are lost with their driver.
    LosesStaged,
    /// Gates settle themselves.
    SettlesGates,
    /// An approval holds even if the subject changes.
    IgnoresSubjects,
    /// A revision has no feedback.
    LosesFeedback,
    /// Cancellation is ignored.
    IgnoresCancel,
    /// Tree changes are not recorded.
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

impl RunFixture for Faulty {
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

/// A journal with a fault, implemented outside of the crate with nothing but the trait.
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

    fn with_fault(&self, mut call: StepCall) -> StepCall {
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

    fn location(&self) -> String {
        self.inner.location()
    }

    fn once(&self, call: StepCall, body: StepBody) -> BoxFuture<'_, FlowResult<StepOutcome>> {
        let (phase, id) = (call.phase.clone(), call.id.clone());
        let branch_writes = !call.branch.is_empty();
        let fault = self.fault;
        if fault == Fault::ReportsEarly {
            self.inner.emit(EventKind::StepFinished { phase, step: id.clone(), outputs: Vec::new() });
        }
        let body: StepBody = match fault {
            Fault::RecordsFailures => Box::new(move |context| {
                Box::pin(async move {
                    match body(context).await {
                        Err(StepError::Failed(_)) => Ok(StepOutput::default()),
                        other => other,
                    }
                })
            }),
            Fault::ReportsEarly if id == "second" => {
                let run = self.run.clone();
                Box::new(move |context| {
                    // The step that was reported is missing from the record later.
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
        let call = self.with_fault(call);
        Box::pin(async move {
            let recorded = self.inner.once(call, body).await?;
            if fault == Fault::CollectsAtOnce && branch_writes {
                self.run.collect_everything();
            }
            Ok(recorded)
        })
    }

    fn collect(&self, staged: Vec<StagedFiles>) -> BoxFuture<'_, FlowResult<()>> {
        self.inner.collect(staged)
    }

    fn open_gate<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, FlowResult<GateStatus>> {
        Box::pin(async move {
            match self.fault {
                Fault::SettlesGates => {
                    let answers = gate.questions.iter().map(|question| {
                        (question.key.clone(), Value::from(question.recommended.clone().unwrap_or_default()))
                    });
                    Ok(GateStatus::Settled(Answers::new(gate.name.clone(), answers.collect(), None)))
                }
                Fault::IgnoresSubjects => {
                    let gate = Gate { subject: Vec::new(), ..gate.clone() };
                    self.inner.open_gate(phase, &gate).await
                }
                Fault::LosesFeedback => {
                    let status = self.inner.open_gate(phase, gate).await;
                    if status == Err(Stop::Revise) {
                        self.run.remove("feedback-round1.md");
                    }
                    status
                }
                _ => self.inner.open_gate(phase, gate).await,
            }
        })
    }

    fn answer_gate<'a>(
        &'a self,
        gate: &'a str,
        answers: Map<String, Value>,
    ) -> BoxFuture<'a, FlowResult<()>> {
        self.inner.answer_gate(gate, answers)
    }

    fn waiting_gates(&self) -> BoxFuture<'_, FlowResult<Vec<GateView>>> {
        self.inner.waiting_gates()
    }

    fn withdraw_gates(&self, gates: Vec<String>) -> BoxFuture<'_, FlowResult<()>> {
        self.inner.withdraw_gates(gates)
    }

    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, FlowResult<()>> {
        self.inner.finish_phase(end)
    }

    fn finish_run(&self) -> BoxFuture<'_, FlowResult<()>> {
        self.inner.finish_run()
    }

    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()> {
        self.inner.stop_run(stop)
    }

    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<TreeChange>> {
        self.inner.tree_changes(phase, step)
    }

    fn reload(&self) -> BoxFuture<'_, FlowResult<()>> {
        self.inner.reload()
    }

    fn emit(&self, event: EventKind) {
        self.inner.emit(event);
    }
}

#[test]
fn a_journal_that_breaks_a_rule_fails_the_suite_at_that_rule() {
    assert_eq!(RULES.len(), Fault::ALL.len());
    for ((rule, _), fault) in RULES.iter().zip(Fault::ALL) {
        let broken =
            checked(&|| Arc::new(Faulty { inner: InMemory::new(), fault, opened: AtomicUsize::new(0) }));
        let named: Vec<&str> = broken.iter().map(|violation| violation.rule).collect();
        assert!(named.contains(rule), "{fault:?} breaks '{rule}', but the violations are {broken:?}");
    }
}

#[test]
fn the_artifacts_of_the_memory_journal() {
    let store = MemoryJournal::open(&MemoryRun::new("x"), Cancel::default(), Broadcast::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let seen: io::Result<_> = runtime.block_on(async {
        let digest = store.put("a.md", b"hello").await?;
        let same = store.digest("a.md").await? == Some(digest);
        Ok((same, store.get("a.md").await?, store.list().await?, store.get("b.md").await?))
    });
    assert_eq!(seen.unwrap(), (true, Some(b"hello".to_vec()), vec!["a.md".to_owned()], None));
}
