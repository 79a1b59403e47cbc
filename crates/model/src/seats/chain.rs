//! Fallback chain of a seat: the agents that may take it, in order.
//!
//! First the agents the seat names; then any other external agent, those of the vendor with the fewest seats in
//! this panel first; then Claude; then the embedded agent. Two kinds of panels differ after the named agents:
//!
//! - Sketches and reviewers: external agents of vendors without a seat in this panel; Claude; the other external
//!   agents; the embedded agent. So a vendor without a seat comes before a second seat for another one.
//! - Judges: agents of vendors that write no side of a debate come first, Claude among them.
//!
//! A configured chain replaces the named agents and what follows, and ends with Claude and the embedded agent. Some
//! agents are excluded from some seats, whatever is configured:
//!
//! - Both sides of a debate come from one tool: that of its bucket, or an external agent that is neither Cursor
//!   nor Codex. Claude and the embedded agent do not debate. There is no fallback for a debater that fails.
//! - The embedded agent does not judge.
//!
//! Agents that are not installed or failed a probe are excluded, with the reason.

use super::seat::{Seat, SeatGroup};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Agent at the end of most chains.
pub const CLAUDE: &str = "claude";

/// Agent built into charrette; needs no model.
pub const EMBEDDED: &str = "embedded";

/// Stands for any other external agent in a configured chain.
pub const ANY_OTHER: &str = "*";

/// Tools of the two debate buckets.
const BUCKET_TOOLS: [&str; 2] = ["cursor", "codex"];

/// Chains of `[seats]`, by seat id or group name.
pub type ConfiguredChains = BTreeMap<String, Vec<String>>;

/// Agent that could take a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub name: String,
    /// Vendor of its models.
    pub vendor: String,
    /// True for every agent but Claude and the embedded one.
    pub external: bool,
    pub installed: bool,
    /// Result of the last probe; none if not probed yet.
    pub healthy: Option<bool>,
}

/// Agents that may take a seat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// In order. If empty, the seat stays empty.
    pub agents: Vec<String>,
    /// Excluded agents: those named in the chain, and unhealthy external ones.
    pub excluded: Vec<(String, ExclusionReason)>,
}

/// Reason why an agent may not take a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExclusionReason {
    /// No agent of that name.
    Unknown,
    NotInstalled,
    /// Failed its probe, or failed earlier in this session.
    Unhealthy,
    /// Claude, also under another name, in a debate.
    DoesNotDebate,
    /// The other one of Cursor and Codex, in a debate.
    OtherBucket,
    /// The embedded agent in a seat that excludes it.
    NotEmbedded,
}

impl fmt::Display for ExclusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExclusionReason::Unknown => "no such agent",
            ExclusionReason::NotInstalled => "not installed",
            ExclusionReason::Unhealthy => "not responding",
            ExclusionReason::DoesNotDebate => "does not debate",
            ExclusionReason::OtherBucket => "belongs to the other debate bucket",
            ExclusionReason::NotEmbedded => "the embedded agent may not take this seat",
        })
    }
}

/// Origin of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainSource<'a> {
    /// Built into the seat.
    Default,
    /// Configured for the group.
    Group(&'a [String]),
    /// Configured for the seat.
    Seat(&'a [String]),
}

impl<'a> ChainSource<'a> {
    /// The most specific chain for `seat`: its own setting, else that of its group, else the default.
    pub fn for_seat(seat: &Seat, configured: &'a ConfiguredChains) -> ChainSource<'a> {
        let by_group = || configured.get(seat.group?.name());
        match (configured.get(seat.id), by_group()) {
            (Some(chain), _) => ChainSource::Seat(chain),
            (None, Some(chain)) => ChainSource::Group(chain),
            (None, None) => ChainSource::Default,
        }
    }

    /// True if the chain names this agent.
    fn is_named(self, seat: &Seat, agent: &str) -> bool {
        match self {
            ChainSource::Default => seat.preferred.contains(&agent),
            ChainSource::Seat(names) | ChainSource::Group(names) => names.iter().any(|name| name == agent),
        }
    }
}

/// The chain of `seat` before availability is checked. `*` is any other external agent.
pub fn declared_chain(seat: &Seat, configured: &ConfiguredChains) -> Vec<String> {
    let mut names: Vec<&str> = match ChainSource::for_seat(seat, configured) {
        ChainSource::Seat(names) | ChainSource::Group(names) => names.iter().map(String::as_str).collect(),
        ChainSource::Default => seat.preferred.iter().copied().chain([ANY_OTHER]).collect(),
    };
    if seat.group != Some(SeatGroup::Debaters) {
        names.push(CLAUDE);
    }
    if seat.embedded {
        names.push(EMBEDDED);
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names.into_iter().map(str::to_owned).collect()
}

/// Resolves the chain of `seat`. `panel` are the seats that are filled together with it, itself included or
/// not (for a judge, the debaters belong to them); `taken` are pairs of seat and agent that are filled already.
///
/// The order of `candidates` does not matter.
pub fn build_chain(
    seat: &Seat,
    panel: &[&Seat],
    configured: &ConfiguredChains,
    candidates: &[Candidate],
    taken: &[(&str, &str)],
) -> Chain {
    let context = SeatContext { seat, panel, candidates, taken };
    let source = ChainSource::for_seat(seat, configured);
    let mut chain = Chain::default();
    for name in context.expand(&declared_chain(seat, configured), source) {
        let is_listed =
            chain.agents.contains(&name) || chain.excluded.iter().any(|(known, _)| *known == name);
        match context.check_candidate(&name) {
            _ if is_listed => {}
            Ok(()) => chain.agents.push(name),
            // Every chain ends in Claude and the embedded agent; only a named agent is worth reporting.
            Err(ExclusionReason::NotInstalled | ExclusionReason::Unknown)
                if !source.is_named(seat, &name) => {}
            Err(why) => chain.excluded.push((name, why)),
        }
    }
    if matches!(source, ChainSource::Group(_)) && seat.is_panel() {
        chain.agents.sort_by_key(|name| (name == EMBEDDED, context.vendor_seat_count(name)));
    }
    if seat.group == Some(SeatGroup::Debaters) {
        context.keep_one_tool(&mut chain.agents);
    }
    chain
}

/// A seat with the panel it belongs to.
struct SeatContext<'a> {
    seat: &'a Seat,
    panel: &'a [&'a Seat],
    candidates: &'a [Candidate],
    taken: &'a [(&'a str, &'a str)],
}

impl<'a> SeatContext<'a> {
    fn candidate(&self, name: &str) -> Option<&'a Candidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }

    fn vendor(&self, name: &str) -> Option<&'a str> {
        self.candidate(name).map(|candidate| candidate.vendor.as_str())
    }

    /// Replaces `*` by the names of the other external agents. An agent may occur twice; its first place counts.
    fn expand(&self, names: &[String], source: ChainSource<'_>) -> Vec<String> {
        let group = self.seat.group.filter(|_| source == ChainSource::Default);
        let each = names.iter().map(|name| match (name.as_str(), group) {
            (ANY_OTHER, Some(SeatGroup::Sketches | SeatGroup::Reviewers)) => {
                self.others().into_iter().filter(|other| self.vendor_seat_count(other) == 0).collect()
            }
            (CLAUDE, Some(SeatGroup::Sketches | SeatGroup::Reviewers)) => {
                [CLAUDE].into_iter().chain(self.others()).collect()
            }
            (ANY_OTHER, Some(SeatGroup::Judges)) => self.other_judges(),
            (ANY_OTHER, _) => self.others(),
            (name, _) => vec![name],
        });
        each.flatten().map(str::to_owned).collect()
    }

    /// Replacements of a judge: agents of vendors that write no side of a debate first, Claude among them; then as
    /// in any panel.
    fn other_judges(&self) -> Vec<&'a str> {
        let mut others = self.others();
        others.push(CLAUDE);
        others.sort_by_key(|name| (self.debates(name), self.vendor_seat_count(name)));
        others
    }

    /// True if an agent of this vendor has a debater's seat.
    fn debates(&self, name: &str) -> bool {
        let vendor = self.vendor(name);
        let mut debaters =
            self.taken.iter().filter(|(seat, _)| self.group_of(seat) == Some(SeatGroup::Debaters));
        vendor.is_some() && debaters.any(|(_, agent)| self.vendor(agent) == vendor)
    }

    /// The group of a seat of the panel; that of this seat for others.
    fn group_of(&self, seat: &str) -> Option<SeatGroup> {
        self.panel.iter().find(|other| other.id == seat).map_or(self.seat.group, |other| other.group)
    }

    /// The eligible external agents: those of the vendor with the fewest seats first, those preferred by
    /// another seat of this panel last.
    fn others(&self) -> Vec<&'a str> {
        let candidates = self.candidates.iter().filter(|candidate| candidate.external);
        let mut others: Vec<&'a str> = candidates.map(|candidate| candidate.name.as_str()).collect();
        // They are not named in the chain, so only an unhealthy one is worth reporting.
        others.retain(|name| matches!(self.check_candidate(name), Ok(()) | Err(ExclusionReason::Unhealthy)));
        others.sort_by_key(|name| (self.vendor_seat_count(name), self.is_preferred_elsewhere(name), *name));
        others
    }

    /// Number of other seats of this group taken by the vendor of this agent.
    fn vendor_seat_count(&self, name: &str) -> usize {
        let vendor = self.vendor(name);
        let others = self
            .taken
            .iter()
            .filter(|(seat, _)| *seat != self.seat.id && self.group_of(seat) == self.seat.group);
        others.filter(|(_, agent)| vendor.is_some() && self.vendor(agent) == vendor).count()
    }

    fn is_preferred_elsewhere(&self, name: &str) -> bool {
        let Seat { id, group, .. } = self.seat;
        let others = self.panel.iter().filter(|other| other.id != *id && other.group == *group);
        group.is_some() && others.map(|other| other.preferred.first()).any(|first| first == Some(&name))
    }

    fn check_candidate(&self, name: &str) -> Result<(), ExclusionReason> {
        let candidate = self.candidate(name).ok_or(ExclusionReason::Unknown)?;
        check_rules(self.seat, candidate, self.candidates)?;
        match candidate {
            Candidate { installed: false, .. } => Err(ExclusionReason::NotInstalled),
            Candidate { healthy: Some(false), .. } => Err(ExclusionReason::Unhealthy),
            _ => Ok(()),
        }
    }

    /// Both sides of a debate come from one tool: keeps one agent, that of the other side if it is seated.
    fn keep_one_tool(&self, agents: &mut Vec<String>) {
        if let Some(agent) = self.other_side() {
            agents.retain(|name| name == agent);
        }
        agents.truncate(1);
    }

    fn other_side(&self) -> Option<&'a str> {
        let (decision, _) = self.seat.id.rsplit_once('-')?;
        let is_other = |seat: &str| {
            seat != self.seat.id && seat.rsplit_once('-').is_some_and(|(other, _)| other == decision)
        };
        self.taken.iter().find(|(seat, _)| is_other(seat)).map(|(_, agent)| *agent)
    }
}

/// Checks the rules of the panel for `candidate` in `seat`, regardless of availability.
pub(super) fn check_rules(
    seat: &Seat,
    candidate: &Candidate,
    candidates: &[Candidate],
) -> Result<(), ExclusionReason> {
    if candidate.name == EMBEDDED {
        return if seat.embedded { Ok(()) } else { Err(ExclusionReason::NotEmbedded) };
    }
    if seat.group != Some(SeatGroup::Debaters) {
        return Ok(());
    }
    let is_of = |name: &str| {
        let vendor = candidates.iter().find(|other| other.name == name).map(|other| &other.vendor);
        candidate.name == name || vendor == Some(&candidate.vendor)
    };
    if !candidate.external || is_of(CLAUDE) {
        return Err(ExclusionReason::DoesNotDebate);
    }
    let other_bucket = BUCKET_TOOLS.into_iter().find(|tool| !seat.preferred.contains(tool));
    if other_bucket.is_some_and(is_of) && seat.preferred.first() != Some(&candidate.name.as_str()) {
        return Err(ExclusionReason::OtherBucket);
    }
    Ok(())
}
