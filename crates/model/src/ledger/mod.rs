//! Ledgers of time, tokens and cost: rows, totals, forecasts.
//!
//! Ledgers are informational. Nothing depends on them, so a row that cannot be written is a warning and a row
//! that cannot be parsed is skipped. [`call`] is charrette's own record of every agent call, [`citations`]
//! the outcome of the check of its answer, [`mod@totals`] and [`mod@forecast`] aggregate them; [`timing`], [`tokens`] and [`issues`] are the ledgers that scripts
//! write through `charrette ledger`, and [`location`] finds their paths. Files are opened elsewhere.

pub mod call;
pub mod citations;
pub mod forecast;
pub mod issues;
pub mod location;
pub mod timing;
pub mod tokens;
pub mod totals;

pub use call::CallRecord;
pub use citations::{CitationCounts, CitationRecord, citation_counts};
pub use forecast::forecast;
pub use totals::{Total, Totals, totals};
