//! The files of a repository: which there are, what each is, and what is in it.
//!
//! [`listing`] asks git, [`walk`] looks for itself where there is no git, [`kind`] judges by the name,
//! [`content`] reads with limits and leaves out what no person wrote.

pub(crate) mod content;
pub(crate) mod kind;
pub(crate) mod listing;
mod walk;
