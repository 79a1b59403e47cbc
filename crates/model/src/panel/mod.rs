//! The rules of the room: what a panel of agents may say, in which grammar, and what their votes add up to.
//!
//! Everything here reads text that agents wrote, or writes text they will read. Readers are tolerant: they return
//! what they understood and, apart from it, what they did not, with line numbers. They never fail as a whole, and
//! they never take what they did not understand for consent.
//!
//! - What all grammars share: [`lines`], [`token`], [`ids`], [`cited`], [`places`], and inside, blocks and vote lines. Exact
//!   wordings are in [`texts`].
//! - Contested decisions: [`decisions`], [`buckets`], [`debate`], [`dialectic`], [`resolutions`].
//! - Plan review: [`findings`], [`merged`], [`ballot`], [`votes`], [`scoreboard`], [`review_files`].
//! - The plan: [`plan`].
//! - Reviews that end in one word: [`verdict`], [`severity`].
//! - Research of a topic: [`research_notes`], whose places are held against the repository.
//! - Talking to the person: [`context_summary`], [`questions`], [`discussion`].
//!
//! Launching agents, collecting their answers and writing files is deliberately elsewhere.

mod blocks;
mod code_references;
mod vote_lines;

pub mod ballot;
pub mod buckets;
pub mod cited;
pub mod context_summary;
pub mod debate;
pub mod decisions;
pub mod dialectic;
pub mod discussion;
pub mod findings;
pub mod ids;
pub mod lines;
pub mod merged;
pub mod names;
pub mod places;
pub mod plan;
pub mod questions;
pub mod research_notes;
pub mod resolutions;
pub mod review_files;
pub mod scoreboard;
pub mod severity;
pub mod tally_file;
pub mod texts;
pub mod token;
pub mod verdict;
pub mod votes;
