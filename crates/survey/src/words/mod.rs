//! Words as code and people write them: `RateLimiter`, `rate_limits`, "rate limiting" are about the same things.
//!
//! [`split`] takes identifiers apart, [`stem`] brings the forms of a word together, [`query`] makes terms out of
//! what was asked for, [`lexicon`] remembers words it met. A term is a number: the spelling is not needed again.

pub(crate) mod lexicon;
pub(crate) mod query;
pub(crate) mod split;
pub(crate) mod stem;
