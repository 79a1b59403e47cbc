//! Ledgers on disk: append-only rows, tolerant readers.
//!
//! Nothing depends on a ledger. A row is one write at the end of the file, not synced; a reader skips invalid
//! rows, such as the torn row of a killed writer. The format of rows is in `charrette_model::ledger`.

mod append;
mod calls;

pub use append::{LedgerError, append, append_in};
pub use calls::{append_call, append_citations, append_day, calls, calls_of_day, runs};
