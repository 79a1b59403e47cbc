//! An agent call, as a value: which seat, what it reads and writes, how the answer must look, who may do it.
//!
//! Fallback lives in here. An answer that does not fit is sent back once with the reason; then the next agent
//! of the chain is asked; when nobody is left, the step fails and every answer is kept as evidence. A flow
//! never sees any of this.

use crate::artifact::{Input, Inputs};
use crate::event::EventKind;
use crate::pause::{Grant, Pause};
use crate::ports::{AgentAnswer, LaunchError, LaunchOrder, Launcher, Touch};
use crate::prompt::rendered;
use crate::step::{Step, StepContext, StepDone, StepError};
use charrette_model::checkpoint::Usage;
use charrette_store::workspace::sha256;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Where a step whose agents all failed, and which may fail, says why.
pub(crate) const NO_ANSWER: &str = "no_answer";

/// Turns an answer into the files it becomes, or says what is wrong with it.
pub type Grammar = Arc<dyn Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync>;

/// A call of an agent.
#[derive(Clone)]
pub struct AgentCall {
    seat: String,
    id: String,
    prompt: Question,
    reads: Vec<Input>,
    writes: Vec<String>,
    chain: Vec<String>,
    grammar: Option<Grammar>,
    salvage: Option<Grammar>,
    naming: Option<Naming>,
    may_fail: bool,
    may_touch: Touch,
}

/// What is asked: made when it is asked, because most calls of a run that goes on are not made again.
type Question = Arc<dyn Fn() -> Result<Asked, String> + Send + Sync>;

/// What an agent is asked, and which model is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The prompt. Recorded, but not compared: a better wording does not make anybody pay twice.
    pub prompt: String,
    /// The model, where a team has pinned one to a role.
    pub model: Option<String>,
}

/// What an answer's file is called, given who answered and what it would be called otherwise.
type Naming = Arc<dyn Fn(&str, &str) -> String + Send + Sync>;

/// What a call goes by besides itself: who runs it, what was decided before, and where it says what must be.
pub(crate) struct Conduct {
    pub(crate) launcher: Arc<dyn Launcher>,
    /// Who is asked, in order.
    pub(crate) chain: Vec<String>,
    pub(crate) granted: Vec<Grant>,
    pub(crate) pause: Arc<Mutex<Option<Pause>>>,
}

/// A call for that seat. Its step is called the same until [`AgentCall::step_id`] says otherwise.
pub fn seat(name: &str) -> AgentCall {
    AgentCall {
        seat: name.to_owned(),
        id: name.to_owned(),
        prompt: Arc::new(|| Ok(Asked::default())),
        reads: Vec::new(),
        writes: Vec::new(),
        chain: Vec::new(),
        grammar: None,
        salvage: None,
        naming: None,
        may_fail: false,
        may_touch: Touch::Nothing,
    }
}

impl AgentCall {
    /// The name of its step.
    #[must_use]
    pub fn step_id(mut self, id: impl Into<String>) -> AgentCall {
        self.id = id.into();
        self
    }

    /// What it is asked. Recorded, but not compared: a better wording does not make anybody pay twice.
    #[must_use]
    pub fn prompt(self, prompt: impl Into<String>) -> AgentCall {
        let asked = Asked { prompt: prompt.into(), model: None };
        self.asks(move || Ok(asked.clone()))
    }

    /// The same, made when it is needed; an error ends the step.
    #[must_use]
    pub fn asks(mut self, asked: impl Fn() -> Result<Asked, String> + Send + Sync + 'static) -> AgentCall {
        self.prompt = Arc::new(asked);
        self
    }

    /// What it reads.
    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> AgentCall {
        self.reads.extend(inputs.inputs());
        self
    }

    /// The file its answer becomes. With several, a grammar says which part becomes which.
    #[must_use]
    pub fn writes(mut self, name: &str) -> AgentCall {
        self.writes.push(name.to_owned());
        self
    }

    /// Other files than those named so far.
    #[must_use]
    pub fn writes_instead(mut self, names: &[&str]) -> AgentCall {
        self.writes = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// What it may change in the tree; nothing, unless this says otherwise.
    #[must_use]
    pub fn may_touch(mut self, touch: Touch) -> AgentCall {
        self.may_touch = touch;
        self
    }

    /// Who may do it, in order; unless this says so, whoever the seat is configured for.
    #[must_use]
    pub fn chain(mut self, agents: impl IntoIterator<Item = impl Into<String>>) -> AgentCall {
        self.chain = agents.into_iter().map(Into::into).collect();
        self
    }

    /// How the answer must look.
    #[must_use]
    pub fn grammar(
        mut self,
        grammar: impl Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.grammar = Some(Arc::new(grammar));
        self
    }

    /// What must hold besides its form.
    #[must_use]
    pub fn also(mut self, check: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> AgentCall {
        let form = self.grammar.take();
        let only = self.writes.clone();
        self.grammar(move |answer| {
            let files = match (&form, only.as_slice()) {
                (Some(form), _) => form(answer)?,
                (None, [name]) => vec![(name.clone(), answer.to_owned())],
                (None, _) => return Err("several files without a grammar to tell them apart".to_owned()),
            };
            check(answer)?;
            Ok(files)
        })
    }

    /// What to make of a second answer that still does not fit, rather than asking somebody else.
    #[must_use]
    pub fn salvage(
        mut self,
        grammar: impl Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.salvage = Some(Arc::new(grammar));
        self
    }

    /// Its files are called after who answered: given the agent and a name, the name to use.
    #[must_use]
    pub fn named_by(mut self, naming: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> AgentCall {
        self.naming = Some(Arc::new(naming));
        self
    }

    /// The flow can do without: if nobody answers, the step is done and nothing came of it.
    #[must_use]
    pub fn may_fail(mut self) -> AgentCall {
        self.may_fail = true;
        self
    }

    pub(crate) fn step(&self) -> Step {
        Step { reads: self.reads.clone(), ..Step::new(self.id.clone()) }
    }

    /// Who is asked, in order.
    pub(crate) fn candidates(&self, launcher: &dyn Launcher) -> Vec<String> {
        if self.chain.is_empty() { launcher.chain(&self.seat) } else { self.chain.clone() }
    }

    /// Asks one agent after the other until an answer fits.
    pub(crate) async fn perform(self, context: StepContext, conduct: Conduct) -> Result<StepDone, StepError> {
        let asked = (self.prompt)().map_err(StepError::Failed)?;
        let mut failures = Vec::new();
        let mut usage: Option<Usage> = None;
        let chain = conduct.chain.clone();
        for (n, agent) in chain.iter().enumerate() {
            match self.ask((agent, &asked), &context, &conduct, &mut usage).await {
                Ok(files) => {
                    for (name, content) in files {
                        let name = self.naming.as_ref().map_or(name.clone(), |naming| naming(agent, &name));
                        context.write(&name, content)?;
                    }
                    return Ok(StepDone {
                        agent: Some(agent.clone()),
                        fallback_from: chain[..n].to_vec(),
                        usage,
                        prompt: Some(sha256(asked.prompt.as_bytes())),
                        ..StepDone::default()
                    });
                }
                Err(Refusal::Interrupted) => return Err(StepError::Interrupted),
                Err(Refusal::Paused) => return Err(StepError::Paused),
                Err(Refusal::Unrecorded(error)) => return Err(StepError::Failed(error)),
                Err(Refusal::Failed(why)) => failures.push(format!("{agent}: {why}")),
            }
        }
        if failures.is_empty() {
            failures.push("no agent may take this seat".to_owned());
        }
        let why = failures.join("; ");
        if !self.may_fail {
            return Err(StepError::Failed(why));
        }
        note(&context, "nobody answered", &why);
        Ok(StepDone {
            value: serde_json::json!({ NO_ANSWER: why }),
            fallback_from: chain,
            usage,
            prompt: Some(sha256(asked.prompt.as_bytes())),
            ..StepDone::default()
        })
    }

    /// Asks one agent, and once more if its answer does not fit.
    async fn ask(
        &self,
        (agent, asked): (&str, &Asked),
        context: &StepContext,
        conduct: &Conduct,
        usage: &mut Option<Usage>,
    ) -> Result<Vec<(String, String)>, Refusal> {
        let question = &asked.prompt;
        let mut prompt = question.clone();
        let mut repair = false;
        loop {
            context.lane().seat(agent).await.map_err(Refusal::Unrecorded)?;
            let answer = self.launch((agent, asked.model.clone()), prompt, context, conduct).await?;
            add(usage, answer.usage.as_ref());
            let problem = match self.files(self.grammar.as_ref(), &answer.text) {
                Ok(files) => return Ok(files),
                Err(problem) => problem,
            };
            if let (true, Some(salvage)) = (repair, &self.salvage)
                && let Ok(files) = self.files(Some(salvage), &answer.text)
            {
                note(context, agent, &format!("{problem} (twice; what could be used was taken)"));
                return Ok(files);
            }
            let kept = context.lane().keep_evidence(agent, &answer.text).await;
            if repair {
                return Err(Refusal::Failed(format!("{problem} (twice; the answer is kept in {kept})")));
            }
            repair = true;
            prompt = format!(
                "{question}\n\nYour last answer could not be used: {problem}\nAnswer again, in the form that was asked for.\n"
            );
        }
    }

    async fn launch(
        &self,
        (agent, model): (&str, Option<String>),
        prompt: String,
        context: &StepContext,
        conduct: &Conduct,
    ) -> Result<AgentAnswer, Refusal> {
        let reads = context.readable();
        let call = context.call();
        let order = LaunchOrder {
            agent: agent.to_owned(),
            seat: self.seat.clone(),
            phase: call.phase.clone(),
            step: call.id.clone(),
            prompt: rendered(&prompt, &reads),
            reads,
            run: context.run(),
            lane: context.lane().name(),
            model,
            may_touch: self.may_touch.clone(),
            granted: conduct.granted.clone(),
        };
        let (step, since) = (call.id.clone(), Instant::now());
        context.lane().tell(EventKind::AgentStarted { step: step.clone(), agent: agent.to_owned() });
        let outcome = conduct.launcher.launch(order).await;
        let (status, usage) = match &outcome {
            Ok(answer) => ("ok".to_owned(), answer.usage.clone()),
            Err(error) => (error.to_string(), None),
        };
        let (agent_name, seconds) = (agent.to_owned(), since.elapsed().as_secs_f64());
        context.lane().tell(EventKind::AgentFinished { step, agent: agent_name, status, seconds, usage });
        match outcome {
            Ok(answer) => {
                context.lane().note_tree(&answer.changes).await.map_err(Refusal::Unrecorded)?;
                for said in &answer.notes {
                    note(context, agent, said);
                }
                Ok(answer)
            }
            Err(LaunchError::Interrupted) => Err(Refusal::Interrupted),
            Err(LaunchError::Paused(pause)) => {
                *conduct.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(*pause);
                Err(Refusal::Paused)
            }
            Err(LaunchError::Failed(failed)) => {
                context.lane().note_tree(&failed.changes).await.map_err(Refusal::Unrecorded)?;
                let kept = match failed.evidence.filter(|text| !text.trim().is_empty()) {
                    None => String::new(),
                    Some(text) => {
                        let kept = context.lane().keep_evidence(agent, &text).await;
                        format!(" (what it said is kept in {kept})")
                    }
                };
                Err(Refusal::Failed(format!("{}{kept}", failed.why)))
            }
        }
    }

    fn files(&self, grammar: Option<&Grammar>, answer: &str) -> Result<Vec<(String, String)>, String> {
        let files = match (grammar, self.writes.as_slice()) {
            (Some(grammar), _) => grammar(answer)?,
            (None, [only]) if !answer.trim().is_empty() => vec![(only.clone(), answer.to_owned())],
            (None, [_]) => return Err("the answer is empty".to_owned()),
            (None, _) => return Err("several files without a grammar to tell them apart".to_owned()),
        };
        match self.writes.iter().find(|name| files.iter().all(|(written, _)| written != *name)) {
            Some(missing) => Err(format!("nothing in the answer becomes {missing}")),
            None => Ok(files),
        }
    }
}

/// Something about an agent that a person should know.
fn note(context: &StepContext, agent: &str, said: &str) {
    let message = format!("{}: {agent}: {said}", context.call().id);
    context.lane().tell(EventKind::Warning { message });
}

/// Why one agent did not do it.
enum Refusal {
    Failed(String),
    /// Something that must not be lost could not be written down.
    Unrecorded(String),
    /// A person must decide first.
    Paused,
    Interrupted,
}

fn add(total: &mut Option<Usage>, more: Option<&Usage>) {
    let Some(more) = more else { return };
    let total = total.get_or_insert_default();
    total.input += more.input;
    total.output += more.output;
    total.cached += more.cached;
    total.usd = match (total.usd, more.usd) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
}

impl fmt::Debug for AgentCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentCall").field("seat", &self.seat).field("id", &self.id).finish_non_exhaustive()
    }
}
