//! An agent at work in a phase, and what may come between: a decision before it is launched, changes in the tree
//! that nobody asked for. Flows see none of it but the wait for a person.

use crate::agent::{AgentCall, Conduct, NO_ANSWER};
use crate::artifact::{Artifact, Artifacts, Input};
use crate::batch::Batch;
use crate::event::EventKind;
use crate::gate::Gate;
use crate::pause::Grant;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::tree::Change;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// The gate that asks what to do about changes, and the key of its answer.
const DIRTY_TREE: &str = "dirty-tree";
/// How many paths are shown in the question; all of them are on record.
const SHOWN: usize = 10;

/// What changed in the tree while steps were at work: (step, change).
pub(crate) type Dirt = Vec<(String, Change)>;

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seated {
    /// What was written; nothing if nobody answered.
    pub artifacts: Artifacts,
    /// Who answered.
    pub agent: Option<String>,
    /// Why nobody did.
    pub problem: Option<String>,
}

impl PhaseHandle<'_> {
    /// Has an agent do something, and keeps what it answers.
    pub async fn agent(&self, call: AgentCall) -> Flow<Artifacts> {
        Ok(self.seated(call).await?.artifacts)
    }

    /// The same for an answer that becomes one file.
    pub async fn agent_file(&self, call: AgentCall) -> Flow<Artifact> {
        let (id, written) = (call.step().id, self.agent(call).await?);
        let [file] = <[Artifact; 1]>::try_from(written.0)
            .map_err(|files| Stop::Failed(format!("{id} left {} files instead of one", files.len())))?;
        Ok(file)
    }

    /// The same, saying also who did it.
    pub async fn seated(&self, call: AgentCall) -> Flow<Seated> {
        let id = call.step().id;
        let outcome = self.attended(call).await;
        let changes = self.run.journal.tree_changes(&self.name, &id).await;
        let dirt: Dirt = changes.into_iter().map(|change| (id.clone(), change)).collect();
        let settled = match Batch::add_dirt(dirt) {
            Some(dirt) => self.settle_tree(dirt).await,
            None => Ok(()),
        };
        match (outcome, settled) {
            (Ok(seated), Ok(())) => Ok(seated),
            (Err(stop), Ok(())) | (Ok(_), Err(stop)) => Err(stop),
            (Err(first), Err(second)) => Err(Stop::merged(vec![first, second]).unwrap_or(Stop::Interrupted)),
        }
    }

    /// Has an agent do something; asks a person where that needs a decision first, and tries again.
    async fn attended(&self, call: AgentCall) -> Flow<Seated> {
        let mut granted: Vec<Grant> = Vec::new();
        loop {
            let pause = Arc::new(Mutex::new(None));
            let launcher = self.run.ports.launcher.clone();
            let chain = call.candidates(&*launcher);
            let mut step = call.step();
            step.agent = Some(chain.first().cloned().unwrap_or_default());
            let conduct = Conduct { launcher, chain, granted: granted.clone(), pause: pause.clone() };
            let call = call.clone();
            let id = step.id.clone();
            let outcome = self.once(step, move |context| Box::pin(call.perform(context, conduct))).await;
            let paused = pause.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(pause) = paused else {
                let recorded = outcome?;
                // Launched without a question, so any that an earlier attempt left open has answered itself.
                self.withdraw_answered(&id, granted.is_empty()).await?;
                let problem = recorded.value.get(NO_ANSWER).and_then(|why| why.as_str());
                return Ok(Seated {
                    problem: problem.map(str::to_owned),
                    artifacts: recorded.outputs.into_iter().map(Artifact::named).collect(),
                    agent: recorded.agent,
                });
            };
            let gate = pause.gate();
            let name = pause.gate_name();
            if granted.iter().any(|grant| grant.gate == name) {
                return Err(Stop::Failed(format!(
                    "{id}: the decision about {} changed nothing",
                    pause.about
                )));
            }
            let answers = self.gate(gate).await?;
            granted.push(Grant { gate: name, answer: answers.get(&pause.about).trim().to_lowercase() });
        }
    }

    /// Withdraws questions that an earlier attempt at a step left open and that have answered themselves.
    async fn withdraw_answered(&self, step: &str, budgets: bool) -> Flow<()> {
        let journal = &self.run.journal;
        let mine = format!("rate-limit/{step}-");
        let is_mine = |gate: &String| gate.starts_with(&mine) || (budgets && gate.starts_with("budget/"));
        let gates: Vec<String> =
            journal.waiting().await?.into_iter().map(|view| view.gate).filter(is_mine).collect();
        if gates.is_empty() { Ok(()) } else { journal.withdraw(gates).await }
    }

    /// Asks what to do about changes in the tree, once, and does it.
    pub(crate) async fn settle_tree(&self, mut dirt: Dirt) -> Flow<()> {
        dirt.sort_by(|(a, x), (b, y)| (a, x.path.as_bytes()).cmp(&(b, y.path.as_bytes())));
        let Some((first, _)) = dirt.first() else { return Ok(()) };
        let boundary = format!("{}-{}", self.name, first.replace('/', "-"));
        let mut changes: Vec<Change> = dirt.iter().map(|(_, change)| change.clone()).collect();
        changes.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        changes.dedup();
        let what = Input::given("tree", &changes);
        let gate = Gate::new(&format!("{DIRTY_TREE}/{boundary}"), &what).incidental().ask_choice(
            DIRTY_TREE,
            &question(&changes),
            &["keep", "discard", "abort"],
        );
        let answers = self.gate(gate).await?;
        match answers.get(DIRTY_TREE).trim().to_lowercase().as_str() {
            "abort" => Err(Stop::Refused(format!(
                "stopped, because {} changed while agents that may only read were at work",
                counted(changes.len())
            ))),
            "discard" => self.discard(&boundary, changes, &[what, answers.input(DIRTY_TREE)]).await,
            _ => Ok(()),
        }
    }

    /// Undoes changes, having kept them in a patch first.
    async fn discard(&self, boundary: &str, changes: Vec<Change>, inputs: &[Input]) -> Flow<()> {
        let tree = self.run.ports.tree.clone();
        let count = changes.len();
        let kept = format!("discarded-{boundary}.patch");
        let (name, all) = (kept.clone(), changes.clone());
        let step = Step::new(format!("tree/{boundary}/patch")).reads(inputs);
        self.step::<(), _>(step, move |context| async move {
            let patch = tree.patch(all).await.map_err(StepError::Failed)?;
            context.write(&name, patch)
        })
        .await?;
        let tree = self.run.ports.tree.clone();
        let step = Step::new(format!("tree/{boundary}")).reads(&Artifact::named(&kept)).touches_checkout();
        let left: Vec<String> = self
            .step(step, move |_| async move { tree.undo(changes).await.map_err(StepError::Failed) })
            .await?;
        for left in &left {
            self.run.journal.tell(EventKind::Warning { message: left.clone() });
        }
        let undone = counted(count - left.len().min(count));
        self.warn(format!("{undone} undone; what they were is kept in {kept}"));
        Ok(())
    }
}

fn question(changes: &[Change]) -> String {
    let mut text =
        format!("{} changed while agents that may only read were at work:\n", counted(changes.len()));
    for change in changes.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}: {}", change.kind, change.path);
    }
    if changes.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", changes.len() - SHOWN);
    }
    text.push_str(
        "keep leaves them, discard undoes them and keeps a patch in the workspace, abort stops here.",
    );
    text
}

fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
