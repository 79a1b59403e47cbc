//! `charrette ledger`: what runs took and cost, and the ledgers that scripts keep.

mod arguments;
mod cost;
mod issue;
mod rows;

pub(crate) use arguments::{LedgerArgs, ledger};
