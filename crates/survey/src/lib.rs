//! Survey of a repository, without any model.
//!
//! [`survey`] ranks the files a request is about and lists their tests, risks, similar past commits and the build
//! commands of the repository; [`report`] is its format, [`render`] prints it as text, [`digest`] condenses it for a
//! prompt. [`propose_commands`] proposes the commands that a change is verified with.
//!
//! Inside: `tree` lists and reads files, `words` splits text into terms, `index` counts terms, `history` reads the
//! git log, `rank` orders files, `imports` resolves imports, `syntax` parses, `outline` finds definitions, `facts` finds commands, tests, risks and conventions,
//! `sources` finds the sources of dependencies on this machine.
//! [`embedded`] drafts answers for seats. [`evaluation`] measures the ranking, [`citations`] checks every citation.
//!
//! Read-only and offline: it computes, reads files, and starts the `git` program.

#![allow(clippy::cast_precision_loss, reason = "words, files and commits are counted, and never that many")]

mod adapter;
pub mod citations;
pub mod digest;
pub mod embedded;
pub mod evaluation;
pub mod render;
pub mod report;

mod facts;
mod history;
mod imports;
mod index;
mod outline;
mod parallel;
mod rank;
mod snapshot;
mod sources;
mod surveyor;
mod syntax;
mod tree;
mod words;

pub use adapter::RepositorySurvey;
pub use digest::survey_digest;
pub use facts::verify::{ProposedCommand, ProposedCommands, RepositoryFiles, propose_commands};
pub use rank::weights::Weights;
pub use report::Survey;
pub use sources::roots::SourceRoots;
pub use surveyor::{SurveyError, SurveyOptions, survey};
