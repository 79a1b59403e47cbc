//! The rules of the model, tried from outside.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "tests")]

mod checks;
mod diagram;
mod findings;
mod implement;
mod manifest;
mod progress;
mod redaction;
mod specs;
mod tasks;
mod transitions;
