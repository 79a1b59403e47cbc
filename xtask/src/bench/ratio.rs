//! A figure: what was measured, against what, and how much it may be.

use crate::Outcome;
use std::fmt;
use std::time::{Duration, Instant};

/// One comparison.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) subject: f64,
    pub(crate) yardstick: f64,
    pub(crate) unit: &'static str,
    /// Maximum ratio of subject to yardstick.
    pub(crate) limit: f64,
}

impl Figure {
    fn ratio(&self) -> f64 {
        self.subject / self.yardstick
    }

    pub(crate) fn is_within(&self) -> bool {
        self.ratio() <= self.limit
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figure { name, subject, yardstick, unit, limit } = self;
        let verdict = if self.is_within() { "ok" } else { "OVER" };
        let ratio = self.ratio();
        write!(
            f,
            "{name:<42} {subject:>9.3} {unit} / {yardstick:>9.3} {unit} = {ratio:>6.2}  (limit {limit}) {verdict}"
        )
    }
}

/// Runs both in turn and compares their medians, in milliseconds.
pub(crate) fn compare(
    name: &'static str,
    limit: f64,
    rounds: usize,
    subject: impl FnMut() -> Outcome,
    yardstick: impl FnMut() -> Outcome,
) -> Outcome<Figure> {
    compare_from(name, limit, rounds, || Ok(()), subject, yardstick)
}

/// The same, with something to set up before each of them that takes no part in the time.
pub(crate) fn compare_from(
    name: &'static str,
    limit: f64,
    rounds: usize,
    mut set_up: impl FnMut() -> Outcome,
    mut subject: impl FnMut() -> Outcome,
    mut yardstick: impl FnMut() -> Outcome,
) -> Outcome<Figure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds + 2 {
        set_up()?;
        let our_time = timed(&mut subject)?;
        set_up()?;
        let their_time = timed(&mut yardstick)?;
        // The first rounds warm caches on both sides.
        if round >= 2 {
            ours.push(our_time);
            theirs.push(their_time);
        }
    }
    Ok(Figure { name, subject: median(ours), yardstick: median(theirs), unit: "ms", limit })
}

fn timed(run: &mut impl FnMut() -> Outcome) -> Outcome<Duration> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
