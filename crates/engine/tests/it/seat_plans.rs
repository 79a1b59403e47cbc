//! Seating plans of the panels of a design.

use crate::seat_chains::{configured, room};
use crate::seats::seat;
use charrette_engine::flows::design;
use charrette_model::seats::chain::{ConfiguredChains, build_chain};
use charrette_model::seats::{
    CLAUDE, Candidate, Chain, EMBEDDED, ExclusionReason, Placement, Seat, SeatGroup, SeatTables,
};
use charrette_model::seats::{distinct_vendors, plan_seating};
use charrette_model::spec::resolver::SpecLevel;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The seats of a specification.
fn spec() -> SeatTables {
    design::level_seats(SpecLevel::Spec)
}

fn group(group: SeatGroup) -> impl Iterator<Item = &'static Seat> {
    spec().group(group)
}

fn firsts(placements: &[Placement]) -> String {
    let first = |placement: &Placement| placement.chain.agents.first().map_or("-", String::as_str).to_owned();
    placements.iter().map(first).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_panel_has_as_many_vendors_as_possible() {
    for (who, entries, names, expected) in [
        (SeatGroup::Sketches, &[][..], "claude codex cursor gemini", "cursor cursor codex codex"),
        (SeatGroup::Sketches, &[], "claude codex -cursor gemini opencode", "gemini opencode codex codex"),
        (SeatGroup::Sketches, &[], "claude codex -cursor gemini", "gemini claude codex codex"),
        (SeatGroup::Sketches, &[], "claude codex -cursor", "claude claude codex codex"),
        (SeatGroup::Sketches, &[], "claude -codex cursor", "cursor cursor claude claude"),
        (SeatGroup::Sketches, &[], "claude -codex -cursor gemini", "gemini claude claude claude"),
        (SeatGroup::Sketches, &[], "-claude codex -cursor gemini", "gemini gemini codex codex"),
        (SeatGroup::Sketches, &[], "-claude codex", "codex codex codex codex"),
        (SeatGroup::Sketches, &[], "gemini", "gemini gemini gemini gemini"),
        (SeatGroup::Sketches, &[], "second codex claude", "second claude codex codex"),
        (SeatGroup::Sketches, &[], "claude", "claude claude claude claude"),
        (SeatGroup::Sketches, &[], "", "embedded embedded embedded embedded"),
        (
            SeatGroup::Sketches,
            &[("sketches", "gemini claude")],
            "claude codex gemini",
            "gemini claude gemini claude",
        ),
        (
            SeatGroup::Sketches,
            &[("sketches", "gemini claude"), ("codex-pragmatic", "claude")],
            "claude gemini",
            "gemini gemini claude claude",
        ),
        (SeatGroup::Researchers, &[], "claude codex -cursor gemini", "claude codex gemini"),
        (SeatGroup::Researchers, &[], "claude -codex -cursor gemini opencode", "claude gemini opencode"),
        (SeatGroup::Judges, &[], "claude codex -cursor gemini", "gemini codex claude"),
        (SeatGroup::Judges, &[], "-claude codex -cursor", "codex codex codex"),
        (SeatGroup::Judges, &[], "-claude", "- - -"),
        (SeatGroup::Reviewers, &[], "claude codex cursor gemini", "cursor cursor codex codex"),
        (SeatGroup::Reviewers, &[], "claude codex -cursor gemini", "gemini claude codex codex"),
        (SeatGroup::Reviewers, &[], "claude codex -cursor", "claude claude codex codex"),
        (SeatGroup::Reviewers, &[], "-claude -codex cursor", "cursor cursor cursor cursor"),
        (SeatGroup::Reviewers, &[], "claude -codex -cursor gemini opencode", "gemini opencode claude claude"),
        (SeatGroup::Voters, &[], "claude codex -cursor", "claude codex codex"),
        (SeatGroup::Investigators, &[], "claude codex gemini", "claude claude claude claude claude"),
        (SeatGroup::Investigators, &[], "-claude codex gemini", "codex codex codex codex codex"),
        (SeatGroup::Investigators, &[], "gemini opencode", "gemini opencode gemini opencode gemini"),
        (
            SeatGroup::Investigators,
            &[("investigators", "claude codex")],
            "claude codex",
            "claude codex claude codex claude",
        ),
        (SeatGroup::Investigators, &[], "", "- - - - -"),
        (SeatGroup::Walkers, &[], "claude codex gemini", "claude codex"),
        (SeatGroup::Walkers, &[], "claude gemini", "claude gemini"),
        (SeatGroup::Walkers, &[], "-claude codex", "codex codex"),
        (SeatGroup::Voters, &[], "claude codex -cursor opencode", "claude codex opencode"),
        (
            SeatGroup::Lead,
            &[("lead", "codex claude")],
            "claude codex",
            "codex codex codex codex codex codex codex codex codex codex codex codex codex",
        ),
        (
            SeatGroup::Debaters,
            &[],
            "claude codex cursor",
            "cursor cursor codex codex cursor cursor codex codex cursor cursor",
        ),
        (SeatGroup::Debaters, &[], "claude codex -cursor", "- - codex codex - - codex codex - -"),
        (
            SeatGroup::Debaters,
            &[],
            "claude -codex -cursor gemini opencode",
            "gemini gemini opencode opencode gemini gemini opencode opencode gemini gemini",
        ),
        (
            SeatGroup::Debaters,
            &[("debate-1-thesis", "gemini")],
            "codex cursor gemini",
            "gemini gemini codex codex cursor cursor codex codex cursor cursor",
        ),
    ] {
        let seats = group(who).filter(|seat| seat.variant != Some("generic"));
        assert_eq!(
            firsts(&plan_seating(seats, &configured(entries), &room(names))),
            expected,
            "{who} {names}"
        );
    }
}

#[test]
fn a_judge_is_replaced_by_a_vendor_that_does_not_debate() {
    for (names, expected) in [
        ("claude codex cursor gemini", "cursor codex claude"),
        ("claude codex -cursor", "claude codex claude"),
        ("claude codex -cursor gemini", "claude codex claude"),
        ("claude -codex cursor gemini", "cursor claude claude"),
        ("-claude codex cursor gemini", "cursor codex gemini"),
        ("-claude codex -cursor gemini", "gemini codex gemini"),
        ("-claude codex -cursor", "codex codex codex"),
        ("claude", "claude claude claude"),
    ] {
        let panel = spec().panel(seat("judge-cursor").unwrap());
        let placements = plan_seating(panel, &ConfiguredChains::new(), &room(names));
        let is_judge = |placement: &Placement| placement.seat.group == Some(SeatGroup::Judges);
        let judges: Vec<Placement> = placements.into_iter().filter(is_judge).collect();
        assert_eq!(firsts(&judges), expected, "{names}");
    }
}

#[test]
fn fallbacks_are_vendors_without_a_seat_then_claude() {
    let placements = plan_seating(
        design::sketches(false),
        &ConfiguredChains::new(),
        &room("claude codex -cursor gemini opencode"),
    );
    let pragmatic = &placements[3];
    assert_eq!(pragmatic.seat.id, "codex-pragmatic");
    assert_eq!(pragmatic.chain.agents.join(" "), "codex claude gemini opencode embedded");
    assert_eq!(placements[0].chain.excluded, [("cursor".to_owned(), ExclusionReason::NotInstalled)]);
}

#[test]
fn vendors_are_counted_once_without_the_embedded_agent() {
    let candidates = room("claude second codex cursor");
    let seated =
        [("a", "claude"), ("b", "second"), ("c", "codex"), ("d", "codex"), ("e", "embedded"), ("f", "gone")];
    assert_eq!(
        distinct_vendors(&seated, &candidates).into_iter().collect::<Vec<_>>(),
        ["anthropic", "openai"]
    );
    assert_eq!(distinct_vendors(&[("a", "embedded")], &candidates).len(), 0);
}

const NAMES: [&str; 9] =
    ["claude", "codex", "cursor", "gemini", "opencode", "second", "codex2", "local", "acp"];

/// Some of the agents, some of them not installed or not answering, in any order.
fn any_room() -> impl Strategy<Value = Vec<Candidate>> {
    let words = prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len()).prop_shuffle();
    (words, prop::collection::vec(prop::sample::select(vec!["", "", "-", "!"]), NAMES.len())).prop_map(
        |(names, marks)| {
            let words: Vec<String> =
                names.iter().zip(marks).map(|(name, mark)| format!("{mark}{name}")).collect();
            room(&words.join(" "))
        },
    )
}

fn any_configured() -> impl Strategy<Value = ConfiguredChains> {
    let mut keys: Vec<&str> = SeatGroup::ALL.map(SeatGroup::name).to_vec();
    keys.extend(["cursor-arch", "debate-1-thesis", "judge-claude", "planner", "voter-codex"]);
    let mut names = NAMES.to_vec();
    names.extend(["embedded", "*", "nobody"]);
    let chain = prop::collection::vec(prop::sample::select(names).prop_map(str::to_owned), 0..5);
    prop::collection::btree_map(prop::sample::select(keys).prop_map(str::to_owned), chain, 0..4)
}

fn any_group() -> impl Strategy<Value = SeatGroup> {
    prop::sample::select(SeatGroup::ALL.to_vec())
}

fn find<'a>(candidates: &'a [Candidate], name: &str) -> Option<&'a Candidate> {
    candidates.iter().find(|candidate| candidate.name == name)
}

fn sorted(chain: &Chain) -> Vec<&String> {
    let mut agents: Vec<&String> = chain.agents.iter().collect();
    agents.sort();
    agents
}

proptest! {
    #[test]
    fn a_panel_is_seated_the_same_whatever_the_order_of_candidates(candidates in any_room(), configured in any_configured(), who in any_group()) {
        let mut other = candidates.clone();
        other.reverse();
        prop_assert_eq!(plan_seating(group(who), &configured, &candidates), plan_seating(group(who), &configured, &other));
    }

    #[test]
    fn chains_have_available_agents_only_and_each_once(candidates in any_room(), configured in any_configured()) {
        for Placement { seat, chain } in plan_seating(spec().all(), &configured, &candidates) {
            for (index, name) in chain.agents.iter().enumerate() {
                let candidate = find(&candidates, name).unwrap();
                prop_assert!(candidate.installed && candidate.healthy != Some(false), "{} {name}", seat.id);
                prop_assert!(!chain.agents[..index].contains(name), "{} {name}", seat.id);
                prop_assert!(chain.excluded.iter().all(|(left_out, _)| left_out != name));
            }
        }
    }

    #[test]
    fn chains_include_claude_and_the_embedded_agent(candidates in any_room(), configured in any_configured()) {
        for Placement { seat, chain } in plan_seating(spec().all(), &configured, &candidates) {
            let has = |name: &str| chain.agents.iter().any(|agent| agent == name);
            let claude = find(&candidates, CLAUDE).is_some_and(|claude| claude.installed && claude.healthy != Some(false));
            prop_assert_eq!(has(EMBEDDED), seat.embedded, "{}", seat.id);
            prop_assert_eq!(has(CLAUDE), claude && seat.group != Some(SeatGroup::Debaters), "{}", seat.id);
        }
    }

    #[test]
    fn the_rules_of_the_debate_hold_whatever_is_configured(candidates in any_room(), configured in any_configured()) {
        let placements = plan_seating(group(SeatGroup::Debaters), &configured, &candidates);
        let vendor = |name: &str| find(&candidates, name).map(|candidate| candidate.vendor.as_str());
        for pair in placements.chunks(2) {
            let firsts: Vec<&String> = pair.iter().filter_map(|placement| placement.chain.agents.first()).collect();
            prop_assert!(firsts.windows(2).all(|two| two[0] == two[1]), "{firsts:?}");
            let tool = pair[0].seat.preferred[0];
            let other = if tool == "cursor" { "codex" } else { "cursor" };
            for Placement { seat, chain } in pair {
                prop_assert!(chain.agents.len() <= 1, "{}", seat.id);
                for name in &chain.agents {
                    prop_assert!(find(&candidates, name).unwrap().external);
                    prop_assert!(![CLAUDE, EMBEDDED, other].contains(&name.as_str()));
                    prop_assert!(vendor(CLAUDE) != vendor(name) && vendor(other) != vendor(name));
                }
            }
        }
    }

    #[test]
    fn an_unhealthy_agent_is_removed_and_nothing_else_changes(candidates in any_room(), configured in any_configured(), lost in prop::sample::select(NAMES.to_vec())) {
        let mut after = candidates.clone();
        for candidate in after.iter_mut().filter(|candidate| candidate.name == lost) {
            candidate.healthy = Some(false);
        }
        for each in spec().all().filter(|seat| seat.group != Some(SeatGroup::Debaters)) {
            let panel: Vec<&Seat> = spec().peers(each).collect();
            let mut before = build_chain(each, &panel, &configured, &candidates, &[]);
            before.agents.retain(|name| name != lost);
            let after = build_chain(each, &panel, &configured, &after, &[]);
            prop_assert_eq!(sorted(&before), sorted(&after), "{}", each.id);
        }
    }

    #[test]
    fn no_vendor_gets_two_seats_while_another_has_none(candidates in any_room()) {
        // Without their own vendors, the four sketches are free for everyone.
        let candidates: Vec<Candidate> = candidates.into_iter().filter(|c| !["cursor", "codex"].contains(&c.name.as_str())).collect();
        let placements = plan_seating(design::sketches(false), &ConfiguredChains::new(), &candidates);
        let seated: Vec<(&str, &str)> = placements.iter().map(|p| (p.seat.id, p.chain.agents[0].as_str())).collect();
        let usable = candidates.iter().filter(|c| c.name != EMBEDDED && c.installed && c.healthy != Some(false));
        let vendors: BTreeSet<&str> = usable.map(|candidate| candidate.vendor.as_str()).collect();
        if !vendors.is_empty() {
            prop_assert_eq!(distinct_vendors(&seated, &candidates).len(), vendors.len().min(4));
        }
    }
}

#[test]
fn a_panel_without_seats_is_no_problem() {
    assert_eq!(plan_seating([], &ConfiguredChains::new(), &room("claude")), []);
    assert_eq!(plan_seating(seat("validator"), &ConfiguredChains::new(), &room("claude")).len(), 1);
}
