//! Tests that are too long to stand beside the code they are about.

#![allow(clippy::unwrap_used, reason = "a test that unwraps nothing has failed, as it should")]

mod diagram;
mod manifest;
mod specs;
mod tasks;
