//! Test support: a hermetic sandbox, a scripted agent, a mock model, a mock Linear server, an MCP
//! client and an HTTP front for MCP servers, a pseudo-terminal.
//!
//! A [`Sandbox`] is a temporary folder with a home of its own and an environment that holds nothing else, so
//! that no test depends on, or touches, the machine it runs on. Programs in it are the real ones: the real
//! binary, the real git. Failures of the sandbox itself panic: they are bugs of the test.

#![allow(clippy::missing_panics_doc, reason = "a broken sandbox is a broken test")]

pub mod fake_agent;
#[cfg(feature = "linear")]
pub mod linear;
mod listener;
pub mod mcp_client;
mod mcp_front;
pub mod mock_model;
pub mod panel;
mod pty;
mod run;
mod sandbox;
pub mod tally;
pub mod till;

pub use listener::{HttpRequest, WebhookListener};
pub use mcp_front::McpFront;
pub use pty::Pty;
pub use run::Output;
pub use sandbox::Sandbox;
