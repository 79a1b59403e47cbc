//! Agent chains of the seats of a design.

use crate::seats::seat;
use charrette_engine::flows::seats;
use charrette_model::seats::chain::{ConfiguredChains, declared_chain};
use charrette_model::seats::{CLAUDE, Candidate, EMBEDDED, Seat, build_chain};

/// Agents that are there and answer; `-` in front: not installed, `!`: does not answer. The agent inside
/// charrette is always among them.
pub(crate) fn room(names: &str) -> Vec<Candidate> {
    let vendor = |name: &str| {
        match name {
            "claude" | "second" => "anthropic",
            "codex" | "codex2" => "openai",
            other => other,
        }
        .to_owned()
    };
    let candidate = |word: &str| {
        let name = word.trim_start_matches(['-', '!']);
        Candidate {
            name: name.to_owned(),
            vendor: vendor(name),
            external: !matches!(name, CLAUDE | EMBEDDED),
            installed: !word.starts_with('-'),
            healthy: if word.starts_with('!') { Some(false) } else { None },
        }
    };
    names.split_whitespace().chain([EMBEDDED]).map(candidate).collect()
}

pub(crate) fn configured(entries: &[(&str, &str)]) -> ConfiguredChains {
    let chain = |names: &str| names.split_whitespace().map(str::to_owned).collect();
    entries.iter().map(|(key, names)| ((*key).to_owned(), chain(names))).collect()
}

fn resolve_chain(
    id: &str,
    entries: &[(&str, &str)],
    names: &str,
    taken: &[(&str, &str)],
) -> (String, String) {
    let seat = seat(id).unwrap();
    let panel: Vec<&Seat> = seats().peers(seat).collect();
    let chain = build_chain(seat, &panel, &configured(entries), &room(names), taken);
    let left_out: Vec<String> = chain.excluded.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    (chain.agents.join(" "), left_out.join(", "))
}

const ALL: &str = "claude codex cursor gemini opencode";

#[test]
fn every_default_chain_is_that_of_the_contract() {
    for (id, expected) in [
        ("researcher-requirements", "claude gemini opencode codex cursor embedded"),
        ("researcher-tasks", "cursor gemini opencode codex claude embedded"),
        ("aggregator", "claude codex cursor gemini opencode embedded"),
        ("cursor-arch", "cursor gemini opencode codex claude embedded"),
        ("codex-generic", "codex gemini opencode cursor claude embedded"),
        ("debate-1-thesis", "cursor"),
        ("debate-2-antithesis", "codex"),
        ("judge-cursor", "cursor gemini opencode codex claude"),
        ("judge-claude", "claude gemini opencode codex cursor"),
        ("reviewer-edge", "cursor gemini opencode codex claude embedded"),
        ("reviewer-innovation", "codex gemini opencode cursor claude embedded"),
        ("voter-cursor", "cursor gemini opencode codex claude embedded"),
        ("validator", "codex claude cursor gemini opencode embedded"),
    ] {
        assert_eq!(resolve_chain(id, &[], ALL, &[]), (expected.to_owned(), String::new()), "{id}");
    }
}

#[test]
fn a_slot_whose_vendor_is_not_usable_goes_to_another_external_agent_first() {
    for (id, names, agents, left_out) in [
        (
            "cursor-arch",
            "claude codex -cursor gemini",
            "gemini codex claude embedded",
            "cursor: not installed",
        ),
        ("cursor-arch", "claude codex !cursor", "codex claude embedded", "cursor: not responding"),
        ("cursor-arch", "claude -codex -cursor", "claude embedded", "cursor: not installed"),
        ("cursor-arch", "-claude -codex -cursor", "embedded", "cursor: not installed"),
        (
            "codex-pragmatic",
            "claude -codex cursor !gemini",
            "cursor claude embedded",
            "codex: not installed, gemini: not responding",
        ),
        ("judge-codex", "claude -codex -cursor", "claude", "codex: not installed"),
        ("judge-codex", "-claude -codex -cursor", "", "codex: not installed"),
        (
            "reviewer-arch",
            "claude codex -cursor gemini",
            "gemini codex claude embedded",
            "cursor: not installed",
        ),
        (
            "planner",
            "-claude codex !cursor",
            "codex embedded",
            "claude: not installed, cursor: not responding",
        ),
        ("planner", "!claude -codex -cursor", "embedded", "claude: not responding, codex: not installed"),
    ] {
        assert_eq!(
            resolve_chain(id, &[], names, &[]),
            (agents.to_owned(), left_out.to_owned()),
            "{id} {names}"
        );
    }
}

#[test]
fn a_debate_goes_to_its_bucket_or_a_third_party_and_to_nobody_else() {
    for (id, names, agents) in [
        ("debate-1-thesis", ALL, "cursor"),
        ("debate-1-thesis", "claude codex -cursor", ""),
        ("debate-1-thesis", "claude codex !cursor gemini opencode", "gemini"),
        ("debate-2-thesis", "claude -codex cursor", ""),
        ("debate-2-thesis", "claude -codex cursor opencode", "opencode"),
        ("debate-1-thesis", "claude -codex -cursor codex2 second", ""),
        ("debate-2-thesis", "claude -codex -cursor codex2 second", "codex2"),
        ("debate-1-thesis", "", ""),
    ] {
        assert_eq!(resolve_chain(id, &[], names, &[]).0, agents, "{id} {names}");
        assert_eq!(
            resolve_chain(&id.replace("thesis", "antithesis"), &[], names, &[]).0,
            agents,
            "{id} {names}"
        );
    }
    let configured = [("debaters", "claude embedded codex gemini nobody")];
    assert_eq!(
        resolve_chain("debate-1-thesis", &configured, ALL, &[]),
        (
            "gemini".to_owned(),
            "claude: does not debate, embedded: the embedded agent may not take this seat, \
             codex: belongs to the other debate bucket, nobody: no such agent"
                .to_owned()
        )
    );
    assert_eq!(resolve_chain("debate-2-thesis", &configured, ALL, &[]).0, "codex");
}

#[test]
fn both_sides_of_a_debate_come_from_one_tool() {
    let names = "claude codex -cursor gemini opencode";
    for (taken, agents) in [
        ([("debate-1-thesis", "opencode")], "opencode"),
        ([("debate-1-thesis", "codex")], ""),
        ([("debate-3-thesis", "gemini")], "opencode"),
    ] {
        assert_eq!(resolve_chain("debate-1-antithesis", &[], names, &taken).0, agents, "{taken:?}");
    }
}

#[test]
fn the_embedded_agent_never_judges() {
    let everywhere = [("judges", "embedded"), ("judge-cursor", "embedded gemini")];
    assert_eq!(
        resolve_chain("judge-codex", &everywhere, ALL, &[]),
        ("claude".to_owned(), "embedded: the embedded agent may not take this seat".to_owned())
    );
    assert_eq!(resolve_chain("judge-cursor", &everywhere, ALL, &[]).0, "gemini claude");
}

#[test]
fn the_setting_of_a_seat_overrides_its_group() {
    let configured = [("sketches", "gemini"), ("cursor-arch", "opencode *"), ("lead", "codex nobody codex")];
    for (id, agents, left_out) in [
        ("cursor-arch", "opencode gemini codex cursor claude embedded", ""),
        ("cursor-edge", "gemini claude embedded", ""),
        ("planner", "codex claude embedded", "nobody: no such agent"),
        ("validator", "codex claude cursor gemini opencode embedded", ""),
    ] {
        assert_eq!(
            resolve_chain(id, &configured, ALL, &[]),
            (agents.to_owned(), left_out.to_owned()),
            "{id}"
        );
    }
    assert_eq!(resolve_chain("planner", &[("lead", "")], ALL, &[]).0, "claude embedded");
    assert_eq!(resolve_chain("planner", &[("lead", "embedded claude")], ALL, &[]).0, "embedded claude");
    assert_eq!(
        resolve_chain("planner", &[("lead", "gemini")], "-claude gemini", &[]),
        ("gemini embedded".to_owned(), String::new())
    );
}

#[test]
fn a_panel_prefers_vendors_with_fewer_seats() {
    let taken = [("cursor-arch", "gemini"), ("codex-innovation", "codex"), ("codex-pragmatic", "codex")];
    let names = "claude codex -cursor gemini opencode";
    for (id, entries, agents) in [
        ("cursor-edge", &[][..], "opencode claude gemini codex embedded"),
        (
            "cursor-edge",
            &[("sketches", "codex gemini claude embedded opencode")],
            "claude opencode gemini codex embedded",
        ),
        ("cursor-edge", &[("cursor-edge", "codex gemini claude")], "codex gemini claude embedded"),
        ("cursor-arch", &[("sketches", "codex gemini claude")], "gemini claude codex embedded"),
    ] {
        assert_eq!(resolve_chain(id, entries, names, &taken).0, agents, "{id} {entries:?}");
    }
    let same_vendor = [("voter-claude", "claude"), ("voter-codex", "codex")];
    assert_eq!(
        resolve_chain("voter-cursor", &[], "claude codex second gemini", &same_vendor).0,
        "gemini second codex claude embedded"
    );
    assert_eq!(
        resolve_chain("planner", &[("lead", "codex gemini")], ALL, &[("aggregator", "codex")]).0,
        "codex gemini claude embedded"
    );
}

#[test]
fn declared_chains_need_no_probe() {
    for (id, entries, expected) in [
        ("cursor-arch", &[][..], "cursor * claude embedded"),
        ("debate-4-thesis", &[], "codex *"),
        ("judge-claude", &[], "claude *"),
        ("planner", &[("lead", "gemini embedded")], "gemini embedded claude"),
        ("debate-4-thesis", &[("debaters", "gemini")], "gemini"),
    ] {
        assert_eq!(declared_chain(seat(id).unwrap(), &configured(entries)).join(" "), expected, "{id}");
    }
}
