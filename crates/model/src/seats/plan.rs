//! A whole panel, seated at once, so that as many vendors as possible have a say.
//!
//! Whoever a seat names takes it. Only then are the seats filled that nobody was named for or whose agent is not
//! there, one after the other, each by the vendor that has said least so far.

use super::chain::{Candidate, Chain, Configured, EMBEDDED, Source, chain};
use super::seat::{Group, Seat};
use std::collections::BTreeSet;

/// A seat and who may take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The seat.
    pub seat: &'static Seat,
    /// Who may take it, in order.
    pub chain: Chain,
}

/// Seats a panel. The placements are in the order of `seats`; the order of `candidates` does not matter.
pub fn plan(
    seats: impl IntoIterator<Item = &'static Seat>,
    configured: &Configured,
    candidates: &[Candidate],
) -> Vec<Placement> {
    let panel: Vec<&'static Seat> = seats.into_iter().collect();
    let mut placements: Vec<Placement> = panel
        .iter()
        .map(|seat| Placement { seat, chain: chain(seat, &panel, configured, candidates, &[]) })
        .collect();
    let mut settled: Vec<bool> =
        placements.iter().map(|placement| is_settled(placement, configured)).collect();
    for index in 0..placements.len() {
        if !settled[index] {
            placements[index].chain = replanned(&placements, &settled, index, configured, candidates);
            settled[index] = true;
        }
    }
    // Who comes first does not change any more. Who steps in should still be whoever has said least.
    for index in 0..placements.len() {
        if is_settled(&placements[index], configured) {
            placements[index].chain = replanned(&placements, &settled, index, configured, candidates);
        }
    }
    placements
}

/// Whether it is known who comes first, wherever the others sit.
fn is_settled(Placement { seat, chain }: &Placement, configured: &Configured) -> bool {
    match Source::of(seat, configured) {
        // The second side of a debate follows the first.
        _ if seat.group == Some(Group::Debaters) => false,
        Source::Seat(_) => !chain.agents.is_empty(),
        Source::Group(_) => false,
        Source::Default => {
            chain.agents.first().zip(seat.first.first()).is_some_and(|(first, named)| first == named)
        }
    }
}

fn replanned(
    placements: &[Placement],
    settled: &[bool],
    index: usize,
    configured: &Configured,
    candidates: &[Candidate],
) -> Chain {
    let panel: Vec<&Seat> = placements.iter().map(|placement| placement.seat).collect();
    let others = placements.iter().zip(settled).enumerate();
    let taken: Vec<(&str, &str)> = others
        .filter(|(other, (_, settled))| *other != index && **settled)
        .filter_map(|(_, (placement, _))| Some((placement.seat.id, placement.chain.agents.first()?.as_str())))
        .collect();
    chain(placements[index].seat, &panel, configured, candidates, &taken)
}

/// The vendors among those who sat: pairs of seat and agent. The agent inside charrette is nobody's model.
pub fn distinct_vendors<'a>(seated: &[(&str, &str)], candidates: &'a [Candidate]) -> BTreeSet<&'a str> {
    let agents: BTreeSet<&str> = seated.iter().map(|(_, agent)| *agent).collect();
    let sat = candidates
        .iter()
        .filter(|candidate| candidate.name != EMBEDDED && agents.contains(candidate.name.as_str()));
    sat.map(|candidate| candidate.vendor.as_str()).collect()
}
