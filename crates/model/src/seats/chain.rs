//! Who may take a seat, in which order.
//!
//! First whom the seat names; then any other external agent, the one whose vendor has said least in this panel
//! first; then Claude; then the agent inside charrette. A configured chain says the first part differently and
//! ends the same way. Some never sit in some seats, whatever is configured:
//!
//! - A debate is between two defenses from one tool: its bucket's, or an external agent that is neither Cursor
//!   nor Codex. Claude and the embedded agent do not debate. Nobody steps in for a debater who fails.
//! - The embedded agent does not judge.
//!
//! Agents that are not installed or failed a probe are left out, with the reason.

use super::seat::{Group, Seat};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The agent that stands in for others.
pub const CLAUDE: &str = "claude";

/// The agent inside charrette, which needs no model.
pub const EMBEDDED: &str = "embedded";

/// In a configured chain: any other external agent.
pub const ANY_OTHER: &str = "*";

/// The two whose debates must not be mixed.
const BUCKETS: [&str; 2] = ["cursor", "codex"];

/// Chains as `[seats]` has them, by seat or by group.
pub type Configured = BTreeMap<String, Vec<String>>;

/// An agent that could take a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Whose models answer.
    pub vendor: String,
    /// Whether it is neither Claude nor embedded.
    pub external: bool,
    /// Whether it is there.
    pub installed: bool,
    /// Whether it answers; `None` if nobody has asked.
    pub healthy: Option<bool>,
}

/// Who may take a seat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// In order. Without any, the seat stays empty.
    pub agents: Vec<String>,
    /// Those who were named, or could have been next, and why they are not.
    pub left_out: Vec<(String, Why)>,
}

/// Why an agent does not take a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// There is no agent of that name.
    Unknown,
    /// It is not there.
    NotInstalled,
    /// It does not answer.
    Unhealthy,
    /// Claude, by this or another name, in a debate.
    DoesNotDebate,
    /// The other of Cursor and Codex, in a debate.
    OtherBucket,
    /// The embedded agent, where it may not sit.
    NotEmbedded,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Unknown => "no such agent",
            Why::NotInstalled => "not installed",
            Why::Unhealthy => "not responding",
            Why::DoesNotDebate => "does not debate",
            Why::OtherBucket => "does not debate in another's bucket",
            Why::NotEmbedded => "the embedded agent may not sit here",
        })
    }
}

/// Where a chain comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// The seat's own.
    Default,
    /// Configured for its group.
    Group(&'a [String]),
    /// Configured for this very seat.
    Seat(&'a [String]),
}

impl<'a> Source<'a> {
    /// What counts for `seat`: what was said about it, else about its group, else its own.
    pub fn of(seat: &Seat, configured: &'a Configured) -> Source<'a> {
        let by_group = || configured.get(seat.group?.name());
        match (configured.get(seat.id), by_group()) {
            (Some(chain), _) => Source::Seat(chain),
            (None, Some(chain)) => Source::Group(chain),
            (None, None) => Source::Default,
        }
    }

    /// Whether this agent was asked for by name.
    fn names(self, seat: &Seat, agent: &str) -> bool {
        match self {
            Source::Default => seat.first.contains(&agent),
            Source::Seat(names) | Source::Group(names) => names.iter().any(|name| name == agent),
        }
    }
}

/// The chain of `seat` as it was meant, before anybody looked who is there. `*` is any other external agent.
pub fn stated(seat: &Seat, configured: &Configured) -> Vec<String> {
    let mut names: Vec<&str> = match Source::of(seat, configured) {
        Source::Seat(names) | Source::Group(names) => names.iter().map(String::as_str).collect(),
        Source::Default => seat.first.iter().copied().chain([ANY_OTHER]).collect(),
    };
    if seat.group != Some(Group::Debaters) {
        names.push(CLAUDE);
    }
    if seat.embedded {
        names.push(EMBEDDED);
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names.into_iter().map(str::to_owned).collect()
}

/// Who may take `seat`. `panel` are the seats that are filled together with it, itself included or not; `taken` those
/// of them that are filled already, with their agents.
///
/// The order of `candidates` does not matter.
pub fn chain(
    seat: &Seat,
    panel: &[&Seat],
    configured: &Configured,
    candidates: &[Candidate],
    taken: &[(&str, &str)],
) -> Chain {
    let room = Room { seat, panel, candidates, taken };
    let source = Source::of(seat, configured);
    let mut chain = Chain::default();
    for name in room.expanded(stated(seat, configured)) {
        let is_listed =
            chain.agents.contains(&name) || chain.left_out.iter().any(|(known, _)| *known == name);
        match room.may_sit(&name) {
            _ if is_listed => {}
            Ok(()) => chain.agents.push(name),
            // Every chain ends in these two; that one of them is not there goes without saying.
            Err(Why::NotInstalled | Why::Unknown) if !source.names(seat, &name) => {}
            Err(why) => chain.left_out.push((name, why)),
        }
    }
    if matches!(source, Source::Group(_)) && seat.is_panel() {
        chain.agents.sort_by_key(|name| (name == EMBEDDED, room.said_by_vendor_of(name)));
    }
    if seat.group == Some(Group::Debaters) {
        room.keep_one_tool(&mut chain.agents);
    }
    chain
}

/// A seat and everyone around it.
struct Room<'a> {
    seat: &'a Seat,
    panel: &'a [&'a Seat],
    candidates: &'a [Candidate],
    taken: &'a [(&'a str, &'a str)],
}

impl<'a> Room<'a> {
    fn candidate(&self, name: &str) -> Option<&'a Candidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }

    fn vendor(&self, name: &str) -> Option<&'a str> {
        self.candidate(name).map(|candidate| candidate.vendor.as_str())
    }

    /// Names only: those who are any other external agent, in place of the `*` that stands for them.
    fn expanded(&self, names: Vec<String>) -> Vec<String> {
        let each = names.into_iter().map(|name| match name.as_str() {
            ANY_OTHER => self.others().into_iter().map(str::to_owned).collect(),
            _ => vec![name],
        });
        each.flatten().collect()
    }

    /// External agents that are there: those whose vendor has said least come first, and those who will have a
    /// seat of their own in this panel last.
    fn others(&self) -> Vec<&'a str> {
        let candidates = self.candidates.iter().filter(|candidate| candidate.external);
        let mut others: Vec<&'a str> = candidates.map(|candidate| candidate.name.as_str()).collect();
        // Nobody asked for them by name, so only that one of them fails is worth knowing.
        others.retain(|name| matches!(self.may_sit(name), Ok(()) | Err(Why::Unhealthy)));
        others.sort_by_key(|name| (self.said_by_vendor_of(name), self.is_named_elsewhere(name), *name));
        others
    }

    /// In how many other seats of this panel the vendor of this agent sits.
    fn said_by_vendor_of(&self, name: &str) -> usize {
        let vendor = self.vendor(name);
        let others = self.taken.iter().filter(|(seat, _)| *seat != self.seat.id);
        others.filter(|(_, agent)| vendor.is_some() && self.vendor(agent) == vendor).count()
    }

    fn is_named_elsewhere(&self, name: &str) -> bool {
        let Seat { id, group, .. } = self.seat;
        let others = self.panel.iter().filter(|other| other.id != *id && other.group == *group);
        group.is_some() && others.map(|other| other.first.first()).any(|first| first == Some(&name))
    }

    fn may_sit(&self, name: &str) -> Result<(), Why> {
        let candidate = self.candidate(name).ok_or(Why::Unknown)?;
        allowed(self.seat, candidate, self.candidates)?;
        match candidate {
            Candidate { installed: false, .. } => Err(Why::NotInstalled),
            Candidate { healthy: Some(false), .. } => Err(Why::Unhealthy),
            _ => Ok(()),
        }
    }

    /// Both sides of a debate come from one tool, so there is one agent, and it is the other side's.
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

/// Whether the rules of the panel let `candidate` take `seat`, there or not.
pub(super) fn allowed(seat: &Seat, candidate: &Candidate, candidates: &[Candidate]) -> Result<(), Why> {
    if candidate.name == EMBEDDED {
        return if seat.embedded { Ok(()) } else { Err(Why::NotEmbedded) };
    }
    if seat.group != Some(Group::Debaters) {
        return Ok(());
    }
    let is_of = |name: &str| {
        let vendor = candidates.iter().find(|other| other.name == name).map(|other| &other.vendor);
        candidate.name == name || vendor == Some(&candidate.vendor)
    };
    if !candidate.external || is_of(CLAUDE) {
        return Err(Why::DoesNotDebate);
    }
    let other_bucket = BUCKETS.into_iter().find(|tool| !seat.first.contains(tool));
    if other_bucket.is_some_and(is_of) && seat.first.first() != Some(&candidate.name.as_str()) {
        return Err(Why::OtherBucket);
    }
    Ok(())
}
