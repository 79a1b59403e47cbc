//! Agent calls as steps of a phase, with their incidents: a decision that a person must make before the launch (budget,
//! rate limit, embedded agent), and changes in the tree by agents that may only read. A flow sees none of it except a wait for a person.

use crate::agent::{AgentCall, AgentSession, LaunchContext, NO_ANSWER, SESSION};
use crate::artifact::{Artifact, Artifacts, Input};
use crate::batch::Batch;
use crate::event::EventKind;
use crate::gate::Gate;
use crate::participation::SeatResult;
use crate::pause::{Pause, PauseDecision};
use crate::ports::StepOutcome;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::escape::printable;
use charrette_model::tree::TreeChange;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// Gate about changes in the tree, and the key of its answer.
const DIRTY_TREE: &str = "dirty-tree";
/// Gate about changes of the run's own files, and the key of its answer.
const CHANGED_RECORD: &str = "changed-record";
/// Maximum number of paths listed in the question; all of them are on record.
const MAX_LISTED_PATHS: usize = 10;

/// Changes in the tree, each with the step that was running: (step, change).
pub(crate) type StepTreeChanges = Vec<(String, TreeChange)>;

/// Outcome of an agent call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentOutcome {
    /// Files written; empty if no agent answered.
    pub artifacts: Artifacts,
    /// Agent that answered.
    pub agent: Option<String>,
    /// Session of that agent, for a later call that continues it.
    pub session: Option<AgentSession>,
    /// Reason why no agent answered.
    pub problem: Option<String>,
}

impl PhaseHandle<'_> {
    /// Calls an agent as a step, and returns the files it wrote.
    pub async fn agent(&self, call: AgentCall) -> FlowResult<Artifacts> {
        Ok(self.agent_outcome(call).await?.artifacts)
    }

    /// Like [`PhaseHandle::agent`], for a call that writes exactly one file.
    pub async fn agent_file(&self, call: AgentCall) -> FlowResult<Artifact> {
        let (id, written) = (call.step().id, self.agent(call).await?);
        let [file] = <[Artifact; 1]>::try_from(written.0)
            .map_err(|files| Stop::Failed(format!("{id} wrote {} files instead of one", files.len())))?;
        Ok(file)
    }

    /// Like [`PhaseHandle::agent`], and returns also which agent answered, or why none did.
    pub async fn agent_outcome(&self, call: AgentCall) -> FlowResult<AgentOutcome> {
        let id = call.step().id;
        let outcome = self.run_agent_step(call).await;
        let changes = self.run.journal.tree_changes(&self.name, &id).await;
        let changes_by_step: StepTreeChanges =
            changes.into_iter().map(|change| (id.clone(), change)).collect();
        let settled = match Batch::add_tree_changes(changes_by_step) {
            Some(changes_by_step) => self.settle_tree(changes_by_step).await,
            None => Ok(()),
        };
        match (outcome, settled) {
            (Ok(outcome), Ok(())) => Ok(outcome),
            (Err(stop), Ok(())) | (Ok(_), Err(stop)) => Err(stop),
            (Err(first), Err(second)) => Err(Stop::merge(vec![first, second]).unwrap_or(Stop::Interrupted)),
        }
    }

    /// Runs the step of a call. Where the launch needs a decision first, asks a person and tries again.
    async fn run_agent_step(&self, call: AgentCall) -> FlowResult<AgentOutcome> {
        let mut decisions: Vec<PauseDecision> = Vec::new();
        let step = call.step();
        let id = step.id.clone();
        if let Some(recorded) = self.reuse(Step { agent: Some(String::new()), ..step })? {
            self.withdraw_obsolete_gates(&id, true).await?;
            return Ok(self.agent_outcome_of(&id, recorded));
        }
        loop {
            let pause = Arc::new(Mutex::new(None));
            let launcher = self.run.ports.launcher.clone();
            let chain = call.candidates(&*launcher);
            let mut step = call.step();
            step.agent = Some(chain.first().cloned().unwrap_or_default());
            let launch = LaunchContext {
                launcher,
                chain,
                decisions: decisions.clone(),
                pause: pause.clone(),
                checkout: self.run.ports.checkout.clone(),
            };
            let call = call.clone();
            let outcome = self.once(step, move |context| Box::pin(call.perform(context, launch))).await;
            let paused = pause.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(pause) = paused else {
                let recorded = outcome?;
                // Launched without a question, so one that an earlier attempt left open is obsolete.
                self.withdraw_obsolete_gates(&id, decisions.is_empty()).await?;
                return Ok(self.agent_outcome_of(&id, recorded));
            };
            let gate = pause.gate();
            let name = pause.gate_name();
            if let Some(decision) = decisions.iter().find(|decision| decision.gate == name) {
                return Err(Stop::Failed(format!("{id}: {}", still_blocked(&pause.kind, &decision.answer))));
            }
            let answers = self.gate(gate).await?;
            let answer = answers.get(&pause.kind).trim().to_lowercase();
            if pause.kind == Pause::FALLBACK && answer == Pause::RETRY {
                self.run.ports.launcher.forget_failures();
            }
            decisions.push(PauseDecision { gate: name, answer });
        }
    }

    /// The outcome of an agent's step, which counts as participation of its seat.
    fn agent_outcome_of(&self, id: &str, recorded: StepOutcome) -> AgentOutcome {
        let problem = recorded.value.get(NO_ANSWER).and_then(|why| why.as_str());
        let session = recorded.value.get(SESSION).and_then(|id| id.as_str());
        if let Some(result) = SeatResult::read(&recorded.value, recorded.agent.as_deref()) {
            self.run.participation.add(id, result);
        }
        AgentOutcome {
            problem: problem.map(str::to_owned),
            session: session
                .zip(recorded.agent.as_ref())
                .map(|(id, agent)| AgentSession { agent: agent.clone(), id: id.to_owned() }),
            artifacts: recorded.outputs.into_iter().map(Artifact::named).collect(),
            agent: recorded.agent,
        }
    }

    /// Withdraws the rate limit gates of a step that an earlier attempt left open; with `budgets`, budget gates too.
    async fn withdraw_obsolete_gates(&self, step: &str, budgets: bool) -> FlowResult<()> {
        let rate_limits = format!("rate-limit/{step}-");
        self.withdraw_gates(|gate| gate.starts_with(&rate_limits) || (budgets && gate.starts_with("budget/")))
            .await
    }

    /// Withdraws the questions about the embedded agent that an earlier attempt left open. Lanes share such a gate, so
    /// only the end of a phase shows that all agents have answered.
    pub(crate) async fn withdraw_fallback_gates(&self) -> FlowResult<()> {
        let fallback = format!("{}/", Pause::FALLBACK);
        self.withdraw_gates(|gate| gate.starts_with(&fallback)).await
    }

    async fn withdraw_gates(&self, is_obsolete: impl Fn(&str) -> bool) -> FlowResult<()> {
        let journal = &self.run.journal;
        let waiting = journal.waiting_gates().await?.into_iter().map(|view| view.gate);
        let gates: Vec<String> = waiting.filter(|gate| is_obsolete(gate)).collect();
        if gates.is_empty() { Ok(()) } else { journal.withdraw_gates(gates).await }
    }

    /// Settles changes of the run's own files, then those of the work tree.
    pub(crate) async fn settle_tree(&self, changes_by_step: StepTreeChanges) -> FlowResult<()> {
        let (restored, others): (Vec<_>, Vec<_>) =
            changes_by_step.into_iter().partition(|(_, change)| change.restored);
        self.settle_restored(restored).await?;
        self.settle_changed(others).await
    }

    /// Asks once whether to continue after files of the run itself were changed. They are as before again.
    async fn settle_restored(&self, changes_by_step: StepTreeChanges) -> FlowResult<()> {
        let Some((boundary, changes)) = self.merge_changes(changes_by_step) else { return Ok(()) };
        let mut text =
            format!("{} of this run changed while agents were running:\n", count_files(changes.len()));
        list_changes(&mut text, &changes);
        text.push_str(
            "They are as before again; what was found there is in the folder evidence of the workspace. \
             continue goes on without it, abort stops here.",
        );
        let tree = Input::given("tree", &changes);
        let gate = Gate::new(&format!("{CHANGED_RECORD}/{boundary}"), &tree).incidental().ask_choice(
            CHANGED_RECORD,
            &text,
            &["continue", "abort"],
        );
        let answers = self.gate(gate).await?;
        match answers.get(CHANGED_RECORD).trim().to_lowercase().as_str() {
            "abort" => Err(Stop::Refused(format!(
                "stopped: {} of this run changed while agents were running",
                count_files(changes.len())
            ))),
            _ => Ok(()),
        }
    }

    /// Changes of all steps by path, each once, and the name of the place in the flow where they are settled.
    fn merge_changes(&self, mut changes_by_step: StepTreeChanges) -> Option<(String, Vec<TreeChange>)> {
        changes_by_step.sort_by(|(a, x), (b, y)| (a, x.path.as_bytes()).cmp(&(b, y.path.as_bytes())));
        let (first, _) = changes_by_step.first()?;
        let boundary = format!("{}-{}", self.name, first.replace('/', "-"));
        let mut changes: Vec<TreeChange> = changes_by_step.iter().map(|(_, change)| change.clone()).collect();
        changes.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        changes.dedup();
        Some((boundary, changes))
    }

    /// Asks once what to do about changes in the work tree, and does it.
    async fn settle_changed(&self, changes_by_step: StepTreeChanges) -> FlowResult<()> {
        let Some((boundary, changes)) = self.merge_changes(changes_by_step) else { return Ok(()) };
        let tree = Input::given("tree", &changes);
        let gate = Gate::new(&format!("{DIRTY_TREE}/{boundary}"), &tree).incidental().ask_choice(
            DIRTY_TREE,
            &question(&changes),
            &["keep", "discard", "abort"],
        );
        let answers = self.gate(gate).await?;
        match answers.get(DIRTY_TREE).trim().to_lowercase().as_str() {
            "abort" => Err(Stop::Refused(format!(
                "stopped: {} changed while read-only agents were running",
                count_files(changes.len())
            ))),
            "discard" => self.discard(&boundary, changes, &[tree, answers.input(DIRTY_TREE)]).await,
            _ => Ok(()),
        }
    }

    /// Reverts changes, after saving them as a patch.
    async fn discard(&self, boundary: &str, changes: Vec<TreeChange>, inputs: &[Input]) -> FlowResult<()> {
        let tree = self.run.ports.tree.clone();
        let count = changes.len();
        let patch_file = format!("discarded-{boundary}.patch");
        let (name, all) = (patch_file.clone(), changes.clone());
        let step = Step::new(format!("tree/{boundary}/patch")).reads(inputs);
        self.step::<(), _>(step, move |context| async move {
            let patch = tree.patch(all).await.map_err(StepError::Failed)?;
            context.write(&name, patch)
        })
        .await?;
        let tree = self.run.ports.tree.clone();
        let step =
            Step::new(format!("tree/{boundary}")).reads(&Artifact::named(&patch_file)).touches_checkout();
        let left: Vec<String> = self
            .step(step, move |_| async move { tree.undo(changes).await.map_err(StepError::Failed) })
            .await?;
        for left in &left {
            self.run.journal.emit(EventKind::warning(left));
        }
        let reverted = count_files(count - left.len().min(count));
        self.warn(format!("{reverted} reverted; patch saved in {patch_file}"));
        Ok(())
    }
}

/// Error for a pause that a decision did not end, with its cure.
fn still_blocked(kind: &str, answer: &str) -> String {
    let cure = match kind {
        "budget" => "raise the limit in charrette.toml and resume",
        "rate-limit" => "resume when the rate limit of the vendor has been reset",
        _ => "resume to be asked again",
    };
    format!("still blocked by {kind} after your answer \"{}\"; {cure}", printable(answer))
}

fn question(changes: &[TreeChange]) -> String {
    let mut text = format!("{} changed while read-only agents were running:\n", count_files(changes.len()));
    list_changes(&mut text, changes);
    text.push_str(
        "keep leaves them, discard undoes them and keeps a patch in the workspace, abort stops here.",
    );
    text
}

fn list_changes(text: &mut String, changes: &[TreeChange]) {
    for change in changes.iter().take(MAX_LISTED_PATHS) {
        let _ = writeln!(text, "  {}: {}", change.kind, change.path);
    }
    if changes.len() > MAX_LISTED_PATHS {
        let _ = writeln!(text, "  and {} more", changes.len() - MAX_LISTED_PATHS);
    }
}

fn count_files(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
