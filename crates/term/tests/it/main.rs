//! Questions at a real pseudo-terminal, answered key by key.

#![allow(clippy::unwrap_used, reason = "tests")]

mod prompts;
