//! Launches agents for the engine: health, budget, rate limits, ledgers, changed files.

use super::call::{AgentCall, CallOrigin, EndHook, ResumedSession};
use super::call_tree_diff::CallTreeDiff;
use super::head_copy::HeadCopy;
use super::instructions::with_instructions;
use super::login::is_logged_out;
use super::policy::{RateLimitPolicy, WebPolicy};
use super::state::{AgentPool, days_folder};
use crate::outcome::{FailureKind, Outcome, TimeoutKind};
use crate::profile::{Agent, Transport};
use crate::stream::clean;
use crate::supervisor::CallReport;
use charrette_engine::Pause;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::{
    AgentAnswer, AnswerCitations, BoxFuture, FailedLaunch, KeptAnswer, LaunchError, LaunchOrder, Launcher,
    TreeAccess, Workplace,
};
use charrette_model::checkpoint::Usage;
use charrette_model::ledger::{CallRecord, CitationRecord};
use charrette_model::panel::file_names::{REQUEST, SURVEY};
use charrette_model::seats::EMBEDDED;
use charrette_model::seats::tiers::seed_tier;
use charrette_model::tree::TreeChange;
use charrette_store::ledger::{append_citations, calls};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// Wait for a rate limit without a `retry_after`.
const DEFAULT_RATE_LIMIT_WAIT: Duration = Duration::from_mins(1);

/// Maximum size of the output of a failed agent that is kept as evidence.
const EVIDENCE_BYTES: usize = 16 << 10;

impl Launcher for AgentPool {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(self.clone().launch_agent(order))
    }

    fn complete(
        &self,
        order: LaunchOrder,
        kept: KeptAnswer,
    ) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        let pool = self.clone();
        Box::pin(async move {
            let diff = CallTreeDiff::resume(&pool, &order, &kept.tree);
            let changes = diff.map_err(LaunchError::Unverified)?.finish().await;
            let changes = changes.map_err(LaunchError::Unverified)?;
            Ok(AgentAnswer { changes, ..kept.answer() })
        })
    }

    fn chain(&self, seat: &str) -> Vec<String> {
        self.seat_chain(seat)
    }

    fn forget_failures(&self) {
        self.reset_health();
    }

    fn record_citations(&self, citations: AnswerCitations) {
        let AnswerCitations { run, step, seat, agent, counts } = citations;
        let record = CitationRecord { at: self.now().stamp(), run, step, seat, agent, counts };
        // A full disk must not cost an answer.
        let _ = append_citations(self.ledgers(), &record);
    }
}

impl AgentPool {
    /// Runs one agent for a step of a flow.
    async fn launch_agent(self, order: LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        if order.agent == EMBEDDED {
            if is_write_seat(&order) {
                return Err(LaunchError::failed("it drafts texts and cannot change files"));
            }
            if let Some(pause) = self.fallback_pause(&order) {
                return Err(LaunchError::Paused(Box::new(pause)));
            }
            return self.launch_embedded(&order).await;
        }
        if is_write_seat(&order) {
            self.check_write_seat(&order)?;
        }
        let agent = self.healthy_agent(&order.agent).await?;
        let mut agent = self.with_tier(agent, &order.seat);
        agent.model = order.model.clone().or(agent.model);
        let gate = rate_limit_pause(&agent, &order, None).gate_name();
        let granted =
            order.decisions.iter().find(|grant| grant.gate == gate).map(|grant| grant.answer.as_str());
        let policy = match granted {
            Some("wait") => RateLimitPolicy::Wait,
            Some(_) => {
                return Err(LaunchError::failed("rate limited by its vendor, and fallback was chosen"));
            }
            None => self.policy().rate_limit,
        };
        // Clients of the protocol keep their sessions with the folder, and a copy of HEAD does not last.
        let forgets = agent.profile.transport == Transport::Acp && !order.workplace.is_lasting();
        let mut session = order.session.as_deref().filter(|_| can_resume(&agent) && !forgets);
        let (mut changes, mut notes) = (Vec::new(), Vec::new());
        loop {
            let reserved = self.budget().reserve(
                &order,
                self.ledgers().path(),
                &days_folder(self.state_folder()),
                self.now(),
            )?;
            let diff = CallTreeDiff::start(&self, &order).await.map_err(LaunchError::Unverified)?;
            let tree = diff.exported();
            let keep = |report: &CallReport| {
                if let Ok(text) = &report.outcome.answer {
                    // If it cannot be kept, a kill in the next seconds costs the answer, as before.
                    let _ = (order.keeper.0)(self.kept_answer(text, report, &notes, tree.clone()));
                }
            };
            let report = self.run(&agent, &order, session, policy, EndHook(&keep)).await;
            self.record_call(&agent, &order, &report);
            drop(reserved);
            if let (Some(_), Err(failure)) = (&report.survivors, &report.outcome.answer) {
                return Err(LaunchError::Unverified(format!("{} {}", agent.name, failure.message)));
            }
            let failure = match &report.outcome.answer {
                Ok(text) => {
                    let kept = self.kept_answer(text, &report, &notes, Value::Null);
                    changes.extend(diff.finish().await.map_err(LaunchError::Unverified)?);
                    return Ok(AgentAnswer { changes, ..kept.answer() });
                }
                Err(failure) => failure.clone(),
            };
            changes.extend(diff.finish().await.map_err(LaunchError::Unverified)?);
            match (failure.kind, policy) {
                (FailureKind::Interrupted, _) => return Err(LaunchError::Interrupted),
                (FailureKind::RateLimit { retry_after }, RateLimitPolicy::Wait) => {
                    self.wait(retry_after.unwrap_or(DEFAULT_RATE_LIMIT_WAIT)).await?;
                }
                (FailureKind::RateLimit { retry_after }, RateLimitPolicy::Ask) => {
                    return Err(LaunchError::Paused(Box::new(rate_limit_pause(&agent, &order, retry_after))));
                }
                (kind, _) if session.is_some() && may_be_the_session(kind) => {
                    session = None;
                    let reason = self.redactor().redact(&failure.message).into_owned();
                    notes
                        .push(format!("its session could not be continued, a new one was started: {reason}"));
                }
                _ => return Err(self.failed(&agent, &order, &report, changes)),
            }
        }
    }

    /// The embedded agent has no process, no cost and no access to the work tree.
    async fn launch_embedded(&self, order: &LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        let mut reads: BTreeMap<String, String> =
            order.reads.iter().map(|read| (read.name.clone(), read.text.clone())).collect();
        // It answers from the request and the survey, in addition to the inputs of its seat.
        for name in [REQUEST, SURVEY] {
            if !reads.contains_key(name)
                && let Ok(bytes) = fs_err::read(self.ledgers().path().join(name))
            {
                reads.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        let report = self.call_embedded(&order.seat, reads).await;
        let record = CallRecord {
            run: order.run.clone(),
            phase: order.phase.clone(),
            step: order.step.clone(),
            ..self.record(EMBEDDED, EMBEDDED, &order.seat, &report)
        };
        self.append_to_ledgers(self.ledgers(), &record);
        match report.outcome.answer {
            Ok(text) => Ok(AgentAnswer { text, ..AgentAnswer::default() }),
            Err(failure) => Err(LaunchError::failed(failure.message)),
        }
    }

    /// The agent of that name, if it is installed and healthy.
    async fn healthy_agent(&self, name: &str) -> Result<Agent, LaunchError> {
        let agent = self.roster().get(name).cloned();
        let agent = agent.ok_or_else(|| LaunchError::failed("no such agent is configured"))?;
        if let Some(reason) = self.health().reason(name) {
            return Err(unhealthy(reason, &format!("not called, because it failed before: {reason}")));
        }
        if !agent.is_installed(self.host()) {
            return Err(LaunchError::failed(agent.missing_message()));
        }
        if self.policy().probes {
            let probe = self.probe(&agent).await;
            if self.cancel().is_requested() {
                return Err(LaunchError::Interrupted);
            }
            if let Err(reason) = probe.health {
                let message = format!("installed but not responding (health check failed: {reason})");
                return Err(unhealthy(&reason, &message));
            }
        }
        Ok(agent)
    }

    /// Sets model and effort of the preset, if that is configured and the user has set none.
    fn with_tier(&self, mut agent: Agent, seat: &str) -> Agent {
        let tier = self.seats().seat(seat).and_then(|seat| seed_tier(seat, &agent.name));
        if let Some(tier) = tier.filter(|_| self.policy().seed_tiers && agent.model.is_none()) {
            agent.model = Some(tier.model.to_owned());
            agent.effort = agent.effort.or_else(|| tier.effort.map(str::to_owned));
        }
        agent
    }

    /// Calls the agent once, in the work tree, in a copy of HEAD or in the worktree of a task.
    async fn run(
        &self,
        agent: &Agent,
        order: &LaunchOrder,
        session: Option<&str>,
        policy: RateLimitPolicy,
        on_end: EndHook<'_>,
    ) -> CallReport {
        let lane = self.lane_folder(&order.lane);
        if let Err(error) = fs_err::create_dir_all(&lane) {
            let problem = format!("its scratch folder cannot be created: {error}");
            return CallReport::without_process(Outcome::failed(FailureKind::Start, problem));
        }
        let worktree = order.workplace.worktree().map(AsRef::as_ref);
        let (copy, warning) = match self.copy_for(agent, order).await {
            Ok(copy) => (copy, None),
            Err(problem) => {
                (None, Some(format!("has no copy of the repository and could only read: {problem}")))
            }
        };
        let earlier = session.and_then(|session| self.earlier_usage(&agent.name, session));
        let prompt = with_instructions(&order.prompt, &self.host().folder);
        let (stdout, stderr) = (lane.join("stdout"), lane.join("stderr"));
        let mut report = self
            .call(AgentCall {
                agent,
                prompt: &prompt,
                seat: &order.seat,
                origin: CallOrigin {
                    phase: &order.phase,
                    step: &order.step,
                    web: order.web && self.policy().web == WebPolicy::Research,
                },
                folder: copy.as_ref().map(HeadCopy::folder).or(worktree),
                writing: copy.is_some()
                    || is_write_seat(order)
                    || (worktree.is_none() && order.tree_access != TreeAccess::ReadOnly),
                session: session.map(|id| ResumedSession { id, usage: earlier.as_ref() }),
                timeout: self.policy().call_timeout(self.seats().seat(&order.seat)),
                ends_on_rate_limit: policy != RateLimitPolicy::Wait,
                lane: &lane,
                run: &order.run,
                lane_name: &order.lane,
                stdout: &stdout,
                stderr: &stderr,
                on_end,
            })
            .await;
        if let Some(copy) = copy {
            copy.remove().await;
        }
        report.outcome.notes.extend(warning);
        report
    }

    /// Usage of a session before the call, if the ledger of the run has it.
    fn earlier_usage(&self, agent: &str, session: &str) -> Option<Usage> {
        let calls = calls(self.ledgers().path()).ok()?;
        let is_of_session =
            |call: &CallRecord| call.agent == agent && call.session.as_deref() == Some(session);
        calls.into_iter().rfind(is_of_session)?.session_total
    }

    fn kept_answer(
        &self,
        text: &str,
        report: &CallReport,
        earlier_notes: &[String],
        tree: Value,
    ) -> KeptAnswer {
        let outcome = &report.outcome;
        let mut notes = outcome.notes.clone();
        notes.extend(outcome.denied.iter().map(|denied| format!("was refused {denied}")));
        notes.extend(report.orphans_message());
        notes.extend_from_slice(earlier_notes);
        let text = self.redactor().redact(text).into_owned();
        KeptAnswer { text, usage: outcome.usage.clone(), session: outcome.session.clone(), notes, tree }
    }

    fn failed(
        &self,
        agent: &Agent,
        order: &LaunchOrder,
        report: &CallReport,
        changes: Vec<TreeChange>,
    ) -> LaunchError {
        let reason = match &report.outcome.answer {
            Ok(_) => String::new(),
            Err(failure) => self.redactor().redact(&failure.message).into_owned(),
        };
        if let Some(seat) = self.seats().seat(&order.seat) {
            self.health().record_seat_failure(seat, &agent.name, &reason);
        }
        let evidence = evidence(report).map(|text| self.redactor().redact(&text).into_owned());
        LaunchError::Failed(Box::new(FailedLaunch { reason, evidence, changes }))
    }

    async fn wait(&self, time: Duration) -> Result<(), LaunchError> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.cancel().wait_for(Urgency::Soon) => Err(LaunchError::Interrupted),
        }
    }

    fn record_call(&self, agent: &Agent, order: &LaunchOrder, report: &CallReport) {
        let record = CallRecord {
            run: order.run.clone(),
            phase: order.phase.clone(),
            step: order.step.clone(),
            ..self.call_record(agent, &order.seat, report)
        };
        self.append_to_ledgers(self.ledgers(), &record);
    }
}

/// True if the agent changes the worktree of a task.
fn is_write_seat(order: &LaunchOrder) -> bool {
    matches!(order.workplace, Workplace::Worktree(_))
}

/// Error for an agent that is not called: the message, or the reason alone if that names the cure.
fn unhealthy(reason: &str, message: &str) -> LaunchError {
    LaunchError::failed(if is_logged_out(reason) { reason } else { message })
}

/// True if the client can continue a session. A client of the protocol says so itself.
fn can_resume(agent: &Agent) -> bool {
    match agent.profile.transport {
        Transport::Acp => true,
        Transport::Process => !agent.profile.arguments.session.is_empty(),
        Transport::Openai | Transport::Queue => false,
    }
}

/// True if a call may have failed because its session is unknown or gone, so that a new one is worth a try.
fn may_be_the_session(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Interrupted
        | FailureKind::RateLimit { .. }
        | FailureKind::Credentials
        | FailureKind::Timeout(TimeoutKind::Total) => false,
        FailureKind::Start
        | FailureKind::NoAnswer
        | FailureKind::Service { .. }
        | FailureKind::Limit
        | FailureKind::OutputLimit
        | FailureKind::Timeout(TimeoutKind::FirstByte | TimeoutKind::Idle) => true,
    }
}

fn rate_limit_pause(agent: &Agent, order: &LaunchOrder, retry_after: Option<Duration>) -> Pause {
    let duration = retry_after.map_or_else(String::new, |wait| format!(" for {} seconds", wait.as_secs()));
    Pause {
        kind: "rate-limit".to_owned(),
        instance: format!("{}-{}", order.step, agent.name),
        subject: agent.name.clone(),
        question: format!(
            "{} is rate limited by its vendor{duration}. wait retries it afterwards; fallback calls the next agent for {}.",
            agent.name, order.step
        ),
        choices: vec!["wait".to_owned(), "fallback".to_owned()],
    }
}

/// End of standard output and standard error of a failed agent, as text that is safe to show. Secrets are to be taken out of it
/// again: an escape sequence may have cut one in two.
fn evidence(report: &CallReport) -> Option<String> {
    let tail = |raw: &str| {
        let text = clean::text(raw);
        let start = text.len().saturating_sub(EVIDENCE_BYTES);
        let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text[start..].to_owned()
    };
    let (stdout, stderr) = (tail(&report.stdout_tail), tail(&report.stderr_tail));
    match (stdout.trim().is_empty(), stderr.trim().is_empty()) {
        (true, true) => None,
        (false, true) => Some(stdout),
        (true, false) => Some(stderr),
        (false, false) => Some(format!("{stdout}\n--- standard error ---\n{stderr}")),
    }
}
