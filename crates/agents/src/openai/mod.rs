//! Client for endpoints that speak the chat completions of `OpenAI`, as most model servers do.
//!
//! [`complete`] streams the answer, or reads one document if the server does not stream. It has no tools, no
//! timeout and no retries: dropping it cancels it, and fallback chains are for callers.

mod completion;
mod request;
mod sse;

pub use request::{Endpoint, complete};
