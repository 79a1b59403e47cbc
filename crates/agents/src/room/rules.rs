//! What the configuration says about agents at work.

use crate::supervisor::Clocks;
use charrette_model::config::Settings;
use charrette_model::seats::chain::Configured;
use charrette_model::seats::configured::chains;
use charrette_model::seats::tiers::SEED_TIERS;
use charrette_model::seats::{ClockFamily, Seat};
use charrette_model::tree::Own;
use serde_json::Value;
use std::time::Duration;

/// What agents are held to.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    first_byte: Duration,
    idle: Duration,
    grace: Duration,
    sketch: Duration,
    review: Duration,
    /// How long an agent may take to say whether it works.
    pub probe_time: Duration,
    /// Whether agents are asked whether they work before they are seated.
    pub probes: bool,
    /// Whether models and efforts that nobody set are taken from the preset.
    pub seed_tiers: bool,
    /// How many bytes of what an agent prints are kept.
    pub output_bytes: u64,
    /// What runs may cost.
    pub budget: Budget,
    /// What to do when a vendor says to wait.
    pub rate_limit: RateLimit,
    /// Whether the repository's own hooks, servers and settings count.
    pub repo_settings: bool,
    /// The chains the user configured, by seat or group.
    pub seats: Configured,
    /// Places in the tree whose changes are our own business.
    pub own: Own,
}

/// What runs may cost; what is absent has no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Dollars, a run.
    pub run_usd: Option<f64>,
    /// Dollars, a phase.
    pub phase_usd: Option<f64>,
    /// Dollars, all runs of a day.
    pub day_usd: Option<f64>,
    /// Tokens, a run.
    pub run_tokens: Option<u64>,
}

/// What to do when a vendor says to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// Ask a person.
    Ask,
    /// Wait.
    Wait,
    /// Ask the next agent of the chain.
    Fallback,
}

impl Rules {
    /// What these settings say.
    pub fn configured(settings: &Settings) -> Rules {
        let value =
            |name: &str| settings.all().get(name).map(|setting| setting.value.clone()).unwrap_or_default();
        let seconds = |name: &str| Duration::from_secs(value(name).as_u64().unwrap_or(1));
        let text = |name: &str| value(name).as_str().unwrap_or_default().to_owned();
        let rate_limit = match text("policy.rate_limit").as_str() {
            "wait" => RateLimit::Wait,
            "fallback" => RateLimit::Fallback,
            _ => RateLimit::Ask,
        };
        Rules {
            first_byte: seconds("clocks.first_byte"),
            idle: seconds("clocks.idle"),
            grace: seconds("clocks.grace"),
            sketch: seconds("clocks.sketch"),
            review: seconds("clocks.review"),
            probe_time: seconds("clocks.probe"),
            probes: value("policy.probe") != Value::Bool(false),
            seed_tiers: text("policy.models") == SEED_TIERS,
            output_bytes: value("limits.output_mb").as_u64().unwrap_or(32) << 20,
            budget: Budget {
                run_usd: value("budget.run_usd").as_f64(),
                phase_usd: value("budget.phase_usd").as_f64(),
                day_usd: value("budget.day_usd").as_f64(),
                run_tokens: value("budget.run_tokens").as_u64(),
            },
            rate_limit,
            repo_settings: value("policy.repo_settings") == Value::Bool(true),
            seats: chains(settings),
            own: Own {
                folders: vec![text("paths.state"), text("paths.workspace")],
                specs: Some(text("paths.specs")),
            },
        }
    }

    /// How long a call for that seat may take in all; what is asked of nobody's seat may take longest.
    pub fn time_for(&self, seat: Option<&Seat>) -> Duration {
        match seat.map(|seat| seat.clock) {
            Some(ClockFamily::Sketch) => self.sketch,
            Some(ClockFamily::Review) | None => self.review,
        }
    }

    /// The clocks for a call that may take so long, with an agent that prints while it works or does not.
    pub fn clocks(&self, total: Duration, streams: bool) -> Clocks {
        Clocks {
            first_byte: streams.then_some(self.first_byte),
            idle: streams.then_some(self.idle),
            total,
            grace: self.grace,
        }
    }

    /// How long one may take to end.
    pub fn grace(&self) -> Duration {
        self.grace
    }
}
