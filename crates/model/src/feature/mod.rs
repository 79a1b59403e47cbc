//! The feature of a run: [`name`] validates names and derives one from a description, [`flags`] parses flags
//! in a prompt, [`words`] makes slugs.

pub mod flags;
pub mod name;
pub mod words;
