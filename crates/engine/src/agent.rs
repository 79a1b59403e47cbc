//! An agent call as a value: seat, inputs, output files, grammar of the answer, chain of agents.
//!
//! Fallback lives in here: where one agent gives no usable answer, the next one of the chain is asked; at the end of the
//! chain the step fails. How one agent is asked, and once more if its answer is wrong, is in `agent_answer`. A flow never
//! sees any of this.

use crate::agent_answer::{Accepted, CallBrief, CallError, warn};
use crate::artifact::{Input, Inputs};
use crate::citation_check::CitationPolicy;
use crate::participation::SeatResult;
use crate::pause::{Pause, PauseDecision};
use crate::ports::{BoxFuture, Checkout, FailedAgent, Launcher, PromptInput, TreeAccess, Workplace};
use crate::step::{Step, StepContext, StepError, StepOutput};
use charrette_model::checkpoint::Usage;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Member of a step's value that holds the reasons when every agent failed and the call may fail.
pub(crate) const NO_ANSWER: &str = "no_answer";

/// Member of a step's value that holds the session of the agent that answered.
pub(crate) const SESSION: &str = "session";

/// Parses an answer into files (name and content), given the inputs of the call, or says what is wrong with it.
pub type Grammar = Arc<dyn Fn(&str, &CallInputs) -> AnswerFiles + Send + Sync>;

/// Files of an answer (name and content), or the problem that is sent back to the agent.
pub type AnswerFiles = Result<Vec<(String, String)>, String>;

/// Input files of a call, for its grammar.
#[derive(Debug, Clone, Default)]
pub struct CallInputs(pub(crate) Vec<PromptInput>);

impl CallInputs {
    /// Text of an input; none if the call does not read it or it does not exist.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|input| input.name == name).map(|input| input.text.as_str())
    }

    /// The inputs, in the order they were named.
    pub fn all(&self) -> &[PromptInput] {
        &self.0
    }
}

impl From<Vec<PromptInput>> for CallInputs {
    fn from(inputs: Vec<PromptInput>) -> CallInputs {
        CallInputs(inputs)
    }
}

/// A call of an agent, built with [`seat`].
#[derive(Clone)]
pub struct AgentCall {
    pub(crate) seat: String,
    pub(crate) id: String,
    prompt: PromptSource,
    pub(crate) reads: Vec<Input>,
    revises: Vec<String>,
    pub(crate) writes: Vec<String>,
    chain: Vec<String>,
    pub(crate) grammar: Option<Grammar>,
    pub(crate) salvage: Option<Grammar>,
    file_naming: Option<FileNaming>,
    may_fail: bool,
    pub(crate) tree_access: TreeAccess,
    pub(crate) workplace: Workplace,
    pub(crate) continues: Option<AgentSession>,
    pub(crate) citations: Option<CitationPolicy>,
    pub(crate) preparation: Option<Preparation>,
    /// Texts that are shown like inputs: name and text.
    shown: Vec<(String, String)>,
}

/// Work that is done directly before an agent is launched; an error fails the call of that agent.
pub(crate) type Preparation = Arc<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Session of an agent that a later call may continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSession {
    pub agent: String,
    /// Session id of the vendor.
    pub id: String,
}

/// Renders the prompt on demand, because most calls of a resumed run are reused and need none. It may change how the
/// inputs are quoted.
type PromptSource = Arc<dyn Fn(&mut Vec<PromptInput>) -> Result<AgentPrompt, String> + Send + Sync>;

/// Prompt of a call, and the model it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPrompt {
    /// Recorded but not compared: a better wording does not run the step again.
    pub text: String,
    /// Set if the team has pinned a model to the role.
    pub model: Option<String>,
    /// True if the agent may use the web, provided that the user's policy allows it.
    pub web: bool,
    /// Warnings for the person, such as an input that was shortened.
    pub notes: Vec<String>,
}

/// Names an output file, given the agent that answered and the default name.
type FileNaming = Arc<dyn Fn(&str, &str) -> String + Send + Sync>;

/// Environment of one attempt at a call: the launcher, the chain, the decisions made so far, and a slot for a new pause.
pub(crate) struct LaunchContext {
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) chain: Vec<String>,
    pub(crate) decisions: Vec<PauseDecision>,
    pub(crate) pause: Arc<Mutex<Option<Pause>>>,
    pub(crate) checkout: Arc<dyn Checkout>,
}

/// Starts a call for that seat. The step id is the seat's name unless [`AgentCall::step_id`] sets another.
pub fn seat(name: &str) -> AgentCall {
    AgentCall {
        seat: name.to_owned(),
        id: name.to_owned(),
        prompt: Arc::new(|_| Ok(AgentPrompt::default())),
        reads: Vec::new(),
        revises: Vec::new(),
        writes: Vec::new(),
        chain: Vec::new(),
        grammar: None,
        salvage: None,
        file_naming: None,
        may_fail: false,
        tree_access: TreeAccess::ReadOnly,
        workplace: Workplace::Checkout,
        continues: None,
        citations: None,
        preparation: None,
        shown: Vec::new(),
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
        let prompt = AgentPrompt { text: prompt.into(), ..AgentPrompt::default() };
        self.prompt_with(move |_| Ok(prompt.clone()))
    }

    /// Sets a prompt that is rendered when the call is made, from its inputs; an error fails the step. The inputs are
    /// quoted below the prompt as it leaves them.
    #[must_use]
    pub fn prompt_with(
        mut self,
        render: impl Fn(&mut Vec<PromptInput>) -> Result<AgentPrompt, String> + Send + Sync + 'static,
    ) -> AgentCall {
        self.prompt = Arc::new(render);
        self
    }

    #[must_use]
    pub fn reads(mut self, inputs: &(impl Inputs + ?Sized)) -> AgentCall {
        self.reads.extend(inputs.inputs());
        self
    }

    /// Removes an input that the seat reads otherwise.
    #[must_use]
    pub fn without(mut self, name: &str) -> AgentCall {
        self.reads.retain(|input| input.label() != name);
        self
    }

    /// Shows the agent its own earlier version of these files, if there is one. They are no inputs: their change does
    /// not run the step again.
    #[must_use]
    pub fn revises(mut self, names: &[&str]) -> AgentCall {
        self.revises = names.iter().map(|&name| name.to_owned()).collect();
        self
    }

    /// Shows a text under a name, like an input. It is none: its change does not run the step again.
    #[must_use]
    pub fn shows(mut self, name: impl Into<String>, text: impl Into<String>) -> AgentCall {
        self.shown.push((name.into(), text.into()));
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

    /// Has the agent work in a copy of HEAD, where it may write; the work tree stays read-only.
    #[must_use]
    pub fn in_scratch(mut self) -> AgentCall {
        self.workplace = Workplace::Scratch;
        self
    }

    /// Has the agent work in the copy of HEAD that the calls of one voice share; the work tree stays read-only.
    #[must_use]
    pub fn in_workshop(mut self) -> AgentCall {
        self.workplace = Workplace::Workshop;
        self
    }

    /// Sets work that is done directly before each agent of the chain is launched, such as restoring the folder it works
    /// in. It is not done before a request to correct an answer, nor for an answer that an interrupted attempt kept.
    #[must_use]
    pub fn prepare_with(
        mut self,
        preparation: impl Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync + 'static,
    ) -> AgentCall {
        self.preparation = Some(Arc::new(preparation));
        self
    }

    /// Has the agent work in a worktree of a task, which it may change; the user's work tree stays read-only.
    #[must_use]
    pub fn in_worktree(mut self, folder: impl Into<Arc<Path>>) -> AgentCall {
        self.workplace = Workplace::Worktree(folder.into());
        self
    }

    /// Has the agent work in a worktree of a task, which it only reads.
    #[must_use]
    pub fn reading_worktree(mut self, folder: impl Into<Arc<Path>>) -> AgentCall {
        self.workplace = Workplace::WorktreeToRead(folder.into());
        self
    }

    /// Continues a session, if the same agent is asked and its client can. The prompt must stand alone all the same.
    #[must_use]
    pub fn continues(mut self, session: Option<AgentSession>) -> AgentCall {
        self.continues = session;
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
    pub fn grammar(self, grammar: impl Fn(&str) -> AnswerFiles + Send + Sync + 'static) -> AgentCall {
        self.grammar_with(move |answer, _| grammar(answer))
    }

    /// Sets a grammar that depends on the inputs, such as one that applies edits to a text.
    #[must_use]
    pub fn grammar_with(
        mut self,
        grammar: impl Fn(&str, &CallInputs) -> AnswerFiles + Send + Sync + 'static,
    ) -> AgentCall {
        self.grammar = Some(Arc::new(grammar));
        self
    }

    /// Adds a check of the answer, after the grammar.
    #[must_use]
    pub fn check(mut self, check: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static) -> AgentCall {
        let form = self.grammar.take();
        let only = self.writes.clone();
        self.grammar_with(move |answer, inputs| {
            let files = match (&form, only.as_slice()) {
                (Some(form), _) => form(answer, inputs)?,
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
        grammar: impl Fn(&str, &CallInputs) -> AnswerFiles + Send + Sync + 'static,
    ) -> AgentCall {
        self.salvage = Some(Arc::new(grammar));
        self
    }

    /// Has the citations of the answer checked. Wrong ones are sent back once; then they are struck out of the prose.
    #[must_use]
    pub fn verify(mut self, policy: CitationPolicy) -> AgentCall {
        self.citations = Some(policy);
        self
    }

    /// Leaves the citations of the answer unchecked: it is about another tree than that of the checkout.
    #[must_use]
    pub fn unverified(mut self) -> AgentCall {
        self.citations = None;
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
        Step::new(self.id.clone()).reads(&self.reads).revises(self.revises.clone())
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
        let inputs = CallInputs(context.prompt_inputs());
        let mut quoted = inputs.0.clone();
        quoted.extend(self.shown.iter().map(|(name, text)| PromptInput::shown(name, text)));
        let prompt = (self.prompt)(&mut quoted).map_err(StepError::Failed)?;
        for note in &prompt.notes {
            warn(&context, &self.seat, note);
        }
        let brief = CallBrief { prompt, quoted, inputs };
        let mut failures: Vec<FailedAgent> = Vec::new();
        let mut usage: Option<Usage> = None;
        let chain = launch.chain.clone();
        for (n, agent) in chain.iter().enumerate() {
            match self.ask(agent, &failures, &brief, &context, &launch, &mut usage).await {
                Ok(Accepted { files, session }) => {
                    for (name, content) in files {
                        let name =
                            self.file_naming.as_ref().map_or(name.clone(), |naming| naming(agent, &name));
                        context.write(&name, content)?;
                    }
                    for failed in &failures {
                        let message = format!("{}; {agent} answered instead", failed.reason);
                        warn(&context, &failed.agent, &message);
                    }
                    let mut value = Map::new();
                    value.extend(session.map(|session| (SESSION.to_owned(), Value::from(session))));
                    SeatResult::record(&self.seat, &failures, &mut value);
                    return Ok(StepOutput {
                        value: value.into(),
                        agent: Some(agent.clone()),
                        fallback_from: chain[..n].to_vec(),
                        usage,
                        prompt: Some(sha256(brief.prompt.text.as_bytes())),
                    });
                }
                Err(CallError::Interrupted) => return Err(StepError::Interrupted),
                Err(CallError::Paused) => return Err(StepError::Paused),
                Err(CallError::Unrecorded(error)) => return Err(StepError::Unrecorded(error)),
                Err(CallError::Failed(reason)) => {
                    failures.push(FailedAgent { agent: agent.clone(), reason });
                }
            }
        }
        let why: Vec<String> =
            failures.iter().map(|failed| format!("{}: {}", failed.agent, failed.reason)).collect();
        let why =
            if why.is_empty() { "no agent is available for this seat".to_owned() } else { why.join("; ") };
        if !self.may_fail {
            return Err(StepError::Failed(why));
        }
        warn(&context, "no agent answered", &why);
        let mut value = Map::from_iter([(NO_ANSWER.to_owned(), Value::from(why))]);
        SeatResult::record(&self.seat, &failures, &mut value);
        Ok(StepOutput {
            value: value.into(),
            fallback_from: chain,
            usage,
            prompt: Some(sha256(brief.prompt.text.as_bytes())),
            ..StepOutput::default()
        })
    }
}

impl fmt::Debug for AgentCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentCall").field("seat", &self.seat).field("id", &self.id).finish_non_exhaustive()
    }
}
