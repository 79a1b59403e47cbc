//! Words of code and prose as comparable terms: `RateLimiter`, `rate_limits`, "rate limiting" share terms.
//!
//! [`split`] splits identifiers into terms, [`stem`] stems them, [`query`] turns a request into weighted terms, [`symbols`] finds the names of code in it,
//! [`vocabulary`] lists words that say little, [`lexicon`] interns words. A term is a hash: the spelling is not kept.

pub(crate) mod lexicon;
pub(crate) mod query;
pub(crate) mod split;
pub(crate) mod stem;
pub(crate) mod symbols;
mod vocabulary;
