//! Secrets taken out of what agents write, before it reaches a disk.
//!
//! Two kinds are found: the exact values of secrets that are known (`known`), and texts that look like a secret
//! wherever they come from: keys and tokens of common services ([`token`](self), `assigned`, `address`, `pem`).
//! Each is replaced by `[redacted: NAME]`. Prose, identifiers, digests, commits and UUIDs are left alone.
//!
//! Reading costs little more than looking for line ends, because it happens for every line of every agent.
//! Which variables hold secrets, and where the text goes, is decided elsewhere.

mod address;
mod assigned;
mod known;
mod marker;
mod pem;
mod redactor;
mod token;
mod value;

pub use assigned::{is_secret, is_secret_name};
pub use redactor::Redactor;
