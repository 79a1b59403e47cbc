//! An agent call as a value: seat, inputs, output files, grammar of the answer, chain of agents.
//!
//! Retry and fallback live in here. An answer that does not match the grammar is sent back once with the reason; then the
//! next agent of the chain is asked; at the end of the chain the step fails and every answer is saved as evidence. A flow
//! never sees any of this.

use crate::artifact::{Input, Inputs};
use crate::event::EventKind;
use crate::pause::{Pause, PauseDecision};
use crate::ports::{AgentAnswer, LaunchError, LaunchOrder, Launcher, TreeAccess};
use crate::prompt::render_prompt;
use crate::step::{Step, StepContext, StepError, StepOutput};
use charrette_model::checkpoint::Usage;
use charrette_store::workspace::sha256;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Member of a step's value that holds the reasons when every agent failed and the call may fail.
pub(crate) const NO_ANSWER: &str = "no_answer";

/// Parses an answer into files (name and content), or says what is wrong with it.
pub type Grammar = Arc<dyn Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync>;

/// A call of an agent, built with [`seat`].
#[derive(Clone)]
pub struct AgentCall {
    seat: String,
    id: String,
    prompt: PromptSource,
    reads: Vec<Input>,
    writes: Vec<String>,
    chain: Vec<String>,
    grammar: Option<Grammar>,
    salvage: Option<Grammar>,
    file_naming: Option<FileNaming>,
    may_fail: bool,
    tree_access: TreeAccess,
}

/// Renders the prompt on demand, because most calls of a resumed run are reused and need none.
type PromptSource = Arc<dyn Fn() -> Result<AgentPrompt, String> + Send + Sync>;

/// Prompt of a call, and the model it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPrompt {
    /// Recorded but not compared: a better wording does not run the step again.
    pub text: String,
    /// Set if the team has pinned a model to the role.
    pub model: Option<String>,
}

/// Names an output file, given the agent that answered and the default name.
type FileNaming = Arc<dyn Fn(&str, &str) -> String + Send + Sync>;

/// Environment of one attempt at a call: the launcher, the chain, the decisions made so far, and a slot for a new pause.
pub(crate) struct LaunchContext {
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) chain: Vec<String>,
    pub(crate) decisions: Vec<PauseDecision>,
    pub(crate) pause: Arc<Mutex<Option<Pause>>>,
}

/// Starts a call for that seat. The step id is the seat's name unless [`AgentCall::step_id`] sets another.
pub fn seat(name: &str) -> AgentCall {
    AgentCall {
        seat: name.to_owned(),
        id: name.to_owned(),
        prompt: Arc::new(|| Ok(AgentPrompt::default())),
        reads: Vec::new(),
        writes: Vec::new(),
        chain: Vec::new(),
        grammar: None,
        salvage: None,
        file_naming: None,
        may_fail: false,
        tree_access: TreeAccess::ReadOnly,
    }
}

impl AgentCall {
    #[must_use]
    pub fn step_id(mut self, id: impl Into<String>) -> AgentCall {
        self.id = id.into();
        self
    }

    /// Sets a fixed prompt. It is recorded but not compared: a better wording does not run the step again.
    #[must_use]
    pub fn prompt(self, prompt: impl Into<String>) -> AgentCall {
        let prompt = AgentPrompt { text: prompt.into(), model: None };
        self.prompt_with(move || Ok(prompt.clone()))
    }

    /// Sets a prompt that is rendered when the call is made; an error fails the step.
    #[must_use]
    pub fn prompt_with(
        mut self,
        render: impl Fn() -> Result<AgentPrompt, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.prompt = Arc::new(render);
        self
    }

    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> AgentCall {
        self.reads.extend(inputs.inputs());
        self
    }

    /// Adds an output file. With several, a grammar must split the answer.
    #[must_use]
    pub fn writes(mut self, name: &str) -> AgentCall {
        self.writes.push(name.to_owned());
        self
    }

    /// Replaces the output files named so far.
    #[must_use]
    pub fn writes_only(mut self, names: &[&str]) -> AgentCall {
        self.writes = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Sets the access to the tree; read-only by default.
    #[must_use]
    pub fn tree_access(mut self, access: TreeAccess) -> AgentCall {
        self.tree_access = access;
        self
    }

    /// Agents to ask, in order; by default the configured chain of the seat.
    #[must_use]
    pub fn chain(mut self, agents: impl IntoIterator<Item = impl Into<String>>) -> AgentCall {
        self.chain = agents.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the grammar of the answer.
    #[must_use]
    pub fn grammar(
        mut self,
        grammar: impl Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.grammar = Some(Arc::new(grammar));
        self
    }

    /// Adds a check of the answer, after the grammar.
    #[must_use]
    pub fn check(mut self, check: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> AgentCall {
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

    /// Sets a lenient grammar for a second answer that still does not match, instead of asking the next agent.
    #[must_use]
    pub fn salvage(
        mut self,
        grammar: impl Fn(&str) -> Result<Vec<(String, String)>, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.salvage = Some(Arc::new(grammar));
        self
    }

    /// Names the output files by the agent that answered, given the agent and the default name.
    #[must_use]
    pub fn name_files(
        mut self,
        file_naming: impl Fn(&str, &str) -> String + Send + Sync + 'static,
    ) -> AgentCall {
        self.file_naming = Some(Arc::new(file_naming));
        self
    }

    /// Lets the step succeed without output if every agent fails.
    #[must_use]
    pub fn may_fail(mut self) -> AgentCall {
        self.may_fail = true;
        self
    }

    pub(crate) fn step(&self) -> Step {
        Step { reads: self.reads.clone(), ..Step::new(self.id.clone()) }
    }

    /// Chain of this call, or else of its seat.
    pub(crate) fn candidates(&self, launcher: &dyn Launcher) -> Vec<String> {
        if self.chain.is_empty() { launcher.chain(&self.seat) } else { self.chain.clone() }
    }

    /// Asks one agent after the other until an answer matches the grammar.
    pub(crate) async fn perform(
        self,
        context: StepContext,
        launch: LaunchContext,
    ) -> Result<StepOutput, StepError> {
        let prompt = (self.prompt)().map_err(StepError::Failed)?;
        let mut failures = Vec::new();
        let mut usage: Option<Usage> = None;
        let chain = launch.chain.clone();
        for (n, agent) in chain.iter().enumerate() {
            match self.ask(agent, &prompt, &context, &launch, &mut usage).await {
                Ok(files) => {
                    for (name, content) in files {
                        let name =
                            self.file_naming.as_ref().map_or(name.clone(), |naming| naming(agent, &name));
                        context.write(&name, content)?;
                    }
                    return Ok(StepOutput {
                        agent: Some(agent.clone()),
                        fallback_from: chain[..n].to_vec(),
                        usage,
                        prompt: Some(sha256(prompt.text.as_bytes())),
                        ..StepOutput::default()
                    });
                }
                Err(CallError::Interrupted) => return Err(StepError::Interrupted),
                Err(CallError::Paused) => return Err(StepError::Paused),
                Err(CallError::Unrecorded(error)) => return Err(StepError::Failed(error)),
                Err(CallError::Failed(why)) => failures.push(format!("{agent}: {why}")),
            }
        }
        if failures.is_empty() {
            failures.push("no agent is available for this seat".to_owned());
        }
        let why = failures.join("; ");
        if !self.may_fail {
            return Err(StepError::Failed(why));
        }
        warn(&context, "no agent answered", &why);
        Ok(StepOutput {
            value: serde_json::json!({ NO_ANSWER: why }),
            fallback_from: chain,
            usage,
            prompt: Some(sha256(prompt.text.as_bytes())),
            ..StepOutput::default()
        })
    }

    /// Asks one agent, and retries once if its answer does not match the grammar.
    async fn ask(
        &self,
        agent: &str,
        original: &AgentPrompt,
        context: &StepContext,
        launch: &LaunchContext,
        usage: &mut Option<Usage>,
    ) -> Result<Vec<(String, String)>, CallError> {
        let question = &original.text;
        let mut prompt = original.clone();
        let mut is_retry = false;
        loop {
            context.lane().record_agent(agent).await.map_err(CallError::Unrecorded)?;
            let answer = self.launch(agent, prompt, context, launch).await?;
            add_usage(usage, answer.usage.as_ref());
            let problem = match self.files(self.grammar.as_ref(), &answer.text) {
                Ok(files) => return Ok(files),
                Err(problem) => problem,
            };
            if let (true, Some(salvage)) = (is_retry, &self.salvage)
                && let Ok(files) = self.files(Some(salvage), &answer.text)
            {
                warn(context, agent, &format!("{problem} (retried once; used the parts that fit)"));
                return Ok(files);
            }
            let file = context.lane().keep_evidence(agent, &answer.text).await;
            if is_retry {
                return Err(CallError::Failed(format!("{problem} (retried once; answer saved in {file})")));
            }
            is_retry = true;
            let text = format!(
                "{question}\n\nYour last answer could not be used: {problem}\nAnswer again, in the form that was asked for.\n"
            );
            prompt = AgentPrompt { text, model: original.model.clone() };
        }
    }

    async fn launch(
        &self,
        agent: &str,
        prompt: AgentPrompt,
        context: &StepContext,
        launch: &LaunchContext,
    ) -> Result<AgentAnswer, CallError> {
        let reads = context.prompt_inputs();
        let call = context.call();
        let order = LaunchOrder {
            agent: agent.to_owned(),
            seat: self.seat.clone(),
            phase: call.phase.clone(),
            step: call.id.clone(),
            prompt: render_prompt(&prompt.text, &reads),
            reads,
            run: context.run(),
            lane: context.lane().name(),
            model: prompt.model,
            tree_access: self.tree_access.clone(),
            decisions: launch.decisions.clone(),
        };
        let (step, since) = (call.id.clone(), Instant::now());
        context.lane().emit(EventKind::AgentStarted { step: step.clone(), agent: agent.to_owned() });
        let outcome = launch.launcher.launch(order).await;
        let (status, usage) = match &outcome {
            Ok(answer) => ("ok".to_owned(), answer.usage.clone()),
            Err(error) => (error.to_string(), None),
        };
        let (agent_name, seconds) = (agent.to_owned(), since.elapsed().as_secs_f64());
        context.lane().emit(EventKind::AgentFinished { step, agent: agent_name, status, seconds, usage });
        match outcome {
            Ok(answer) => {
                context.lane().record_changes(&answer.changes).await.map_err(CallError::Unrecorded)?;
                for message in &answer.notes {
                    warn(context, agent, message);
                }
                Ok(answer)
            }
            Err(LaunchError::Interrupted) => Err(CallError::Interrupted),
            Err(LaunchError::Paused(pause)) => {
                *launch.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(*pause);
                Err(CallError::Paused)
            }
            Err(LaunchError::Failed(failed)) => {
                context.lane().record_changes(&failed.changes).await.map_err(CallError::Unrecorded)?;
                let saved = match failed.evidence.filter(|text| !text.trim().is_empty()) {
                    None => String::new(),
                    Some(text) => {
                        let file = context.lane().keep_evidence(agent, &text).await;
                        format!(" (output saved in {file})")
                    }
                };
                Err(CallError::Failed(format!("{}{saved}", failed.reason)))
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

fn warn(context: &StepContext, agent: &str, message: &str) {
    let message = format!("{}: {agent}: {message}", context.call().id);
    context.lane().emit(EventKind::Warning { message });
}

/// Failure of a call to one agent.
enum CallError {
    /// The next agent of the chain may do better.
    Failed(String),
    /// The journal could not record the launch or its tree changes: no further agent may be launched.
    Unrecorded(String),
    /// A person must decide something first.
    Paused,
    Interrupted,
}

fn add_usage(total: &mut Option<Usage>, more: Option<&Usage>) {
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
