//! Which file has which terms, and how often.
//!
//! [`scan`] counts the terms of one file, [`block`] keeps the counts small, [`build`] does it for all files,
//! [`cache`] remembers the blocks until the files change. Nothing of it is needed: without a cache every file is
//! read again.

pub(crate) mod block;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod scan;
