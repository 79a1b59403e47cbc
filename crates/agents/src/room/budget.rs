//! What runs may cost: before an agent is launched, whether that would exceed a limit.
//!
//! What a call will cost is not known before; the median of past calls of the same seat is taken for it. Calls
//! that are under way count with their forecast, so that four at a time do not each take the last dollar.

use super::rules::Budget;
use charrette_engine::Pause;
use charrette_engine::ports::{LaunchError, LaunchOrder};
use charrette_model::ledger::{CallRecord, forecast};
use charrette_model::stamp::Now;
use charrette_store::ledger::{calls, calls_of_day, runs};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The limits, and what is set aside for calls under way.
#[derive(Debug)]
pub(super) struct Purse {
    limits: Budget,
    reserved: Arc<Mutex<Vec<(u64, Amount)>>>,
    past: OnceLock<Vec<CallRecord>>,
}

/// What a call is expected to cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Amount {
    usd: f64,
    tokens: u64,
}

/// Money set aside for a call, until it is over.
#[derive(Debug)]
pub(super) struct Reservation {
    number: u64,
    reserved: Arc<Mutex<Vec<(u64, Amount)>>>,
}

/// One limit, and how far it is used up.
struct Limit {
    name: &'static str,
    /// What a decision about it holds for.
    subject: String,
    most: f64,
    used: f64,
    expected: f64,
    is_money: bool,
}

impl Purse {
    pub(super) fn new(limits: Budget) -> Purse {
        Purse { limits, reserved: Arc::default(), past: OnceLock::new() }
    }

    /// Sets aside what a call will cost, or pauses because it would exceed a limit.
    pub(super) fn reserve(
        &self,
        order: &LaunchOrder,
        ledgers: &Path,
        days: &Path,
        now: Now,
    ) -> Result<Reservation, LaunchError> {
        let mut amount = Amount::default();
        if self.limits != Budget::default() {
            // A ledger that cannot be read says nothing; it is not worth a run.
            let of_run = calls(ledgers).unwrap_or_default();
            let of_day = match self.limits.day_usd {
                Some(_) => calls_of_day(days, today(now)).unwrap_or_default(),
                None => Vec::new(),
            };
            amount = expected(&order.seat, &of_run, self.past(order, ledgers));
            let under_way = self.under_way();
            for limit in self.used(order, (&of_run, &of_day), (amount, under_way), now) {
                let pause = limit.pause(order);
                let is_allowed = order.granted.iter().any(|grant| grant.gate == pause.gate_name());
                if limit.is_exceeded() && !is_allowed {
                    return Err(LaunchError::Paused(Box::new(pause)));
                }
            }
        }
        let mut reserved = lock(&self.reserved);
        let number = reserved.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        reserved.push((number, amount));
        Ok(Reservation { number, reserved: self.reserved.clone() })
    }

    /// Calls of earlier runs in this repository, read once.
    fn past(&self, order: &LaunchOrder, ledgers: &Path) -> &[CallRecord] {
        self.past.get_or_init(|| {
            let all = ledgers.parent().and_then(|folder| runs(folder).ok()).unwrap_or_default();
            let others = all.into_iter().flat_map(|(_, calls)| calls).filter(|call| call.run != order.run);
            others.collect()
        })
    }

    fn under_way(&self) -> Amount {
        lock(&self.reserved).iter().fold(Amount::default(), |sum, (_, amount)| Amount {
            usd: sum.usd + amount.usd,
            tokens: sum.tokens + amount.tokens,
        })
    }

    fn used(
        &self,
        order: &LaunchOrder,
        (of_run, of_day): (&[CallRecord], &[CallRecord]),
        (amount, under_way): (Amount, Amount),
        now: Now,
    ) -> Vec<Limit> {
        let usd =
            |calls: &mut dyn Iterator<Item = &CallRecord>| calls.filter_map(|call| call.usd).sum::<f64>();
        let expected = under_way.usd + amount.usd;
        let money = |name, subject: String, most: Option<f64>, used: f64| {
            most.map(|most| Limit {
                name,
                subject: format!("{subject} {most}"),
                most,
                used,
                expected,
                is_money: true,
            })
        };
        let in_phase = &mut of_run.iter().filter(|call| call.phase == order.phase);
        let tokens: u64 = of_run.iter().map(|call| call.input.unwrap_or(0) + call.output.unwrap_or(0)).sum();
        #[expect(clippy::cast_precision_loss, reason = "a budget needs no more digits than that")]
        let by_tokens = self.limits.run_tokens.map(|most| Limit {
            name: "run_tokens",
            subject: format!("run {most}"),
            most: most as f64,
            used: tokens as f64,
            expected: (under_way.tokens + amount.tokens) as f64,
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
        self.used >= self.most || self.used + self.expected > self.most
    }

    fn pause(&self, order: &LaunchOrder) -> Pause {
        let shown =
            |amount: f64| if self.is_money { format!("${amount:.2}") } else { format!("{amount:.0} tokens") };
        let Limit { name, subject, most, used, expected, .. } = self;
        let which = subject.split_once(' ').map_or(subject.as_str(), |(which, _)| which);
        let question = format!(
            "{} of at most {} (budget.{name}) are used up, and {} by {} is expected to bring it to {}.\n\
             proceed takes this limit away for the rest of this run; to raise it instead, set budget.{name} in charrette.toml and resume.",
            shown(*used),
            shown(*most),
            order.step,
            order.agent,
            shown(used + expected),
        );
        Pause {
            about: "budget".to_owned(),
            which: format!("{name}-{which}"),
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

/// The day that a moment belongs to, as everywhere in documents: in UTC.
pub(super) fn today(now: Now) -> jiff::civil::Date {
    now.at().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// What a seat has cost in this run, or else in earlier ones.
fn expected(seat: &str, of_run: &[CallRecord], past: &[CallRecord]) -> Amount {
    let usage = forecast(seat, of_run).or_else(|| forecast(seat, past));
    usage.map_or_else(Amount::default, |usage| Amount {
        usd: usage.usd.unwrap_or(0.0),
        tokens: usage.input + usage.output,
    })
}

fn lock(reserved: &Mutex<Vec<(u64, Amount)>>) -> MutexGuard<'_, Vec<(u64, Amount)>> {
    reserved.lock().unwrap_or_else(PoisonError::into_inner)
}
