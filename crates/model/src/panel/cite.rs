//! Verified citations: every file and line that an answer names is held against the facts.
//!
//! [`check_citations`] finds the citations of a text and judges them: the file exists or is marked `(new)`, the line is
//! within it, and text quoted together with a place stands there, give or take three lines. [`strike_wrong_citations`]
//! strikes the wrong ones out of the prose; [`quote_places`] quotes the cited lines, for ballots. Facts come through
//! [`SourceFacts`]. `zone` splits an answer into prose, code and JSON, `mention` finds words that may cite, `form` tells
//! paths from other words, `quote` finds quotations, `judge` decides. [`super::places`] is the simpler check of research
//! notes, by line count alone.

mod excerpt;
mod facts;
mod form;
mod judge;
mod mention;
mod newness;
mod quote;
mod strike;
mod zone;

#[cfg(test)]
mod planted;

pub use excerpt::{ExcerptLimits, quote_place, quote_places};
pub use facts::{SourceFacts, SourceKind};
pub use judge::check_citations;
pub use newness::declared_new;
pub use strike::strike_wrong_citations;

use crate::escape::one_line;
use crate::problem::Problem;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// Facts that the caller knows about a text.
#[derive(Debug, Clone, Default)]
pub struct CitationRules {
    /// Names of the run's own files, such as `plan.txt`, with `*` for any text: these are not in the repository.
    pub own_files: BTreeSet<String>,
    /// Paths that the text or its inputs declare new, in addition to those of the text itself.
    pub new_files: BTreeSet<String>,
    /// Paths that the inputs of the text name: without a line the text may repeat them, they were judged there.
    pub named_files: BTreeSet<String>,
    /// Absolute folders outside the repository that may be cited, such as the sources of dependencies.
    pub outside_folders: Vec<String>,
    /// True if a code fence below a lone place quotes it. In a plan it is as often the code to be written.
    pub fences_quote: bool,
    /// True if paths without a line number are left alone.
    pub only_with_lines: bool,
}

/// The citations of a text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitationReport {
    pub citations: Vec<CheckedCitation>,
}

/// A citation and what was found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCitation {
    /// Line number in the citing text, from 1.
    pub line: usize,
    /// Path that was looked up.
    pub path: String,
    /// First and last cited line; none for a path alone.
    pub lines: Option<(usize, usize)>,
    pub verdict: CitationVerdict,
    /// Byte range in the citing text.
    range: Range<usize>,
    /// True if it stands in prose, where it may be struck out.
    in_prose: bool,
}

/// Result of the check of one citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitationVerdict {
    Right,
    Wrong(WrongCitation),
    Unchecked(UncheckedReason),
}

/// Defect of a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrongCitation {
    /// Neither there nor marked `(new)`; files of the same name, if there are any.
    NoSuchFile {
        similar: Vec<String>,
    },
    /// A folder has no lines.
    Folder,
    RangeReversed,
    PastEnd {
        lines: usize,
    },
    /// The quoted text is not there.
    Misquoted {
        /// Text of the first cited line.
        says: String,
        /// Line where the quoted text stands.
        stands_in: Option<usize>,
    },
}

/// Why a citation was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncheckedReason {
    /// Marked or declared as a file to be created.
    New,
    /// One of the run's own files.
    OwnFile,
    OutsideRepository,
    /// Not text, or too large.
    NotText,
    /// A missing file in the output of a program or in proposed code.
    InCode,
}

impl CitationReport {
    pub fn right(&self) -> usize {
        self.citations.iter().filter(|citation| citation.verdict == CitationVerdict::Right).count()
    }

    pub fn wrong(&self) -> impl Iterator<Item = &CheckedCitation> {
        self.citations.iter().filter(|citation| matches!(citation.verdict, CitationVerdict::Wrong(_)))
    }

    pub fn unchecked(&self) -> impl Iterator<Item = &CheckedCitation> {
        self.citations.iter().filter(|citation| matches!(citation.verdict, CitationVerdict::Unchecked(_)))
    }

    /// The wrong citations as problems, to be sent back to the author.
    pub fn problems(&self) -> Vec<Problem> {
        self.wrong().map(|citation| Problem::new(citation.line, citation.to_string())).collect()
    }
}

impl CheckedCitation {
    /// The place as it is cited: `src/a.rs:3-9`.
    pub fn place(&self) -> String {
        match self.lines {
            Some((first, last)) if first == last => format!("{}:{first}", self.path),
            Some((first, last)) => format!("{}:{first}-{last}", self.path),
            None => self.path.clone(),
        }
    }
}

impl fmt::Display for CheckedCitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", one_line(&self.place()), self.verdict)
    }
}

impl fmt::Display for CitationVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CitationVerdict::Right => f.write_str("right"),
            CitationVerdict::Wrong(wrong) => wrong.fmt(f),
            CitationVerdict::Unchecked(reason) => f.write_str(match reason {
                UncheckedReason::New => "a new file",
                UncheckedReason::OwnFile => "a file of this run",
                UncheckedReason::OutsideRepository => "outside the repository",
                UncheckedReason::NotText => "not a text file",
                UncheckedReason::InCode => "in code",
            }),
        }
    }
}

impl fmt::Display for WrongCitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongCitation::NoSuchFile { similar } if similar.is_empty() => {
                f.write_str("there is no such file")
            }
            WrongCitation::NoSuchFile { similar } => {
                write!(f, "there is no such file; of that name there is {}", similar.join(", "))
            }
            WrongCitation::Folder => f.write_str("this is a folder"),
            WrongCitation::RangeReversed => f.write_str("the range ends before it begins"),
            WrongCitation::PastEnd { lines: 1 } => f.write_str("the file has 1 line"),
            WrongCitation::PastEnd { lines } => write!(f, "the file has {lines} lines"),
            WrongCitation::Misquoted { says, stands_in } => {
                f.write_str("the quoted text is not there; ")?;
                match stands_in {
                    Some(line) => write!(f, "it stands in line {line}, and ")?,
                    None => f.write_str("it is not in the file, and ")?,
                }
                if says.is_empty() {
                    f.write_str("the cited line is empty")
                } else {
                    write!(f, "the cited line says: {says}")
                }
            }
        }
    }
}
