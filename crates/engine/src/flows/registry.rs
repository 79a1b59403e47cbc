//! Registry of all commands.

use super::{design, research};
use crate::flow::FlowSpec;
use charrette_model::seats::SeatTables;

pub static FLOWS: [&FlowSpec; 2] = [&design::FLOW, &research::FLOW];

/// Seats of all commands.
pub fn seats() -> SeatTables {
    SeatTables::new(FLOWS.iter().flat_map(|flow| flow.seats.iter().copied()).collect())
}
