//! Configuration of agent calls: timeouts, limits, budget, seats.

use crate::supervisor::CallTimeouts;
use charrette_model::config::Settings;
use charrette_model::seats::chain::ConfiguredChains;
use charrette_model::seats::config::chains;
use charrette_model::seats::tiers::SEED_TIERS;
use charrette_model::seats::{ClockFamily, Seat};
use charrette_model::tree::OwnPaths;
use serde_json::Value;
use std::time::Duration;

/// Settings for agent calls.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPolicy {
    first_byte: Duration,
    idle: Duration,
    grace: Duration,
    /// Total timeouts, in the order of `ClockFamily::ALL`.
    totals: [Duration; ClockFamily::ALL.len()],
    /// Time limit of a health probe.
    pub probe_timeout: Duration,
    /// True if agents are probed before their first call.
    pub probes: bool,
    /// True if models and efforts that are not set come from the preset.
    pub seed_tiers: bool,
    /// Output limit: `limits.output_mb` in bytes.
    pub output_bytes: u64,
    pub budget: Budget,
    pub rate_limit: RateLimitPolicy,
    /// True if the repository's hooks, servers and settings apply.
    pub repo_settings: bool,
    pub web: WebPolicy,
    /// Configured chains, by seat or group.
    pub seats: ConfiguredChains,
    /// Paths that charrette itself changes.
    pub own: OwnPaths,
}

/// Cost limits; `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Dollars per run.
    pub run_usd: Option<f64>,
    /// Dollars per phase.
    pub phase_usd: Option<f64>,
    /// Dollars per day, all runs.
    pub day_usd: Option<f64>,
    /// Tokens per run.
    pub run_tokens: Option<u64>,
}

/// Reaction to a rate limit of a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimitPolicy {
    /// Pause the run at a gate.
    Ask,
    /// Wait and retry.
    Wait,
    /// Call the next agent of the chain.
    Fallback,
}

/// Use of the web by agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebPolicy {
    /// By seats that look things up, where the client can.
    Research,
    /// By none.
    Off,
}

impl AgentPolicy {
    pub fn from_settings(settings: &Settings) -> AgentPolicy {
        let value =
            |name: &str| settings.all().get(name).map(|setting| setting.value.clone()).unwrap_or_default();
        let seconds = |name: &str| Duration::from_secs(value(name).as_u64().unwrap_or(1));
        let text = |name: &str| value(name).as_str().unwrap_or_default().to_owned();
        let rate_limit = match text("policy.rate_limit").as_str() {
            "wait" => RateLimitPolicy::Wait,
            "fallback" => RateLimitPolicy::Fallback,
            _ => RateLimitPolicy::Ask,
        };
        AgentPolicy {
            first_byte: seconds("clocks.first_byte"),
            idle: seconds("clocks.idle"),
            grace: seconds("clocks.grace"),
            totals: ClockFamily::ALL.map(|clock| seconds(clock.setting())),
            probe_timeout: seconds("clocks.probe"),
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
            web: if text("policy.web") == "off" { WebPolicy::Off } else { WebPolicy::Research },
            repo_settings: value("policy.repo_settings") == Value::Bool(true),
            seats: chains(settings),
            own: OwnPaths {
                folders: vec![text("paths.state"), text("paths.workspace")],
                specs: Some(text("paths.specs")),
                spec_folders: None,
            },
        }
    }

    /// Total timeout of a call for that seat; without a seat, the one of reviews.
    pub fn call_timeout(&self, seat: Option<&Seat>) -> Duration {
        self.total(seat.map_or(ClockFamily::Review, |seat| seat.clock))
    }

    fn total(&self, clock: ClockFamily) -> Duration {
        self.totals[clock as usize]
    }

    /// Timeouts of a call; `streams` is true for a client that prints while it works.
    pub fn timeouts(&self, total: Duration, streams: bool) -> CallTimeouts {
        CallTimeouts {
            first_byte: streams.then_some(self.first_byte),
            idle: streams.then_some(self.idle),
            total,
            grace: self.grace,
        }
    }

    /// Time between SIGTERM and SIGKILL.
    pub fn grace(&self) -> Duration {
        self.grace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::config::layers::{Layer, read_layers};

    fn policy(text: &str) -> AgentPolicy {
        let layer = Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() };
        let (settings, problems) = read_layers(&[layer]);
        assert_eq!(problems, []);
        AgentPolicy::from_settings(&settings)
    }

    #[test]
    fn each_clock_has_a_setting_and_a_default_of_its_own() {
        let totals = |policy: &AgentPolicy| ClockFamily::ALL.map(|clock| policy.total(clock).as_secs());
        assert_eq!(totals(&policy("")), ClockFamily::ALL.map(ClockFamily::default_seconds));
        let set = policy("[clocks]\nsketch = 1\nreview = 2\ninvestigate = 3\ndesign = 4\n");
        assert_eq!(totals(&set), [1, 2, 3, 4]);
        assert_eq!(set.call_timeout(None).as_secs(), 2);
    }

    #[test]
    fn the_web_is_for_research_unless_it_is_off() {
        for (text, web) in [
            ("", WebPolicy::Research),
            ("policy.web = \"research\"", WebPolicy::Research),
            ("policy.web = \"off\"", WebPolicy::Off),
        ] {
            assert_eq!(policy(text).web, web, "{text}");
        }
    }
}
