//! `charrette ledger`: cost of runs, and the ledgers that scripts write.

mod arguments;
mod cost;
mod issue;
mod rows;

pub(crate) use arguments::{LedgerArgs, ledger};
