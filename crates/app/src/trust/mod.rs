//! Trust in what a repository says: the part of it that makes charrette run, send or obey something is used once a person
//! said yes to exactly this content.
//!
//! [`repository_texts`] reads that part, [`manifest`] is its canonical text with a digest, [`state`] decides whether it is
//! trusted, [`decision`] refuses, keeps and forgets. Programs that a repository's own `.git/config` or hooks name are not
//! part of it: git never starts them for charrette, trusted or not.

mod decision;
mod manifest;
mod repository_texts;
mod state;

pub use decision::{Kept, accept, records, refusal, require, revoke};
pub use manifest::{Item, Manifest};
pub use repository_texts::RepositoryTexts;
pub(crate) use repository_texts::template_files;
pub(crate) use state::TrustInputs;
pub use state::{Trust, TrustGrant, TrustProblem, TrustState};
