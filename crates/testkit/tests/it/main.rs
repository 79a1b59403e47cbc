//! The mock model, asked the way clients ask: over a socket.

#![allow(clippy::unwrap_used, reason = "tests")]

mod mock_model;
