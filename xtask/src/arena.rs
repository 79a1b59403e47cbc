//! The arena: for a request and a repository at a commit, the panel's files against a lone designer's, judged blind.
//!
//! A round takes hours and is played by people or models, so it is a set of small steps over one folder, each of which
//! can be repeated: [`create`] makes the folder, [`panel`] drives the design, [`lone`] asks the lone designer, [`blind`]
//! makes both sides comparable ([`traces`]) and asks the judges, [`tally`] counts their verdicts ([`verdict`]) and what
//! each side took ([`effort`]). [`folder`] knows where everything lies.

mod blind;
mod create;
mod effort;
mod folder;
mod lone;
mod panel;
mod tally;
mod traces;
mod verdict;

use crate::TaskResult;
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum ArenaTask {
    /// Make the folder of a round: two clones of the repository at a commit, and settings with queue agents
    New(create::NewArgs),
    /// Run the panel's design, answering its gates; repeat it to continue an interrupted run
    Panel(panel::PanelArgs),
    /// Write the prompt of the lone designer, with the panel's answers; say which of its files are missing
    Lone {
        /// Folder of the round
        folder: PathBuf,
    },
    /// Make both sides comparable, in random order, and write the judge's prompt
    Blind(blind::BlindArgs),
    /// Count the verdicts of one or more rounds
    Tally {
        /// Folders of rounds
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Write the report to this file too
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

pub(crate) fn arena(task: &ArenaTask) -> TaskResult {
    match task {
        ArenaTask::New(args) => create::create(args),
        ArenaTask::Panel(args) => panel::run(args),
        ArenaTask::Lone { folder } => lone::prepare(folder),
        ArenaTask::Blind(args) => blind::blind(args),
        ArenaTask::Tally { folders, out } => tally::tally(folders, out.as_deref()),
    }
}

#[cfg(test)]
mod tests;
