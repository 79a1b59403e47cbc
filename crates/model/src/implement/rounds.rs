//! Bounded rounds of a task: when its agent tries again, when another one takes over, and when a person decides.
//!
//! The first attempt and a number of repair rounds belong to the first agent; then another agent of the chain gets one
//! attempt; then a person decides. A round that brings back an earlier tree or an earlier failure ends an agent's turn
//! at once: more of the same will not help.

use super::runner::strip_escapes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Rounds of a task so far, since a person last decided about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundHistory {
    pub rounds: Vec<Round>,
}

/// One attempt of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Name of the agent.
    pub agent: String,
    /// Tree that it left.
    pub tree: String,
    pub outcome: RoundOutcome,
    /// Output or findings that the outcome rests on.
    pub evidence: String,
}

/// Outcome of a round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundOutcome {
    /// Everything holds.
    Passed,
    /// The tree is as it was before.
    Unchanged,
    /// The change breaks a rule.
    Refused,
    /// A verify command or the proof is red.
    #[default]
    Red,
    /// The reviewer answered FAIL.
    Rejected,
    /// The merge with what was integrated since is in conflict or red.
    Conflict,
    /// The agent gave no usable answer.
    NoAnswer,
}

/// Limits of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundLimits {
    /// Repair rounds of the first agent, after its first attempt.
    pub repairs: usize,
    /// Agents of the chain after the first one.
    pub other_agents: usize,
}

impl Default for RoundLimits {
    fn default() -> RoundLimits {
        RoundLimits { repairs: 2, other_agents: 1 }
    }
}

/// What happens after a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextMove {
    /// The first attempt.
    Begin,
    /// The task is ready to be committed.
    Accept,
    /// The same agent tries again, with the evidence; the number of its repair round, from 1.
    Repair(usize),
    /// The next agent of the chain takes over.
    NextAgent(GiveUpReason),
    /// A person decides.
    AskPerson(GiveUpReason),
}

/// Why an agent's turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GiveUpReason {
    /// Its rounds are used up.
    RoundsUsed,
    /// An earlier tree came back.
    SameTree,
    /// The same failure came back.
    SameFailure,
}

impl RoundHistory {
    /// Decides what happens next. `agents_left` is false if the chain has no other agent.
    pub fn next_move(&self, limits: RoundLimits, agents_left: bool) -> NextMove {
        let Some(last) = self.rounds.last() else { return NextMove::Begin };
        if last.outcome == RoundOutcome::Passed {
            return NextMove::Accept;
        }
        let turns = self.turns();
        let turn = turns.last().copied().unwrap_or_default();
        // Only the first agent repairs; those after it get one attempt.
        let allowed = if turns.len() <= 1 { limits.repairs } else { 0 };
        let reason = match self.repetition() {
            Some(reason) => reason,
            None if turn <= allowed => return NextMove::Repair(turn),
            None => GiveUpReason::RoundsUsed,
        };
        if agents_left && turns.len() <= limits.other_agents {
            NextMove::NextAgent(reason)
        } else {
            NextMove::AskPerson(reason)
        }
    }

    /// Number of rounds of each agent in a row.
    fn turns(&self) -> Vec<usize> {
        let mut turns: Vec<(&str, usize)> = Vec::new();
        for round in &self.rounds {
            match turns.last_mut() {
                Some((agent, count)) if *agent == round.agent => *count += 1,
                _ => turns.push((&round.agent, 1)),
            }
        }
        turns.into_iter().map(|(_, count)| count).collect()
    }

    /// Says whether the last round repeats an earlier one. A round without a change or an answer repeats nothing.
    fn repetition(&self) -> Option<GiveUpReason> {
        let (last, earlier) = self.rounds.split_last()?;
        if matches!(last.outcome, RoundOutcome::Unchanged | RoundOutcome::NoAnswer) {
            return None;
        }
        let changed = || {
            let changed =
                |round: &&Round| !matches!(round.outcome, RoundOutcome::Unchanged | RoundOutcome::NoAnswer);
            earlier.iter().filter(changed)
        };
        if !last.tree.is_empty() && changed().any(|round| round.tree == last.tree) {
            return Some(GiveUpReason::SameTree);
        }
        let failure = normalise_failure(&last.evidence);
        let is_same =
            |round: &Round| round.outcome == last.outcome && normalise_failure(&round.evidence) == failure;
        // The failure of the round just before may be meant to change step by step; the same text twice is none.
        (!failure.is_empty() && changed().any(is_same)).then_some(GiveUpReason::SameFailure)
    }
}

impl fmt::Display for GiveUpReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GiveUpReason::RoundsUsed => "all rounds are used up",
            GiveUpReason::SameTree => "an earlier state of the files came back",
            GiveUpReason::SameFailure => "the same failure came back",
        })
    }
}

/// A failure without what changes from run to run: numbers, times, ids, folders, order of lines.
pub fn normalise_failure(text: &str) -> String {
    let text = strip_escapes(text);
    let lines: BTreeSet<String> =
        text.lines().map(normalise_line).filter(|line| line.chars().any(char::is_alphabetic)).collect();
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

fn normalise_line(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let word = match word.rfind('/') {
            // Only the last part of a path says what it is; the folders may be those of another worktree.
            Some(at) if word[..at].contains('/') || word.starts_with('/') => &word[at + 1..],
            _ => word,
        };
        let is_id = word.len() >= 7
            && word.bytes().all(|b| b.is_ascii_hexdigit())
            && word.bytes().any(|b| b.is_ascii_digit());
        if is_id { "0".to_owned() } else { without_digits(word) }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Every run of digits, with dots and colons inside, becomes one zero.
fn without_digits(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut in_number = false;
    for c in word.chars() {
        let continues = in_number && matches!(c, '.' | ':');
        if c.is_ascii_digit() {
            if !in_number {
                plain.push('0');
            }
            in_number = true;
        } else if !continues {
            in_number = false;
            plain.push(c);
        }
    }
    plain
}
