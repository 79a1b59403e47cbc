//! Supervisor of agent processes.
//!
//! [`process_spec`] describes a process, [`supervise`] runs it within its [`timeouts`] and ends it with its
//! children. [`stdio`] runs a client that prints its answer, [`acp`] one that speaks the Agent Client Protocol.
//! [`lines`], [`capture`] and [`output_stream`] bound its output in memory and on disk. The reader of its
//! format parses the output.

mod acp;
mod capture;
mod lines;
mod output_stream;
mod process_spec;
mod stdio;
mod supervise;
pub(crate) mod timeouts;

pub(crate) use lines::{LineSplitter, Piece};
pub use process_spec::{CaptureTarget, LineRedactor, ProcessProtocol, ProcessSpec, StdinInput};
pub(crate) use supervise::survivors_message;
pub use supervise::{CallReport, EndHook, supervise};
pub use timeouts::CallTimeouts;
pub(crate) use timeouts::{ActivityMonitor, sleep_unstopped};
