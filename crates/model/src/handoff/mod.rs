//! Handoffs between orchestrator and agent: request and response messages, validated field by field.
//!
//! [`shape`] compares a message with a description of its members, [`request`] and [`response`] hold those
//! descriptions and the rules across members, [`schema`] generates JSON Schema from the same descriptions,
//! [`markdown`] finds a response in an agent's Markdown. A check never stops at the first problem: its
//! [`report`] lists all errors and warnings.

pub mod markdown;
pub mod report;
pub mod request;
pub mod response;
pub mod schema;
pub mod shape;

pub use report::{HandoffReport, check_text};
pub use request::check_request;
pub use response::check_response;
