//! Agents, tried on what real clients printed, on rubbish, and on scripted counterparts.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod acp;
mod fixtures;
mod openai;
mod rubbish;
