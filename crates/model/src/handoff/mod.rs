//! What an orchestrator hands to an agent and gets back: the two messages, checked field by field.
//!
//! [`shape`] compares a message with a description of its members, [`request`] and [`response`] hold those
//! descriptions and the rules that go across members, [`schema`] gives the same descriptions as JSON Schema,
//! [`markdown`] finds a response in what an agent wrote around it. A check never stops at the first problem:
//! its [`report`] has everything it found, errors apart from warnings.

pub mod markdown;
pub mod report;
pub mod request;
pub mod response;
pub mod schema;
pub mod shape;

pub use report::{Report, check_text};
pub use request::check_request;
pub use response::check_response;
