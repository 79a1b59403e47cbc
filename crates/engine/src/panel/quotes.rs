//! Cited lines for ballots, looked up in the checkout, so that judges and voters need not open every place.

use crate::run::PhaseHandle;
use charrette_model::panel::cite::{ExcerptLimits, quote_place};

/// Looks up the lines of a place such as `src/a.rs:12`.
pub(super) type CitedLines = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Lookup of cited lines in the checkout of the run; finds nothing if there is none.
pub(super) fn cited_lines(phase: &PhaseHandle<'_>) -> CitedLines {
    let sources = phase.run.ports.checkout.sources(&[]);
    Box::new(move |place| quote_place(place, &**sources.as_ref()?, ExcerptLimits::default()))
}
