//! Seating of a whole panel, with as many vendors as possible.
//!
//! Preferred agents take their seats first. The remaining seats are filled one after the other, each by the first
//! agent of its chain, which depends on the vendors that are seated so far: see [`mod@super::chain`].

use super::chain::{Candidate, Chain, ChainSource, ConfiguredChains, EMBEDDED, build_chain};
use super::seat::{Seat, SeatGroup};
use std::collections::BTreeSet;

/// Seat with its resolved chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub seat: &'static Seat,
    pub chain: Chain,
}

/// Seats a panel. The placements are in the order of `seats`, in which debaters come before judges; the order of
/// `candidates` does not matter.
pub fn plan_seating(
    seats: impl IntoIterator<Item = &'static Seat>,
    configured: &ConfiguredChains,
    candidates: &[Candidate],
) -> Vec<Placement> {
    let panel: Vec<&'static Seat> = seats.into_iter().collect();
    let mut placements: Vec<Placement> = panel
        .iter()
        .map(|seat| Placement { seat, chain: build_chain(seat, &panel, configured, candidates, &[]) })
        .collect();
    let mut settled: Vec<bool> =
        placements.iter().map(|placement| is_settled(placement, configured)).collect();
    for index in 0..placements.len() {
        if !settled[index] {
            placements[index].chain = rebuild_chain(&placements, &settled, index, configured, candidates);
            settled[index] = true;
        }
    }
    // The first agents are final. Order the fallbacks of settled seats by vendor as well.
    for index in 0..placements.len() {
        if is_settled(&placements[index], configured) {
            placements[index].chain = rebuild_chain(&placements, &settled, index, configured, candidates);
        }
    }
    placements
}

/// True if the first agent does not depend on the other seats.
fn is_settled(Placement { seat, chain }: &Placement, configured: &ConfiguredChains) -> bool {
    match ChainSource::for_seat(seat, configured) {
        // The second side of a debate follows the first.
        _ if seat.group == Some(SeatGroup::Debaters) => false,
        ChainSource::Seat(_) => !chain.agents.is_empty(),
        ChainSource::Group(_) => false,
        ChainSource::Default => {
            chain.agents.first().zip(seat.preferred.first()).is_some_and(|(first, named)| first == named)
        }
    }
}

fn rebuild_chain(
    placements: &[Placement],
    settled: &[bool],
    index: usize,
    configured: &ConfiguredChains,
    candidates: &[Candidate],
) -> Chain {
    let panel: Vec<&Seat> = placements.iter().map(|placement| placement.seat).collect();
    let others = placements.iter().zip(settled).enumerate();
    let taken: Vec<(&str, &str)> = others
        .filter(|(other, (_, settled))| *other != index && **settled)
        .filter_map(|(_, (placement, _))| Some((placement.seat.id, placement.chain.agents.first()?.as_str())))
        .collect();
    build_chain(placements[index].seat, &panel, configured, candidates, &taken)
}

/// The vendors of the seated agents, given as pairs of seat and agent. The embedded agent has none.
pub fn distinct_vendors<'a>(seated: &[(&str, &str)], candidates: &'a [Candidate]) -> BTreeSet<&'a str> {
    let agents: BTreeSet<&str> = seated.iter().map(|(_, agent)| *agent).collect();
    let sat = candidates
        .iter()
        .filter(|candidate| candidate.name != EMBEDDED && agents.contains(candidate.name.as_str()));
    sat.map(|candidate| candidate.vendor.as_str()).collect()
}
