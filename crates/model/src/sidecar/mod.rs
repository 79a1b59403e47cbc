//! Sidecar files beside the output of one agent call, for scripts.
//!
//! They are an export, written from charrette's own records. charrette never acts on them: a call is never
//! retried from a command found on disk. [`names`] has their suffixes and the rules for output paths,
//! [`meta`] the call's metadata, [`done`] its sentinel, [`diag`] its diagnostics.

pub mod diag;
pub mod done;
pub mod meta;
pub mod names;

pub use diag::{diag_empty, diag_exit, diag_timeout};
pub use done::{Sentinel, done_text, parse_done};
pub use meta::{CallMeta, meta_text};
pub use names::{Sidecar, is_allowed_output_path, parse_positive, sanitize_tool};
