//! Preset `seed-tiers`: model and effort per agent and seat. It is never a default; without it, or a configured
//! model, the agent's own configuration decides.

use super::seat::{Seat, SeatGroup};

/// Name of the preset.
pub const SEED_TIERS: &str = "seed-tiers";

/// Model and effort to ask an agent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    pub model: &'static str,
    /// Only for agents with an effort setting.
    pub effort: Option<&'static str>,
}

/// The tier of an agent in a seat; none for most.
pub fn seed_tier(seat: &Seat, agent: &str) -> Option<Tier> {
    let model = |model| Some(Tier { model, effort: None });
    match (agent, seat.group, seat.role) {
        ("cursor", ..) => model("composer-2"),
        ("codex", ..) => Some(Tier { model: "gpt-5.5", effort: Some("high") }),
        ("claude", Some(SeatGroup::Researchers | SeatGroup::Voters), _) => model("opus"),
        ("claude", Some(SeatGroup::Reviewers), _) | ("claude", _, "writer" | "level-writer") => {
            model("sonnet")
        }
        ("claude", _, "validator" | "level-validator") => model("haiku"),
        _ => None,
    }
}
