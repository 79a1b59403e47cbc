//! Webhook delivery: one signed message to one URL.
//!
//! Each call sends a message once. Keeping messages until they are delivered, and retries, are for the caller.

mod deliver;
mod signature;

pub use deliver::{Webhook, WebhookError, WebhookMessage};
pub use signature::signature;
