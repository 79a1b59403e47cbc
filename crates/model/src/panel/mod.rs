//! Design panel: the grammars of what agents answer, and the rules by which their votes count.
//!
//! Everything here parses text written by agents, or writes text for them. Parsers are tolerant: they return
//! what they understood and, separately, problems with line numbers. They never fail as a whole, and they never
//! take unknown text for approval.
//!
//! - Shared by all grammars: [`crate::markdown`], [`token`], [`ids`], [`citations`], [`places`], [`cite`], and privately
//!   `blocks`, `vote_lines` and `ranking`. Texts fixed by contract are in [`texts`], file names in [`file_names`].
//! - Contested decisions: [`decisions`], [`buckets`], [`debate`], [`dialectic`], [`resolutions`].
//! - Plan review: [`findings`], [`review_items`], [`accounting`], [`ballot`], [`votes`], [`remedies`], [`scoreboard`],
//!   [`review_files`], [`tally_file`]. Ballots quote cited lines through [`quotes`].
//! - Investigation of what nobody knows: [`inquiries`], [`investigation`].
//! - Plan review: [`findings`], [`review_items`], [`ballot`], [`votes`], [`scoreboard`], [`review_files`],
//!   [`tally_file`].
//! - The plan: [`plan`]; its changes: [`section_edits`].
//! - Reviews with a verdict: [`verdict`], [`severity`].
//! - Research of a topic: [`research_notes`], whose places are checked against the repository.
//! - Questions to the person: [`context_summary`], [`questions`], [`discussion`].
//!
//! Launching agents, collecting their answers and writing files is deliberately elsewhere.

mod blocks;
mod code_references;
mod parts;
mod ranking;
mod tally_table;
mod vote_lines;

pub mod accounting;
pub mod ballot;
pub mod buckets;
pub mod citations;
pub mod cite;
pub mod context_summary;
pub mod debate;
pub mod decisions;
pub mod dialectic;
pub mod discussion;
pub mod disposition;
pub mod file_names;
pub mod findings;
pub mod ids;
pub mod implementation;
pub mod inquiries;
pub mod investigation;
pub mod places;
pub mod plan;
pub mod questions;
pub mod quotes;
pub mod remedies;
pub mod research_notes;
pub mod resolutions;
pub mod review_files;
pub mod review_items;
pub mod scoreboard;
pub mod section_edits;
pub mod severity;
pub mod tally_file;
pub mod task_review;
pub mod texts;
pub mod token;
pub mod verdict;
pub mod votes;
pub mod walkthrough;
