//! One question to an endpoint that speaks the chat completions of `OpenAI`, which most servers of models do.
//!
//! [`ask`] streams the answer and falls back to one document if the server prefers that. It has no tools, keeps no
//! clock and tries nothing twice: dropping it is the way to end it, and chains are for others to walk.

mod answer;
mod ask;
mod sse;

pub use ask::{Endpoint, ask};
