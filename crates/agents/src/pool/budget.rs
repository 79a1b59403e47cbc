//! Budget check before an agent is launched.
//!
//! The cost of a call is forecast as the median of past calls of the same seat. Running calls count with their
//! forecast, so that parallel calls cannot exceed a limit together.

use super::policy::Budget;
use charrette_engine::Pause;
use charrette_engine::ports::{LaunchError, LaunchOrder};
use charrette_model::ledger::{CallRecord, forecast};
use charrette_model::stamp::Now;
use charrette_store::ledger::{calls, calls_of_day, runs};
use std::ops::Add;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Limits, and reservations of running calls.
#[derive(Debug)]
pub(super) struct BudgetTracker {
    limits: Budget,
    reserved: Arc<Mutex<Vec<(u64, Cost)>>>,
    past: OnceLock<Vec<CallRecord>>,
}

/// Expected cost of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cost {
    usd: f64,
    tokens: u64,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost { usd: self.usd + other.usd, tokens: self.tokens + other.tokens }
    }
}

/// Calls so far, and the expected cost of the running ones and the next one.
struct Spending<'a> {
    of_run: &'a [CallRecord],
    of_day: &'a [CallRecord],
    expected: Cost,
}

/// Reserved cost of a running call.
#[derive(Debug)]
pub(super) struct Reservation {
    number: u64,
    reserved: Arc<Mutex<Vec<(u64, Cost)>>>,
}

/// A limit, and its use.
struct Limit {
    name: &'static str,
    /// Scope of a decision about it.
    subject: String,
    max: f64,
    used: f64,
    expected: f64,
    is_money: bool,
}

impl BudgetTracker {
    pub(super) fn new(limits: Budget) -> BudgetTracker {
        BudgetTracker { limits, reserved: Arc::default(), past: OnceLock::new() }
    }

    /// Reserves the expected cost of a call, or pauses because it would exceed a limit.
    pub(super) fn reserve(
        &self,
        order: &LaunchOrder,
        ledgers: &Path,
        days: &Path,
        now: Now,
    ) -> Result<Reservation, LaunchError> {
        let mut cost = Cost::default();
        if self.limits != Budget::default() {
            // A ledger that cannot be read counts as empty: it must not stop a run.
            let of_run = calls(ledgers).unwrap_or_default();
            let of_day = match self.limits.day_usd {
                Some(_) => calls_of_day(days, today(now)).unwrap_or_default(),
                None => Vec::new(),
            };
            cost = expected_cost(&order.seat, &of_run, self.past_calls(order, ledgers));
            let spending =
                Spending { of_run: &of_run, of_day: &of_day, expected: self.reserved_cost() + cost };
            for limit in self.used_limits(order, &spending, now) {
                let pause = limit.pause(order);
                let is_allowed = order.decisions.iter().any(|grant| grant.gate == pause.gate_name());
                if limit.is_exceeded() && !is_allowed {
                    return Err(LaunchError::Paused(Box::new(pause)));
                }
            }
        }
        let mut reserved = lock(&self.reserved);
        let number = reserved.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        reserved.push((number, cost));
        Ok(Reservation { number, reserved: self.reserved.clone() })
    }

    /// Calls of earlier runs in this repository, read once.
    fn past_calls(&self, order: &LaunchOrder, ledgers: &Path) -> &[CallRecord] {
        self.past.get_or_init(|| {
            let all = ledgers.parent().and_then(|folder| runs(folder).ok()).unwrap_or_default();
            let others = all.into_iter().flat_map(|(_, calls)| calls).filter(|call| call.run != order.run);
            others.collect()
        })
    }

    /// Sum of the reservations.
    fn reserved_cost(&self) -> Cost {
        lock(&self.reserved).iter().fold(Cost::default(), |sum, (_, cost)| sum + *cost)
    }

    /// The configured limits, with their use.
    fn used_limits(&self, order: &LaunchOrder, spending: &Spending<'_>, now: Now) -> Vec<Limit> {
        let Spending { of_run, of_day, expected } = *spending;
        let usd =
            |calls: &mut dyn Iterator<Item = &CallRecord>| calls.filter_map(|call| call.usd).sum::<f64>();
        let money = |name, subject: String, max: Option<f64>, used: f64| {
            max.map(|max| Limit {
                name,
                subject: format!("{subject} {max}"),
                max,
                used,
                expected: expected.usd,
                is_money: true,
            })
        };
        let in_phase = &mut of_run.iter().filter(|call| call.phase == order.phase);
        let tokens: u64 = of_run.iter().map(|call| call.input.unwrap_or(0) + call.output.unwrap_or(0)).sum();
        #[expect(clippy::cast_precision_loss, reason = "a budget needs no more digits than that")]
        let by_tokens = self.limits.run_tokens.map(|max| Limit {
            name: "run_tokens",
            subject: format!("run {max}"),
            max: max as f64,
            used: tokens as f64,
            expected: expected.tokens as f64,
            is_money: false,
        });
        let day = today(now).to_string();
        [
            money("run_usd", "run".to_owned(), self.limits.run_usd, usd(&mut of_run.iter())),
            money("phase_usd", order.phase.clone(), self.limits.phase_usd, usd(in_phase)),
            money("day_usd", day, self.limits.day_usd, usd(&mut of_day.iter())),
            by_tokens,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Limit {
    fn is_exceeded(&self) -> bool {
        self.used >= self.max || self.used + self.expected > self.max
    }

    fn pause(&self, order: &LaunchOrder) -> Pause {
        let shown =
            |amount: f64| if self.is_money { format!("${amount:.2}") } else { format!("{amount:.0} tokens") };
        let Limit { name, subject, max, used, expected, .. } = self;
        let which = subject.split_once(' ').map_or(subject.as_str(), |(which, _)| which);
        let question = format!(
            "{} of at most {} (budget.{name}) are used up, and {} by {} is expected to bring it to {}.\n\
             proceed takes this limit away for the rest of this run; to raise it instead, set budget.{name} in charrette.toml and resume.",
            shown(*used),
            shown(*max),
            order.step,
            order.agent,
            shown(used + expected),
        );
        Pause {
            kind: "budget".to_owned(),
            instance: format!("{name}-{which}"),
            subject: subject.clone(),
            question,
            choices: vec!["proceed".to_owned()],
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        lock(&self.reserved).retain(|(number, _)| *number != self.number);
    }
}

/// The day in UTC, as in all documents.
pub(super) fn today(now: Now) -> jiff::civil::Date {
    now.at().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Forecast from the calls of a seat in this run, or else in earlier ones.
fn expected_cost(seat: &str, of_run: &[CallRecord], past: &[CallRecord]) -> Cost {
    let usage = forecast(seat, of_run).or_else(|| forecast(seat, past));
    usage.map_or_else(Cost::default, |usage| Cost {
        usd: usage.usd.unwrap_or(0.0),
        tokens: usage.input + usage.output,
    })
}

fn lock(reserved: &Mutex<Vec<(u64, Cost)>>) -> MutexGuard<'_, Vec<(u64, Cost)>> {
    reserved.lock().unwrap_or_else(PoisonError::into_inner)
}
