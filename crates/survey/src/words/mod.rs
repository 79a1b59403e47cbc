//! Words as code and people write them: `RateLimiter`, `rate_limits`, "rate limiting" are about the same things.
//!
//! [`split`] takes identifiers apart, [`stem`] brings the forms of a word together, [`query`] makes terms out of
//! what was asked for. A term is a number: nothing here needs the spelling again.

pub(crate) mod query;
pub(crate) mod split;
pub(crate) mod stem;
