//! What a repository says for itself, without any model.
//!
//! [`survey`] ranks the files a request is about and says what tests them, what looks risky there, what changed like
//! this before and how the repository is built; [`report`] is its form, [`page`] shows it to a person.
//!
//! Inside: `tree` lists and reads files, `words` takes text apart, `index` counts, `history` asks git, `rank` puts in
//! order, `outline` finds definitions, `facts` states the rest. [`measure`] is what the ranking is measured with, and
//! [`places`] looks up whatever a survey cites.
//!
//! Nothing is changed, run or sent anywhere: it computes, reads files, and starts the `git` program.

#![warn(missing_docs)]
#![allow(clippy::cast_precision_loss, reason = "words, files and commits are counted, and never that many")]

mod adapter;
pub mod embedded;
pub mod measure;
pub mod page;
pub mod places;
pub mod report;

mod facts;
mod history;
mod index;
mod look;
mod outline;
mod portions;
mod rank;
mod surveyor;
mod tree;
mod words;

pub use adapter::RepositorySurvey;
pub use rank::weights::Weights;
pub use report::Survey;
pub use surveyor::{Ask, SurveyError, survey};
