//! One agent is asked, and its answer judged: grammar, then citations.
//!
//! A refused answer goes back to the same agent once, quoted, with everything that is wrong with it. Wrong citations alone
//! never cost an answer: after the second attempt they are struck out. The chain of agents is in `agent`, the text of the
//! second request in `retry`.

use crate::agent::{AgentCall, AgentPrompt, AnswerFiles, CallInputs, Grammar, LaunchContext};
use crate::citation_check::CitationCheck;
use crate::event::EventKind;
use crate::evidence_note::{with_answer, with_output};
use crate::ports::{
    AgentAnswer, AnswerCitations, AnswerKeeper, FailedAgent, LaunchError, LaunchOrder, PromptInput,
};
use crate::prompt::render_prompt;
use crate::retry::render_retry;
use crate::step::StepContext;
use charrette_model::checkpoint::Usage;
use charrette_model::ledger::CitationCounts;
use charrette_model::panel::cite::{CitationReport, strike_wrong_citations};
use charrette_model::seats::EMBEDDED;
use charrette_store::workspace::sha256;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// An answer as it was read.
struct Draft {
    text: String,
    session: Option<String>,
    files: AnswerFiles,
    /// Empty if citations are not checked.
    citations: CitationReport,
}

impl Draft {
    fn wrong(&self) -> usize {
        self.citations.wrong().count()
    }

    /// Everything that is wrong with it.
    fn problems(&self) -> Vec<String> {
        let form = self.files.as_ref().err().cloned();
        let citations = self.citations.problems().into_iter();
        form.into_iter()
            .chain(citations.map(|problem| format!("line {}: {}", problem.line, problem.message)))
            .collect()
    }
}

/// Inputs and environment of a request to one agent.
struct Request<'a> {
    agent: &'a str,
    /// Agents of the chain that failed before.
    failed: &'a [FailedAgent],
    brief: &'a CallBrief,
    context: &'a StepContext,
    launch: &'a LaunchContext,
    check: Option<CitationCheck>,
}

impl AgentCall {
    /// Asks one agent, and once more if its answer does not match the grammar or cites wrong places.
    pub(crate) async fn ask(
        &self,
        agent: &str,
        failed: &[FailedAgent],
        brief: &CallBrief,
        context: &StepContext,
        launch: &LaunchContext,
        usage: &mut Option<Usage>,
    ) -> Result<Accepted, CallError> {
        let check = self.citations.as_ref();
        let check = check
            .and_then(|policy| CitationCheck::new(policy, &*launch.checkout, &brief.inputs, &self.writes));
        let request = Request { agent, failed, brief, context, launch, check };
        let first = self.draft(&request, None, usage).await?;
        // The embedded agent would answer the same again.
        if first.files.is_ok() && (first.wrong() == 0 || agent == EMBEDDED) {
            return self.accept(first, 0, &request, self.grammar.as_ref());
        }
        if first.files.is_err() {
            context.lane().keep_evidence(agent, &first.text).await;
        }
        let retry = render_retry(&first.text, &first.problems(), first.wrong() > 0);
        let second = match self.draft(&request, Some(&retry), usage).await {
            Ok(second) => second,
            // The first answer can be used, although some of its citations are wrong.
            Err(CallError::Failed(why)) if first.files.is_ok() => {
                warn(context, agent, &format!("no corrected answer: {why}"));
                return self.accept(first, 0, &request, self.grammar.as_ref());
            }
            Err(error) => return Err(error),
        };
        let Err(problem) = &second.files else {
            return self.accept(second, first.wrong(), &request, self.grammar.as_ref());
        };
        if first.files.is_ok() {
            warn(context, agent, &format!("{problem} (the answer before its correction is used)"));
            return self.accept(first, 0, &request, self.grammar.as_ref());
        }
        if let Some(salvage) = &self.salvage
            && let Ok(files) = self.files(Some(salvage), &second.text, &brief.inputs)
        {
            warn(context, agent, &format!("{problem} (retried once; used the parts that fit)"));
            return self.accept(Draft { files: Ok(files), ..second }, first.wrong(), &request, Some(salvage));
        }
        let file = context.lane().keep_evidence(agent, &second.text).await;
        let refused = with_answer(problem, &file);
        warn(context, agent, &format!("answer refused: {refused}"));
        Err(CallError::Failed(refused))
    }

    /// Launches the agent and reads its answer.
    async fn draft(
        &self,
        request: &Request<'_>,
        retry: Option<&str>,
        usage: &mut Option<Usage>,
    ) -> Result<Draft, CallError> {
        let Request { agent, brief, context, check, .. } = request;
        context.lane().record_agent(agent).await.map_err(CallError::Unrecorded)?;
        let answer = self.launch(request, retry).await?;
        add_usage(usage, answer.usage.as_ref());
        let files = self.files(self.grammar.as_ref(), &answer.text, &brief.inputs);
        let citations = check.as_ref().map(|check| check.check(&answer.text)).unwrap_or_default();
        Ok(Draft { text: answer.text, session: answer.session, files, citations })
    }

    /// Accepts an answer: strikes what is still wrong, and records the counts. `wrong_before` were wrong in the answer
    /// before its correction.
    fn accept(
        &self,
        draft: Draft,
        wrong_before: usize,
        request: &Request<'_>,
        grammar: Option<&Grammar>,
    ) -> Result<Accepted, CallError> {
        let Request { agent, brief, context, launch, check, .. } = request;
        let (wrong, right) = (draft.wrong(), draft.citations.right());
        let mut files = draft.files.map_err(CallError::Failed)?;
        let mut struck = 0;
        if wrong > 0 {
            let text = strike_wrong_citations(&draft.text, &draft.citations);
            // Where striking would spoil the form, the answer stays as it is.
            if let Ok(parsed) = self.files(grammar, &text.text, &brief.inputs) {
                (files, struck) = (parsed, text.count);
            }
            warn(context, agent, &wrong_message(wrong, struck));
        }
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let all_wrong = wrong.max(wrong_before);
        let counts = CitationCounts {
            right: count(right),
            wrong: count(all_wrong),
            corrected: count(all_wrong - wrong),
            struck: count(struck),
        };
        if check.is_some() && counts.checked() > 0 {
            launch.launcher.record_citations(AnswerCitations {
                run: context.run(),
                step: context.call().id.clone(),
                seat: self.seat.clone(),
                agent: (*agent).to_owned(),
                counts,
            });
        }
        Ok(Accepted { files, session: draft.session })
    }

    async fn launch(&self, request: &Request<'_>, retry: Option<&str>) -> Result<AgentAnswer, CallError> {
        let Request { agent, failed, brief, context, launch, .. } = *request;
        let call = context.call();
        let key = answer_key(agent, retry, brief);
        let order = LaunchOrder {
            agent: agent.to_owned(),
            seat: self.seat.clone(),
            phase: call.phase.clone(),
            step: call.id.clone(),
            prompt: render_prompt(&brief.prompt.text, &brief.quoted) + retry.unwrap_or_default(),
            reads: brief.inputs.0.clone(),
            run: context.run(),
            lane: context.lane().name(),
            model: brief.prompt.model.clone(),
            tree_access: self.tree_access.clone(),
            workplace: self.workplace.clone(),
            web: brief.prompt.web,
            session: self
                .continues
                .as_ref()
                .filter(|session| session.agent == agent)
                .map(|session| session.id.clone()),
            failed: failed.to_vec(),
            decisions: launch.decisions.clone(),
            keeper: keeper(context, &key),
        };
        let kept = context.lane().kept_answer(&key);
        if let (None, None, Some(prepare)) = (&kept, retry, &self.preparation) {
            prepare().await.map_err(CallError::Failed)?;
        }
        let (step, since) = (call.id.clone(), Instant::now());
        context.lane().emit(EventKind::AgentStarted { step: step.clone(), agent: agent.to_owned() });
        let outcome = match kept {
            // Its process ended before the driver did; only what follows is done again.
            Some(kept) => launch.launcher.complete(order, kept).await,
            None => launch.launcher.launch(order).await,
        };
        let (status, usage) = match &outcome {
            Ok(answer) => ("ok".to_owned(), answer.usage.clone()),
            Err(error) => (error.to_string(), None),
        };
        let (agent_name, seconds) = (agent.to_owned(), since.elapsed().as_secs_f64());
        context.lane().emit(EventKind::AgentFinished { step, agent: agent_name, status, seconds, usage });
        match outcome {
            Ok(answer) => {
                context.lane().record_changes(&answer.changes).await.map_err(CallError::Unrecorded)?;
                context.lane().mark_compared(&key);
                for message in &answer.notes {
                    warn(context, agent, message);
                }
                Ok(answer)
            }
            Err(LaunchError::Interrupted) => Err(CallError::Interrupted),
            Err(LaunchError::Unverified(problem)) => Err(CallError::Unrecorded(problem)),
            Err(LaunchError::Paused(pause)) => {
                *launch.pause.lock().unwrap_or_else(PoisonError::into_inner) = Some(*pause);
                Err(CallError::Paused)
            }
            Err(LaunchError::Failed(failed)) => {
                context.lane().record_changes(&failed.changes).await.map_err(CallError::Unrecorded)?;
                let reason = match failed.evidence.filter(|text| !text.trim().is_empty()) {
                    None => failed.reason,
                    Some(text) => {
                        let file = context.lane().keep_evidence(agent, &text).await;
                        with_output(&failed.reason, &file)
                    }
                };
                Err(CallError::Failed(reason))
            }
        }
    }

    fn files(&self, grammar: Option<&Grammar>, answer: &str, inputs: &CallInputs) -> AnswerFiles {
        let files = match (grammar, self.writes.as_slice()) {
            (Some(grammar), _) => grammar(answer, inputs)?,
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

/// Key of a call's answer within its step: the agent, the inputs as they are on disk, and the request to answer again.
fn answer_key(agent: &str, retry: Option<&str>, brief: &CallBrief) -> String {
    let inputs = brief.inputs.0.iter().map(|input| (&input.name, &input.text)).collect::<Vec<_>>();
    let text = serde_json::to_string(&(agent, retry, inputs)).unwrap_or_default();
    sha256(text.as_bytes())[..32].to_owned()
}

/// Keeps the answer of a call in its lane.
fn keeper(context: &StepContext, key: &str) -> AnswerKeeper {
    let (context, key) = (context.clone(), key.to_owned());
    AnswerKeeper(Arc::new(move |answer| context.lane().keep_answer(&key, &answer)))
}

/// Warning about citations that are wrong in an answer that is used.
fn wrong_message(wrong: usize, struck: usize) -> String {
    let citations =
        if wrong == 1 { "1 wrong citation".to_owned() } else { format!("{wrong} wrong citations") };
    match struck {
        0 => format!("{citations}, left as they are"),
        struck if struck == wrong => format!("{citations} struck out"),
        struck => format!("{citations}, {struck} of them struck out"),
    }
}

pub(crate) fn warn(context: &StepContext, agent: &str, message: &str) {
    let message = format!("{}: {agent}: {message}", context.call().id);
    context.lane().emit(EventKind::warning(message));
}

/// Prompt of a call with its inputs.
pub(crate) struct CallBrief {
    pub(crate) prompt: AgentPrompt,
    /// Inputs as they are quoted in the prompt.
    pub(crate) quoted: Vec<PromptInput>,
    /// Inputs as they are on disk.
    pub(crate) inputs: CallInputs,
}

/// An answer that matches the grammar.
pub(crate) struct Accepted {
    /// Name and content of each file.
    pub(crate) files: Vec<(String, String)>,
    /// Session id of the vendor.
    pub(crate) session: Option<String>,
}

/// Failure of a call to one agent.
pub(crate) enum CallError {
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
