//! Authors of a run in words, for the first lines of the closing page and of `summary.md`, and for the record of the panel.

use crate::evidence_note::without_note;
use crate::participation::SeatResult;
use crate::ports::FailedAgent;
use charrette_model::seats::EMBEDDED;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of characters of a reason.
const MAX_REASON_CHARS: usize = 200;

/// Agents of a run, by seat, and the agents that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authorship {
    pub occupants: Vec<SeatOccupant>,
    /// Agents that gave no usable answer to a seat, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<SeatFailure>,
}

/// Agent and vendor that took a seat. A recorded input of steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatOccupant {
    /// Seat id.
    pub seat: String,
    /// Agent name in the configuration.
    pub agent: String,
    pub vendor: String,
}

/// An agent that failed in a seat. A recorded input of steps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatFailure {
    /// Seat id.
    pub seat: String,
    pub agent: String,
    /// Reason, without the name of the file that has the output.
    pub reason: String,
}

impl Authorship {
    /// Makes it from the seats of a run; `vendors` are the vendors by agent.
    pub fn new(seats: &[SeatResult], vendors: &BTreeMap<String, String>) -> Authorship {
        let occupants = seats.iter().filter_map(|result| {
            let agent = result.agent.clone()?;
            let vendor = vendors.get(&agent).unwrap_or(&agent).clone();
            Some(SeatOccupant { seat: result.seat.clone(), agent, vendor })
        });
        let failed = seats.iter().flat_map(|result| {
            result.failed.iter().map(|FailedAgent { agent, reason }| SeatFailure {
                seat: result.seat.clone(),
                agent: agent.clone(),
                reason: without_note(reason).to_owned(),
            })
        });
        Authorship { occupants: occupants.collect(), failed: failed.collect() }
    }

    /// True if only the embedded agent took part so far.
    pub(crate) fn is_without_model(&self) -> bool {
        !self.occupants.is_empty() && self.vendors(|_| true).is_empty()
    }

    /// One sentence about the author, and one about each agent that failed.
    pub fn headline(&self) -> String {
        let mut sentences = vec![self.author()];
        sentences.extend(self.failures());
        sentences.join(" ")
    }

    /// The agent that wrote the files, and the vendors that sat and voted.
    fn author(&self) -> String {
        let sat = self.vendors(|_| true);
        if self.occupants.is_empty() {
            return "Who sat is not on record.".to_owned();
        }
        if sat.is_empty() {
            return "No model took part: the embedded agent drafted this from what the repository says."
                .to_owned();
        }
        let writer = self.occupants.iter().rfind(|seat| is_writer(&seat.seat));
        let written = match writer {
            Some(seat) if is_embedded(seat) => "Written by the embedded agent, without a model; ".to_owned(),
            Some(seat) => format!("Written by {}; ", seat.agent),
            None => String::new(),
        };
        let embedded: BTreeSet<&str> =
            self.occupants.iter().filter(|seat| is_embedded(seat)).map(|seat| seat.seat.as_str()).collect();
        let filled = match embedded.len() {
            0 => String::new(),
            count => format!(" The embedded agent took {}, without a model.", counted(count, "seat")),
        };
        let voted = self.vendors(is_voter);
        let votes =
            if voted.is_empty() { "none voted".to_owned() } else { format!("{} voted", listed(&voted)) };
        format!("{written}{} took part ({}), {votes}.{filled}", counted_vendors(sat.len()), listed(&sat))
    }

    /// Each agent that failed, with its seats and the first reason.
    pub fn failures(&self) -> Vec<String> {
        let mut agents: BTreeMap<&str, (BTreeSet<&str>, &str)> = BTreeMap::new();
        for failure in &self.failed {
            let known = agents.entry(&failure.agent).or_insert_with(|| (BTreeSet::new(), &failure.reason));
            known.0.insert(&failure.seat);
        }
        let sentence = |(agent, (seats, reason)): (&str, (BTreeSet<&str>, &str))| {
            let mut reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
            reason = reason.trim_end_matches(['.', ' ']).to_owned();
            format!("{agent} gave no usable answer in {}: {reason}.", counted(seats.len(), "seat"))
        };
        agents.into_iter().map(sentence).collect()
    }

    /// Distinct vendors of the models in some seats.
    fn vendors(&self, is_counted: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let models = self.occupants.iter().filter(|seat| !is_embedded(seat) && is_counted(&seat.seat));
        models.map(|seat| seat.vendor.to_lowercase()).collect()
    }
}

fn is_embedded(seat: &SeatOccupant) -> bool {
    seat.agent == EMBEDDED || seat.vendor == EMBEDDED
}

fn is_voter(seat: &str) -> bool {
    seat.starts_with("voter") || seat.starts_with("change-voter") || seat.starts_with("judge")
}

fn is_writer(seat: &str) -> bool {
    seat == "writer" || seat.ends_with("-writer") || seat.ends_with("synthesist")
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn counted_vendors(count: usize) -> String {
    counted(count, "distinct vendor")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence_note::{with_answer, with_output};

    fn seat(seat: &str, vendor: &str) -> SeatOccupant {
        SeatOccupant { seat: seat.to_owned(), agent: vendor.to_owned(), vendor: vendor.to_owned() }
    }

    fn failure(seat: &str, agent: &str, reason: &str) -> SeatFailure {
        SeatFailure { seat: seat.to_owned(), agent: agent.to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn failures_are_the_same_whatever_the_attempt() {
        let attempt = |number: u32| {
            let file = format!("evidence/write-planner-{number}-claude-1.txt");
            let failed = |agent: &str, reason| FailedAgent { agent: agent.to_owned(), reason };
            let failed = vec![
                failed("claude", with_output("exit code 1", &file)),
                failed("codex", with_answer("no plan in it", &file)),
            ];
            let seat = SeatResult { seat: "planner".to_owned(), agent: Some(EMBEDDED.to_owned()), failed };
            Authorship::new(&[seat], &BTreeMap::new())
        };
        assert_eq!(attempt(1), attempt(2));
        assert_eq!(
            attempt(1).failures(),
            [
                "claude gave no usable answer in 1 seat: exit code 1.",
                "codex gave no usable answer in 1 seat: no plan in it.",
            ]
        );
    }

    #[test]
    fn the_headline_names_the_author_the_vendors_and_the_failures() {
        let logged_out = "not logged in: run `claude`, then /login";
        for (occupants, failed, text) in [
            (vec![], vec![], "Who sat is not on record."),
            (
                vec![seat("writer", EMBEDDED)],
                vec![failure("writer", "claude", logged_out), failure("planner", "claude", "later")],
                "No model took part: the embedded agent drafted this from what the repository says. \
                 claude gave no usable answer in 2 seats: not logged in: run `claude`, then /login.",
            ),
            (
                vec![seat("writer", "anthropic"), seat("voter-claude", "Anthropic")],
                vec![],
                "Written by anthropic; 1 distinct vendor took part (anthropic), anthropic voted.",
            ),
            (
                vec![seat("writer", EMBEDDED), seat("judge-codex", "openai"), seat("sketch-arch", EMBEDDED)],
                vec![],
                "Written by the embedded agent, without a model; 1 distinct vendor took part (openai), openai voted. \
                 The embedded agent took 2 seats, without a model.",
            ),
        ] {
            assert_eq!(Authorship { occupants, failed }.headline(), text);
        }
    }
}
