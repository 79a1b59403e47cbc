//! The embedded agent in the place of agents that failed: a person decides about that once per run, before a seat that
//! leads, or any seat if no other agent is left.
//!
//! There is no question where no agent is installed, where the configured chain names the embedded agent, or where
//! `--embedded` said yes beforehand.

use super::login::is_logged_out;
use super::probe::bare_reason;
use super::state::AgentPool;
use charrette_engine::Pause;
use charrette_engine::pause::PauseDecision;
use charrette_engine::ports::{FailedAgent, LaunchOrder};
use charrette_model::seats::chain::{ChainSource, ExclusionReason};
use charrette_model::seats::{EMBEDDED, Seat, SeatGroup, plan_seating};

impl AgentPool {
    /// The decision that a person must make before the embedded agent takes this seat; `None` if it may.
    pub(super) fn fallback_pause(&self, order: &LaunchOrder) -> Option<Pause> {
        let seat = self.seats().seat(&order.seat)?;
        if self.may_fall_back() || self.names_embedded(seat) {
            return None;
        }
        let mut failed = order.failed.clone();
        failed.extend(self.passed_over(seat).into_iter().filter(|one| !is_among(&order.failed, &one.agent)));
        if failed.is_empty() || (seat.group != Some(SeatGroup::Lead) && self.is_anybody_left(&failed)) {
            return None;
        }
        let rounds = order.decisions.iter().filter(|decision| is_retry(decision)).count();
        let pause = pause(seat, &failed, rounds);
        let answered = order.decisions.iter().any(|decision| decision.gate == pause.gate_name());
        (!answered).then_some(pause)
    }

    /// True if the configuration itself names the embedded agent for this seat.
    fn names_embedded(&self, seat: &Seat) -> bool {
        match ChainSource::for_seat(seat, &self.policy().seats) {
            ChainSource::Default => false,
            ChainSource::Group(names) | ChainSource::Seat(names) => names.iter().any(|name| name == EMBEDDED),
        }
    }

    /// Installed agents that might take the seat and are not asked, because they failed before.
    fn passed_over(&self, seat: &'static Seat) -> Vec<FailedAgent> {
        let placements = plan_seating(self.seats().panel(seat), &self.policy().seats, &self.candidates());
        let chain = placements.into_iter().find(|placement| placement.seat.id == seat.id);
        let excluded = chain.map(|placement| placement.chain.excluded).unwrap_or_default();
        let unhealthy = excluded.into_iter().filter(|(_, why)| *why == ExclusionReason::Unhealthy);
        unhealthy
            .map(|(agent, _)| {
                let reason = self.health().reason(&agent).map_or("not responding", bare_reason).to_owned();
                FailedAgent { agent, reason }
            })
            .collect()
    }

    /// True if an installed agent has not failed yet.
    fn is_anybody_left(&self, failed: &[FailedAgent]) -> bool {
        self.candidates().iter().any(|candidate| {
            candidate.name != EMBEDDED
                && candidate.installed
                && candidate.healthy != Some(false)
                && !is_among(failed, &candidate.name)
        })
    }
}

fn is_among(failed: &[FailedAgent], agent: &str) -> bool {
    failed.iter().any(|one| one.agent == agent)
}

fn is_retry(decision: &PauseDecision) -> bool {
    decision.gate.starts_with(&format!("{}/", Pause::FALLBACK)) && decision.answer == Pause::RETRY
}

/// After each `retry`, the question is a new one. Otherwise the first answer holds for the whole run.
fn pause(seat: &Seat, failed: &[FailedAgent], rounds: usize) -> Pause {
    let instance = if rounds == 0 { EMBEDDED.to_owned() } else { format!("{EMBEDDED}-{}", rounds + 1) };
    let listed: Vec<String> = failed.iter().map(|one| format!("  {}", describe(one))).collect();
    let listed = listed.join("\n");
    let question = format!(
        "No installed agent gave a usable answer for {}:\n{listed}\nretry asks them again. continue lets the embedded \
         agent take the place of agents that fail, for the rest of this run: it drafts from what the repository says, \
         without any model. stop ends here; resume when they work.",
        seat.id
    );
    Pause {
        kind: Pause::FALLBACK.to_owned(),
        instance,
        subject: EMBEDDED.to_owned(),
        question,
        choices: vec![Pause::RETRY.to_owned(), "continue".to_owned()],
    }
}

/// Maximum number of characters of a reason in the question; all of it is in the log.
const MAX_REASON_CHARS: usize = 240;

fn shortened(reason: &str) -> String {
    match reason.char_indices().nth(MAX_REASON_CHARS) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// An agent with the reason of its failure, as a sentence where the reason allows it.
pub(super) fn describe(failed: &FailedAgent) -> String {
    let FailedAgent { agent, reason } = failed;
    let reason = shortened(reason);
    if is_logged_out(&reason) { format!("{agent} is {reason}") } else { format!("{agent}: {reason}") }
}
