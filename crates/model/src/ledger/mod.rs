//! What a run took and cost, as far as anybody said so: rows, totals, forecasts.
//!
//! Ledgers are for looking at. Nothing depends on them, so a row that cannot be written is a warning and a row
//! that cannot be read is passed over. [`call`] is what charrette itself records of every call of an agent,
//! [`mod@totals`] and [`mod@forecast`] add that up; [`timing`], [`tokens`] and [`issues`] are the ledgers that scripts write
//! through `charrette ledger`, and [`place`] says where those are. Files are opened elsewhere.

pub mod call;
pub mod forecast;
pub mod issues;
pub mod place;
pub mod timing;
pub mod tokens;
pub mod totals;

pub use call::CallRecord;
pub use forecast::forecast;
pub use totals::{Total, Totals, totals};
