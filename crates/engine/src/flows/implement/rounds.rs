//! Rounds of an attempt: an agent works, the change is judged, verified, proven and reviewed. What speaks against it goes
//! back to the agent; two rounds, then another agent, then a person.

use super::attempt::{Attempt, Cause, Workplace};
use super::change::{ChangeRecord, capture_change};
use super::proofs::{ChecksRecord, run_checks};
use super::review::{ReviewRecord, review_change};
use super::state::{AcceptedWork, ParkedTask, RoundRecord};
use super::work::step_error;
use crate::agent::AgentSession;
use crate::agent_step::AgentOutcome;
use crate::artifact::{Artifact, Input};
use crate::panel::seat_call;
use crate::ports::worktrees::ObjectId;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::implement::rounds::{
    GiveUpReason, NextMove, Round, RoundHistory, RoundLimits, RoundOutcome, normalise_failure,
};
use charrette_model::panel::implementation::{ImplementationAnswer, read_implementation};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Maximum number of recorded characters of a failure.
const MAX_FAILURE_CHARS: usize = 2000;

/// What an attempt remembers from round to round.
pub(super) struct Memory {
    /// Content of the worktree when the next round begins.
    content: ObjectId,
    /// File with what speaks against the last round.
    evidence: Option<String>,
    session: Option<AgentSession>,
    /// Agents that had their rounds.
    excluded: Vec<String>,
    history: RoundHistory,
    takeable: Option<AcceptedWork>,
    folder: String,
    base: ObjectId,
}

/// A round that was played.
pub(super) struct PlayedRound {
    pub(super) record: RoundRecord,
    session: Option<AgentSession>,
    judgement: Judgement,
    change: Option<ChangeRecord>,
    accepted: Option<AcceptedWork>,
}

/// What follows from a round.
pub(super) enum RoundEnd {
    Accepted(Box<AcceptedWork>),
    Parked(Box<ParkedTask>),
    Again,
}

/// Judgement of a round. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Judgement {
    outcome: RoundOutcome,
    /// Why it does not pass, one line each.
    reasons: Vec<String>,
    /// Summary of the implementer.
    summary: String,
    /// What the implementer says was not done.
    #[serde(default)]
    not_done: Vec<String>,
    /// File with the evidence.
    evidence: Option<String>,
    /// What failed, without what changes from run to run.
    failure: String,
}

impl Memory {
    pub(super) fn new(attempt: &Attempt<'_>, place: &Workplace) -> Memory {
        let (content, evidence) = match &attempt.cause {
            Cause::Retry { content, evidence, .. } => (content.clone(), evidence.clone()),
            Cause::Reopened { content, evidence, .. } => (content.clone(), Some(evidence.clone())),
            Cause::First | Cause::Hand { .. } => (place.base.clone(), None),
        };
        Memory {
            content,
            evidence,
            session: None,
            excluded: Vec::new(),
            history: RoundHistory::default(),
            takeable: None,
            folder: place.folder.clone(),
            base: place.base.clone(),
        }
    }

    /// Number of the next round, from 1.
    fn round(&self) -> usize {
        self.history.rounds.len() + 1
    }

    /// Decides what follows from a round.
    pub(super) async fn next(&mut self, attempt: &Attempt<'_>, played: PlayedRound) -> FlowResult<RoundEnd> {
        let PlayedRound { record, session, judgement, change, accepted } = played;
        if let (RoundOutcome::Passed, Some(accepted)) = (judgement.outcome, accepted.clone()) {
            return Ok(RoundEnd::Accepted(Box::new(accepted)));
        }
        let tree = change.as_ref().map(|change| change.tree.clone()).unwrap_or_default();
        if let Some(change) = &change {
            self.content.clone_from(&change.tree);
            self.takeable = accepted.filter(|_| !change.is_refused() && !change.files.is_empty());
        }
        self.evidence.clone_from(&judgement.evidence);
        self.session = session;
        self.history.rounds.push(Round {
            agent: record.agent.clone().unwrap_or_default(),
            tree,
            outcome: judgement.outcome,
            evidence: judgement.failure.clone(),
        });
        if attempt.is_by_hand() {
            return Ok(self.park(judgement, None));
        }
        let limits = RoundLimits { repairs: attempt.work.settings.rounds, ..RoundLimits::default() };
        // Asked only where it decides, because the answer is recorded.
        let agents_left = match (self.history.next_move(limits, true), &record.agent) {
            (NextMove::NextAgent(_), Some(agent)) => has_successor(attempt, agent).await?,
            _ => false,
        };
        match self.history.next_move(limits, agents_left) {
            NextMove::NextAgent(_) => {
                self.excluded.extend(record.agent);
                self.session = None;
                Ok(RoundEnd::Again)
            }
            NextMove::Begin | NextMove::Accept | NextMove::Repair(_) if record.agent.is_some() => {
                Ok(RoundEnd::Again)
            }
            NextMove::AskPerson(reason) => Ok(self.park(judgement, Some(reason))),
            _ => Ok(self.park(judgement, None)),
        }
    }

    fn park(&mut self, judgement: Judgement, why: Option<GiveUpReason>) -> RoundEnd {
        let mut reasons = judgement.reasons;
        reasons.extend(why.map(|why| why.to_string()));
        RoundEnd::Parked(Box::new(ParkedTask {
            reasons,
            takeable: self.takeable.take(),
            folder: self.folder.clone(),
            evidence: self.evidence.clone(),
            base: self.base.clone(),
            content: self.content.clone(),
            is_by_hand: false,
        }))
    }
}

/// True if the chain has an agent besides this one. Recorded, because it decides what follows.
async fn has_successor(attempt: &Attempt<'_>, agent: &str) -> FlowResult<bool> {
    let others = attempt.phase.chain(attempt.seat()).into_iter().filter(|other| other != agent).count();
    let step =
        Step::new(attempt.id("successor")).reads(&attempt.inputs()).reads(&Input::given("agent", &agent));
    attempt.phase.step(step, move |_| async move { Ok(others > 0) }).await
}

/// Plays one round.
pub(super) async fn play_round(
    attempt: &Attempt<'_>,
    place: &Workplace,
    memory: &Memory,
) -> FlowResult<PlayedRound> {
    let round = memory.round();
    let outcome = if attempt.is_by_hand() {
        AgentOutcome::default()
    } else {
        call_implementer(attempt, place, memory).await?
    };
    let answered = attempt.is_by_hand() || outcome.agent.is_some();
    let change = if answered { Some(capture_change(attempt, place, round, &outcome).await?) } else { None };
    let sound = change.as_ref().filter(|change| change.problems(attempt).is_empty());
    let checks = match sound {
        Some(change) => Some(run_checks(attempt, place, round, change).await?),
        None => None,
    };
    let proven = sound.zip(checks.as_ref()).filter(|(_, checks)| checks.problems(attempt.work).is_empty());
    let review = match proven {
        Some((change, checks)) if !attempt.work.flags.no_review && !attempt.is_by_hand() => {
            Some(review_change(attempt, place, round, change, checks, &outcome).await?)
        }
        _ => None,
    };
    let parts = RoundParts {
        outcome: &outcome,
        change: change.as_ref(),
        checks: checks.as_ref(),
        review: review.as_ref(),
    };
    let judgement = judge_round(attempt, round, &parts).await?;
    let record = RoundRecord {
        attempt: attempt.number,
        round,
        agent: outcome.agent.clone(),
        reviewer: review.as_ref().and_then(|review| review.agent.clone()),
        verdict: review.as_ref().and_then(|review| review.verdict.clone()),
        checks: checks.as_ref().map(|checks| checks.results.clone()).unwrap_or_default(),
        proof: checks.as_ref().map(|checks| checks.proof.describe()).unwrap_or_default(),
        verdict_of_proof: checks.as_ref().map(|checks| checks.proof.verdict),
        passed: judgement.outcome == RoundOutcome::Passed,
        reasons: judgement.reasons.clone(),
        remarks: remarks_of(change.as_ref(), review.as_ref()),
        not_done: judgement.not_done.clone(),
        out_of_scope: review.as_ref().map(|review| review.out_of_scope.clone()).unwrap_or_default(),
    };
    let accepted = change.as_ref().map(|change| AcceptedWork {
        base: place.base.clone(),
        tree: change.tree.clone(),
        files: change.files.clone(),
        summary: judgement.summary.clone(),
        agent: outcome.agent.clone(),
        notes: review.as_ref().map(|review| review.notes.clone()).unwrap_or_default(),
        is_taken: false,
    });
    Ok(PlayedRound { record, session: outcome.session, judgement, change, accepted })
}

/// What a program and the reviewer found and does not block.
fn remarks_of(change: Option<&ChangeRecord>, review: Option<&ReviewRecord>) -> Vec<String> {
    let mut remarks = change.map(ChangeRecord::remarks).unwrap_or_default();
    remarks.extend(
        review.filter(|review| review.problems.is_empty()).iter().flat_map(|review| review.notes.clone()),
    );
    remarks
}

/// Has an agent work in the worktree. Before it is launched, the worktree gets the content that the round begins with, so
/// that a killed attempt leaves nothing behind.
async fn call_implementer(
    attempt: &Attempt<'_>,
    place: &Workplace,
    memory: &Memory,
) -> FlowResult<AgentOutcome> {
    let file = impl_file(attempt, memory.round());
    let (work, order) = (attempt.work.clone(), attempt.worktree_order(&memory.content));
    let folder: Arc<Path> = Path::new(&place.folder).into();
    let untouched = place.is_untouched.clone();
    let note = match (&memory.evidence, &attempt.cause) {
        (Some(_), Cause::Reopened { .. }) => {
            "Your work did not fit with what others integrated meanwhile; the evidence says where."
        }
        (Some(_), _) => "This is a further round: the evidence says what speaks against the last one.",
        (None, _) => "",
    };
    let mut call = seat_call(&work.panel, attempt.seat(), note)?
        .step_id(attempt.id(&format!("implement-{}", memory.round())))
        .reads(&attempt.inputs())
        .shows(&place.brief.name, &place.brief.text)
        .reads(&Input::given("content", &memory.content))
        .in_worktree(folder)
        .continues(memory.session.clone())
        .name_files(move |_, _| file.clone())
        .may_fail()
        .prepare_with(move || {
            let (work, order) = (work.clone(), order.clone());
            let is_untouched = untouched.swap(false, Ordering::SeqCst);
            Box::pin(async move {
                if is_untouched {
                    return Ok(());
                }
                let worktree = work.worktrees.prepare(order.clone()).await.map_err(step_error);
                let ready = match worktree {
                    Ok(worktree) if worktree.is_new => {
                        super::checks::set_up(&work, &order.name, &worktree).await
                    }
                    Ok(_) => Ok(()),
                    Err(error) => Err(error),
                };
                ready.map_err(|error| format!("its worktree cannot be prepared: {error}"))
            })
        });
    if let Some(evidence) = &memory.evidence {
        call = call.reads(&Artifact::named(evidence));
    }
    if let Cause::Retry { hint, .. } = &attempt.cause
        && !hint.trim().is_empty()
    {
        call = call.reads(&write_hint(attempt, hint).await?);
    }
    if !memory.excluded.is_empty() {
        let others = attempt.phase.chain(attempt.seat());
        call = call.chain(others.into_iter().filter(|agent| !memory.excluded.contains(agent)));
    }
    attempt.phase.agent_outcome(call).await
}

/// Writes the hint of the person, as a file that binds.
async fn write_hint(attempt: &Attempt<'_>, hint: &str) -> FlowResult<Artifact> {
    let text = format!("# Hint of the person\n\n{}\n", hint.trim());
    let step = Step::new(attempt.id("hint")).reads(&Input::given("hint", &text));
    let file = Artifact::named(attempt.file("hint.md"));
    attempt.phase.make(file, step, |_| async move { Ok(text) }).await
}

/// File of an implementer's answer.
fn impl_file(attempt: &Attempt<'_>, round: usize) -> String {
    match round {
        1 => format!("impl-{}.md", attempt.name()),
        round => format!("impl-{}.{round}.md", attempt.name()),
    }
}

/// Parts of a round that its judgement rests on.
struct RoundParts<'a> {
    outcome: &'a AgentOutcome,
    change: Option<&'a ChangeRecord>,
    checks: Option<&'a ChecksRecord>,
    review: Option<&'a ReviewRecord>,
}

impl RoundParts<'_> {
    fn outcome_of_round(&self, attempt: &Attempt<'_>) -> RoundOutcome {
        let Some(change) = self.change else { return RoundOutcome::NoAnswer };
        if change.files.is_empty() && !attempt.is_by_hand() && !change.is_redone {
            return RoundOutcome::Unchanged;
        }
        if !change.problems(attempt).is_empty() {
            return RoundOutcome::Refused;
        }
        if self.checks.is_none_or(|checks| !checks.problems(attempt.work).is_empty()) {
            return RoundOutcome::Red;
        }
        match self.review {
            Some(review) if !review.problems.is_empty() => RoundOutcome::Rejected,
            _ => RoundOutcome::Passed,
        }
    }
}

/// Judges a round, and writes what speaks against it.
async fn judge_round(attempt: &Attempt<'_>, round: usize, parts: &RoundParts<'_>) -> FlowResult<Judgement> {
    let mut reasons: Vec<String> = Vec::new();
    if parts.change.is_none() {
        let why = parts.outcome.problem.clone().unwrap_or_default();
        reasons.push(format!("no agent answered: {why}"));
    }
    reasons.extend(parts.change.map(|change| change.problems(attempt)).unwrap_or_default());
    reasons.extend(parts.checks.map(|checks| checks.problems(attempt.work)).unwrap_or_default());
    reasons.extend(parts.review.map(|review| review.problems.clone()).unwrap_or_default());
    let outcome = parts.outcome_of_round(attempt);
    let answer = parts.outcome.artifacts.0.first().map(|file| file.name().to_owned());
    let files: Vec<String> = [
        parts
            .checks
            .filter(|checks| !checks.problems(attempt.work).is_empty())
            .map(|checks| checks.file.clone()),
        parts.review.filter(|review| !review.problems.is_empty()).and_then(|review| review.file.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut step = Step::new(attempt.id(&format!("round-{round}"))).reads(&Input::given("reasons", &reasons));
    for file in answer.iter().chain(&files) {
        step = step.reads(&Artifact::named(file));
    }
    let evidence = attempt.file(&format!("evidence-{round}.md"));
    let findings: Vec<String> = parts.change.map(ChangeRecord::remarks).unwrap_or_default();
    attempt
        .phase
        .step(step, move |context| async move {
            let said = match &answer {
                Some(answer) => read_implementation(&context.text(answer)?, usize::MAX).0,
                None => ImplementationAnswer::default(),
            };
            let (summary, not_done) = (said.context_summary.trim().to_owned(), said.not_done);
            if reasons.is_empty() {
                return Ok(Judgement { outcome, summary, not_done, ..Judgement::default() });
            }
            let page = render_evidence(&context, &reasons, &findings, &files)?;
            let failure = normalise_failure(&page).chars().take(MAX_FAILURE_CHARS).collect();
            context.write(&evidence, page)?;
            Ok(Judgement { outcome, reasons, summary, not_done, evidence: Some(evidence), failure })
        })
        .await
}

/// Page of what speaks against a round.
fn render_evidence(
    context: &StepContext,
    reasons: &[String],
    findings: &[String],
    files: &[String],
) -> Result<String, StepError> {
    let mut page = "# What speaks against the last round\n\n".to_owned();
    // Writing to a string cannot fail.
    for reason in reasons {
        let _ = writeln!(page, "- {reason}");
    }
    for finding in findings.iter().filter(|finding| !reasons.contains(finding)) {
        let _ = writeln!(page, "- {finding}");
    }
    for file in files {
        let text = context.text(file)?;
        let _ = write!(page, "\n{text}");
    }
    Ok(page)
}
