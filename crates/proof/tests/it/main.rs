//! Parts of a proof that need no client: reading configurations, trust, results.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod fake_client;
mod reading;
