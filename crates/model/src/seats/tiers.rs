//! The preset `seed-tiers`: which model and effort to ask each agent for, seat by seat. It is never a default;
//! without it, or a model of the user's own, the agent's configuration decides.

use super::seat::{Group, Seat};

/// What the preset is called.
pub const SEED_TIERS: &str = "seed-tiers";

/// What an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// The model.
    pub model: &'static str,
    /// The effort, where the agent has such a thing.
    pub effort: Option<&'static str>,
}

/// What the preset says about an agent in a seat; nothing about most.
pub fn seed_tier(seat: &Seat, agent: &str) -> Option<Tier> {
    let model = |model| Some(Tier { model, effort: None });
    match (agent, seat.group, seat.role) {
        ("cursor", ..) => model("composer-2"),
        ("codex", ..) => Some(Tier { model: "gpt-5.5", effort: Some("high") }),
        ("claude", Some(Group::Researchers | Group::Voters), _) => model("opus"),
        ("claude", Some(Group::Reviewers), _) | ("claude", _, "writer" | "level-writer") => model("sonnet"),
        ("claude", _, "validator" | "level-validator") => model("haiku"),
        _ => None,
    }
}
