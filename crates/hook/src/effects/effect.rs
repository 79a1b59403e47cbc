//! An effect of a command.

use super::surroundings::Place;
use crate::shell::Argument;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Writes {
        target: Target,
        act: WriteAct,
    },
    Reads(Target),
    Git(GitAct),
    /// Runs a program that is not known to only read.
    Runs(String),
    /// Runs something that cannot be read here, such as a script in another language.
    Unreadable(String),
    /// Sets a variable that changes what programs do.
    Sets(String),
    /// Runs charrette in a way that starts, answers or changes something.
    Charrette(String),
    Danger(Danger),
    /// The command is too long or too deeply nested to be read.
    TooLong,
}

/// Commands that are dangerous whatever their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Danger {
    ForkBomb,
    /// A download that a shell or an interpreter executes.
    DownloadRun,
    /// Formats or partitions a disk.
    Disk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteAct {
    Change,
    Remove,
    /// With everything below.
    RemoveTree,
    Permissions,
    /// With everything below.
    PermissionsTree,
}

/// A file or folder, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Absolute, without `.` and `..`.
    At(PathBuf),
    /// Entries of a folder whose names fit a pattern; without one, an unknown entry.
    Below {
        folder: PathBuf,
        name: Option<Argument>,
    },
    /// Files at any depth below a folder whose names fit a pattern.
    Named {
        folder: PathBuf,
        name: Argument,
    },
    /// Created by the command itself, outside the repository.
    Fresh,
    Unknown,
}

/// One call of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitAct {
    /// `git` and its subcommand, for messages.
    pub(crate) name: String,
    pub(crate) kind: GitKind,
    /// Folder that it works in.
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GitKind {
    /// Changes nothing.
    Reads,
    /// Changes files of the work tree, or the index.
    Tree,
    /// Changes commits, references or configuration; HEAD stays on its branch and keeps its commits.
    Records,
    /// Not known: an alias or an external command.
    Unknown,
    /// Removes files that git ignores, in the whole tree.
    RemovesIgnored,
    /// Rewrites the commits of the current branch.
    Rewrites,
    /// Moves HEAD to another branch or commit.
    LeavesBranch,
    /// Switches to the main branch, pushes to it or moves it.
    Main,
}
