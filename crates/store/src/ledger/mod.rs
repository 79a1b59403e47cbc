//! Ledgers on disk: rows that are only ever added, and readers that forgive.
//!
//! Nothing depends on a ledger. A row is one write at the end of the file, not synced; a reader passes over what
//! it cannot read, such as the row of a writer that was killed. What rows mean is in `charrette_model::ledger`.

mod append;
mod calls;

pub use append::{LedgerError, append};
pub use calls::{append_call, append_day, calls, calls_of_day, runs};
