//! The files beside the output of one agent call, as scripts know them.
//!
//! They are an export, written from what charrette has on record. Nobody inside charrette acts on them: a call is
//! never repeated from a command that was found on disk. [`names`] says what they are called and what an output
//! may be called, [`meta`] is how the call was made, [`done`] that it ended, [`diag`] what went wrong.

pub mod diag;
pub mod done;
pub mod meta;
pub mod names;

pub use diag::{diag_empty, diag_exit, diag_timeout};
pub use done::{Sentinel, done_text, read_done};
pub use meta::{Meta, meta_text};
pub use names::{Sidecar, is_allowed_output_path, positive, sanitized_tool};
