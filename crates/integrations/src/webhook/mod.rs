//! Telling somebody's server what happened: one signed message at a time.
//!
//! A message is sent once per call. That it is kept until it arrived, and sent again, is for the caller.

mod deliver;
mod signature;

pub use deliver::{Message, Webhook, WebhookError};
pub use signature::signature;
