//! The APIs of the vendors, one module each: parses requests and formats turns.

mod anthropic;
mod chat;
mod gemini;
mod responses;
mod route;

pub(super) use route::{Api, ModelRequest};
