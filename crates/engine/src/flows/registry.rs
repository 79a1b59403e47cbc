//! Registry of all commands.

use super::{design, implement, research};
use crate::flow::FlowSpec;
use charrette_model::seats::SeatTables;

pub static FLOWS: [&FlowSpec; 3] = [&design::FLOW, &research::FLOW, &implement::FLOW];

/// Seats of all commands.
pub fn seats() -> SeatTables {
    SeatTables::new(FLOWS.iter().flat_map(|flow| flow.seats.iter().copied()).collect())
}
