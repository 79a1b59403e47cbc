//! Seating agents for an engine: health, budget, rate limits, ledgers, the tree.

use super::call::Call;
use super::instructions::informed;
use super::rules::RateLimit;
use super::shared::{Room, chain_of, days_folder};
use super::tree::Watch;
use crate::outcome::{FailureKind, Outcome};
use crate::profile::Agent;
use crate::supervisor::Report;
use charrette_engine::Pause;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::{
    AgentAnswer, BoxFuture, FailedLaunch, LaunchError, LaunchOrder, Launcher, Touch,
};
use charrette_model::ledger::CallRecord;
use charrette_model::panel::names::{REQUEST, SURVEY};
use charrette_model::seats::EMBEDDED;
use charrette_model::seats::tiers::seed_tier;
use charrette_model::tree::Change;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long to wait when a vendor says to wait but not for how long.
const PATIENCE: Duration = Duration::from_mins(1);

/// How much of what a failed agent said is kept as evidence.
const EVIDENCE: usize = 16 << 10;

impl Launcher for Room {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(self.clone().seated(order))
    }

    fn chain(&self, seat: &str) -> Vec<String> {
        chain_of(seat, self.seats(), self.rules(), &self.candidates())
    }
}

impl Room {
    /// Runs one agent for a step of a flow.
    async fn seated(self, order: LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        if order.agent == EMBEDDED {
            return self.seated_embedded(&order).await;
        }
        let agent = self.fit_agent(&order.agent).await?;
        let mut agent = self.with_tier(agent, &order.seat);
        agent.model = order.model.clone().or(agent.model);
        let gate = rate_limit_pause(&agent, &order, None).gate_name();
        let granted =
            order.granted.iter().find(|grant| grant.gate == gate).map(|grant| grant.answer.as_str());
        let policy = match granted {
            Some("wait") => RateLimit::Wait,
            Some(_) => {
                return Err(LaunchError::failed(
                    "its vendor says to wait, and somebody else was to be asked",
                ));
            }
            None => self.rules().rate_limit,
        };
        let mut changes = Vec::new();
        loop {
            let reserved = self.purse().reserve(
                &order,
                self.ledgers(),
                &days_folder(self.state_folder()),
                self.now(),
            )?;
            let watch = Watch::begin(&self, &order.may_touch).await;
            let report = self.run(&agent, &order, policy).await;
            let (changed, unseen) = watch.end().await;
            changes.extend(changed);
            self.note_call(&agent, &order, &report);
            drop(reserved);
            let failure = match report.outcome.answer.clone() {
                Ok(text) => return Ok(self.answer(&text, report, changes, unseen)),
                Err(failure) => failure,
            };
            match (failure.kind, policy) {
                (FailureKind::Interrupted, _) => return Err(LaunchError::Interrupted),
                (FailureKind::RateLimit { retry_after }, RateLimit::Wait) => {
                    self.wait(retry_after.unwrap_or(PATIENCE)).await?;
                }
                (FailureKind::RateLimit { retry_after }, RateLimit::Ask) => {
                    return Err(LaunchError::Paused(Box::new(rate_limit_pause(&agent, &order, retry_after))));
                }
                _ => return Err(self.failed(&agent, &order, &report, changes)),
            }
        }
    }

    /// Nothing to start, nothing to pay, nothing it could change.
    async fn seated_embedded(&self, order: &LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        let mut reads: BTreeMap<String, String> =
            order.reads.iter().map(|read| (read.name.clone(), read.text.clone())).collect();
        // It answers from the survey, whatever else its seat reads.
        for name in [REQUEST, SURVEY] {
            if !reads.contains_key(name)
                && let Ok(bytes) = fs_err::read(self.ledgers().join(name))
            {
                reads.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        let report = self.embedded(&order.seat, reads).await;
        let record = CallRecord {
            run: order.run.clone(),
            phase: order.phase.clone(),
            step: order.step.clone(),
            ..self.record(EMBEDDED, EMBEDDED, &order.seat, &report)
        };
        self.put_on_ledger(self.ledgers(), &record);
        match report.outcome.answer {
            Ok(text) => Ok(AgentAnswer { text, ..AgentAnswer::default() }),
            Err(failure) => Err(LaunchError::failed(failure.message)),
        }
    }

    /// The agent of that name, if it can be seated at all.
    async fn fit_agent(&self, name: &str) -> Result<Agent, LaunchError> {
        let agent = self.roster().get(name).cloned();
        let agent = agent.ok_or_else(|| LaunchError::failed("no such agent is configured"))?;
        if let Some(reason) = self.health().reason(name) {
            return Err(LaunchError::failed(format!("not asked, because it failed before: {reason}")));
        }
        if !agent.is_installed(self.surroundings()) {
            return Err(LaunchError::failed(agent.what_is_missing()));
        }
        if self.rules().probes {
            let probe = self.probe(&agent).await;
            if self.cancel().is_requested() {
                return Err(LaunchError::Interrupted);
            }
            if let Err(reason) = probe.works {
                return Err(LaunchError::failed(format!(
                    "installed but not responding (health check failed: {reason})"
                )));
            }
        }
        Ok(agent)
    }

    /// The agent with the model and effort of the preset, if the user wants that and has set none.
    fn with_tier(&self, mut agent: Agent, seat: &str) -> Agent {
        let tier = self.seats().seat(seat).and_then(|seat| seed_tier(seat, &agent.name));
        if let Some(tier) = tier.filter(|_| self.rules().seed_tiers && agent.model.is_none()) {
            agent.model = Some(tier.model.to_owned());
            agent.effort = agent.effort.or_else(|| tier.effort.map(str::to_owned));
        }
        agent
    }

    async fn run(&self, agent: &Agent, order: &LaunchOrder, policy: RateLimit) -> Report {
        let lane = self.lane(&order.lane);
        if let Err(error) = fs_err::create_dir_all(&lane) {
            let problem = format!("its scratch folder cannot be made: {error}");
            return Report::of(Outcome::failed(FailureKind::Start, problem));
        }
        let prompt = informed(&order.prompt, &self.surroundings().folder);
        let kept = [lane.join("stdout"), lane.join("stderr")];
        self.call(Call {
            agent,
            prompt: &prompt,
            seat: &order.seat,
            writing: order.may_touch != Touch::Nothing,
            session: None,
            total: self.rules().time_for(self.seats().seat(&order.seat)),
            ends_on_rate_limit: policy != RateLimit::Wait,
            lane: &lane,
            token: (&order.run, &order.lane),
            kept: (&kept[0], &kept[1]),
        })
        .await
    }

    fn answer(
        &self,
        text: &str,
        report: Report,
        changes: Vec<Change>,
        unseen: Option<String>,
    ) -> AgentAnswer {
        let mut notes = report.outcome.notes;
        notes.extend(report.outcome.denied.iter().map(|denied| format!("was refused {denied}")));
        if report.left_behind > 0 {
            notes.push(format!("left {} processes behind; they were ended", report.left_behind));
        }
        notes.extend(unseen);
        let text = self.redactor().text(text).into_owned();
        AgentAnswer { text, usage: report.outcome.usage, changes, notes }
    }

    fn failed(
        &self,
        agent: &Agent,
        order: &LaunchOrder,
        report: &Report,
        changes: Vec<Change>,
    ) -> LaunchError {
        let why = match &report.outcome.answer {
            Ok(_) => String::new(),
            Err(failure) => self.redactor().text(&failure.message).into_owned(),
        };
        if let Some(seat) = self.seats().seat(&order.seat) {
            self.health().failed_in(seat, &agent.name, &why);
        }
        let evidence = evidence(report);
        LaunchError::Failed(Box::new(FailedLaunch { why, evidence, changes }))
    }

    async fn wait(&self, time: Duration) -> Result<(), LaunchError> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            () = self.cancel().requested(Urgency::Soon) => Err(LaunchError::Interrupted),
        }
    }

    fn note_call(&self, agent: &Agent, order: &LaunchOrder, report: &Report) {
        let record = CallRecord {
            run: order.run.clone(),
            phase: order.phase.clone(),
            step: order.step.clone(),
            ..self.record_of(agent, &order.seat, report)
        };
        self.put_on_ledger(self.ledgers(), &record);
    }
}

fn rate_limit_pause(agent: &Agent, order: &LaunchOrder, retry_after: Option<Duration>) -> Pause {
    let long = retry_after.map_or_else(String::new, |wait| format!(" for {} seconds", wait.as_secs()));
    Pause {
        about: "rate-limit".to_owned(),
        which: format!("{}-{}", order.step, agent.name),
        subject: agent.name.clone(),
        question: format!(
            "{}'s vendor says to wait{long}. wait does so and asks it again; fallback asks the next agent for {}.",
            agent.name, order.step
        ),
        choices: vec!["wait".to_owned(), "fallback".to_owned()],
    }
}

/// The end of what an agent said and complained, for whoever wants to know what happened.
fn evidence(report: &Report) -> Option<String> {
    let tail = |text: &str| {
        let start = text.len().saturating_sub(EVIDENCE);
        let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text[start..].to_owned()
    };
    let (said, complained) = (tail(&report.said), tail(&report.complained));
    match (said.trim().is_empty(), complained.trim().is_empty()) {
        (true, true) => None,
        (false, true) => Some(said),
        (true, false) => Some(complained),
        (false, false) => Some(format!("{said}\n--- standard error ---\n{complained}")),
    }
}
