//! The one list of commands. Everything that must know them all reads it here.

use super::{design, research};
use crate::flow::FlowSpec;
use charrette_model::seats::SeatTables;

/// The commands of the product.
pub static FLOWS: [&FlowSpec; 2] = [&design::FLOW, &research::FLOW];

/// The seats of all of them.
pub fn seats() -> SeatTables {
    SeatTables::new(FLOWS.iter().flat_map(|flow| flow.seats.iter().copied()).collect())
}
