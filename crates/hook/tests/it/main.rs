//! The hook, tried on real repositories, real files and the inputs of real clients.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod clients;
mod commands;
mod contract;
mod errors;
mod files;
mod honest;
mod program;
mod reading;
mod stage;
