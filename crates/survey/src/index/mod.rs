//! Term index: how often each file contains each term.
//!
//! [`scan`] counts the terms of one file, [`block`] encodes the counts, [`build`] does it for all files,
//! [`cache`] keeps the blocks until the files change. The cache is optional: without it every file is
//! read again.

pub(crate) mod block;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod scan;
