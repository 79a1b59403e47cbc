//! A figure: a measurement, its baseline and the limit of their ratio.

use crate::TaskResult;
use std::fmt;
use std::time::{Duration, Instant};

/// A measurement compared with its baseline.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) subject: f64,
    pub(crate) baseline: f64,
    pub(crate) unit: &'static str,
    /// Maximum ratio of subject to baseline.
    pub(crate) limit: f64,
}

impl Figure {
    fn ratio(&self) -> f64 {
        self.subject / self.baseline
    }

    pub(crate) fn is_within_limit(&self) -> bool {
        self.ratio() <= self.limit
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figure { name, subject, baseline, unit, limit } = self;
        let status = if self.is_within_limit() { "ok" } else { "OVER" };
        let ratio = self.ratio();
        write!(
            f,
            "{name:<42} {subject:>9.3} {unit} / {baseline:>9.3} {unit} = {ratio:>6.2}  (limit {limit}) {status}"
        )
    }
}

/// Runs subject and baseline alternately and compares their median times, in milliseconds.
pub(crate) fn compare(
    name: &'static str,
    limit: f64,
    rounds: usize,
    subject: impl FnMut() -> TaskResult,
    baseline: impl FnMut() -> TaskResult,
) -> TaskResult<Figure> {
    compare_with_setup(name, limit, rounds, || Ok(()), subject, baseline)
}

/// Like [`compare`], with a setup before each run that is not timed.
pub(crate) fn compare_with_setup(
    name: &'static str,
    limit: f64,
    rounds: usize,
    mut set_up: impl FnMut() -> TaskResult,
    mut subject: impl FnMut() -> TaskResult,
    mut baseline: impl FnMut() -> TaskResult,
) -> TaskResult<Figure> {
    let (mut subject_times, mut baseline_times) = (Vec::new(), Vec::new());
    for round in 0..rounds + 2 {
        set_up()?;
        let subject_time = time(&mut subject)?;
        set_up()?;
        let baseline_time = time(&mut baseline)?;
        // The first rounds warm caches on both sides.
        if round >= 2 {
            subject_times.push(subject_time);
            baseline_times.push(baseline_time);
        }
    }
    Ok(Figure { name, subject: median(subject_times), baseline: median(baseline_times), unit: "ms", limit })
}

fn time(run: &mut impl FnMut() -> TaskResult) -> TaskResult<Duration> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
