//! The rules of the room: what a panel of agents may say, in which grammar, and what their votes add up to.
//!
//! Everything here reads text that agents wrote, or writes text they will read. Readers are tolerant: they return
//! what they understood and, apart from it, what they did not, with line numbers; they never fail as a whole, and
//! they never take what they did not understand for consent.
//!
//! - [`lines`], [`token`], `blocks`: what all grammars share.
//! - [`verdict`] and [`severity`]: reviews that end in one word.

pub mod ballot;
mod blocks;
pub mod buckets;
pub mod cited;
pub mod debate;
pub mod decisions;
pub mod dialectic;
pub mod findings;
pub mod ids;
pub mod lines;
pub mod merged;
pub mod resolutions;
pub mod scoreboard;
pub mod severity;
pub mod token;
pub mod verdict;
mod vote_lines;
pub mod votes;
