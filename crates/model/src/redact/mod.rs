//! Redaction of secrets from agent output, before it reaches a disk.
//!
//! Two kinds are found: the exact values of known secrets (`known`), and texts that look like a secret
//! wherever they come from: keys and tokens of common services ([`token`](self), `assigned`, `address`,
//! `pem`). Each is replaced by `[redacted: NAME]`. Prose, identifiers, digests, commits and UUIDs are left
//! alone.
//!
//! What a person wrote may mention a password that no such rule tells from a word: `mentions` finds it, for a question.
//!
//! The cost is little more than that of finding line ends, because every line of every agent is redacted. The
//! choice of secret variables, and the destination of the text, are elsewhere.

mod address;
mod assigned;
mod known;
mod marker;
mod mentions;
mod pem;
mod redactor;
mod token;
mod value;

pub use assigned::{is_secret, is_secret_name};
pub use mentions::{mentions_secret, without_secrets};
pub use redactor::Redactor;
