//! The mock model over a socket, as clients use it.

#![allow(clippy::unwrap_used, reason = "tests")]

mod mock_model;
