//! The interfaces of the vendors, one module each: what a request asks, and how a turn is said in it.

mod anthropic;
mod chat;
mod gemini;
mod responses;
mod route;

pub(super) use route::{Api, Asked};
