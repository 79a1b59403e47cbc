//! Rules of the seats of all flows: configuration, health, model tiers.

use charrette_engine::flows::seats;
use charrette_model::config::{Layer, read_layers};
use charrette_model::seats::config::{chains, problems};
use charrette_model::seats::tiers::seed_tier;
use charrette_model::seats::{AgentHealth, Candidate, EMBEDDED, Seat};

/// The seat of that id.
pub(crate) fn seat(id: &str) -> Option<&'static Seat> {
    seats().seat(id)
}

fn candidate(name: &str, vendor: &str) -> Candidate {
    Candidate {
        name: name.to_owned(),
        vendor: vendor.to_owned(),
        external: !matches!(name, "claude" | EMBEDDED),
        installed: false,
        healthy: None,
    }
}

#[test]
fn settings_without_effect_are_reported() {
    let text = "[seats]\nlead = [\"claud\", \"*\", \"embedded\"]\nsketchs = [\"codex\"]\n\
                judges = [\"embedded\", \"claude\"]\ndebaters = [\"claude\", \"codex\"]\ndebate-1-thesis = [\"codex\"]\n\
                xyz = []\nvoters = [\"nobody-at-all\"]\n";
    let layer = Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() };
    let (settings, found) = read_layers(&[layer]);
    assert_eq!(found, []);
    let candidates = [
        candidate("claude", "anthropic"),
        candidate("codex", "openai"),
        candidate("cursor", "cursor"),
        candidate(EMBEDDED, EMBEDDED),
    ];
    assert_eq!(
        problems(&chains(&settings), &seats(), &candidates),
        [
            "seats.debate-1-thesis: codex belongs to the other debate bucket",
            "seats.debaters: claude does not debate",
            "seats.judges: the embedded agent may not take this seat",
            "seats.lead: no such agent: claud; did you mean claude?",
            "seats.sketchs: no such seat or group; did you mean sketches?",
            "seats.voters: no such agent: nobody-at-all",
            "seats.xyz: no such seat or group",
        ]
    );
}

#[test]
fn failures_that_count_against_an_agent() {
    for (id, agent, counts) in [
        ("cursor-arch", "cursor", true),
        ("reviewer-edge", "gemini", true),
        ("cursor-arch", "claude", false),
        ("cursor-arch", "embedded", false),
        ("debate-1-thesis", "cursor", false),
        ("judge-codex", "codex", false),
        ("voter-codex", "codex", false),
        ("planner", "codex", false),
        ("researcher-tasks", "cursor", false),
    ] {
        let mut health = AgentHealth::default();
        assert_eq!(health.record_seat_failure(seat(id).unwrap(), agent, "timed out"), counts, "{id} {agent}");
        assert_eq!(health.is_healthy(agent), counts.then_some(false), "{id} {agent}");
    }
}

#[test]
fn model_tiers_of_seats() {
    for (id, agent, model, effort) in [
        ("cursor-arch", "cursor", Some("composer-2"), None),
        ("codex-pragmatic", "codex", Some("gpt-5.5"), Some("high")),
        ("researcher-tasks", "claude", Some("opus"), None),
        ("voter-claude", "claude", Some("opus"), None),
        ("reviewer-arch", "claude", Some("sonnet"), None),
        ("writer", "claude", Some("sonnet"), None),
        ("validator", "claude", Some("haiku"), None),
        ("planner", "claude", None, None),
        ("planner", "gemini", None, None),
    ] {
        let tier = seed_tier(seat(id).unwrap(), agent);
        assert_eq!(tier.map(|tier| tier.model), model, "{id} {agent}");
        assert_eq!(tier.and_then(|tier| tier.effort), effort, "{id} {agent}");
    }
}
