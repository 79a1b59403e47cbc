//! Files of a repository.
//!
//! [`listing`] lists them with git, [`walk`] without git; [`kind`] classifies them by path; [`content`] reads them
//! with limits and skips generated ones.

pub(crate) mod content;
pub(crate) mod kind;
pub(crate) mod listing;
mod walk;
