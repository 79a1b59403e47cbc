//! The published hook, compared with the hook that has the ordinary start.

#![cfg(first_look)]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod call;
mod folders;
mod inputs;
mod scene;
mod starts;
