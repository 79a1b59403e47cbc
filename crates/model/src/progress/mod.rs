//! Progress output of a run: durations ([`mod@elapsed`]), breadcrumbs ([`breadcrumb`]) of its stages
//! ([`stage`]), and the table of lanes ([`table`]).
//!
//! These are the lines themselves, the same on a terminal and in a log. Colour and live redrawing are not
//! here.

pub mod breadcrumb;
pub mod elapsed;
pub mod stage;
pub mod table;

pub use breadcrumb::{Breadcrumbs, StepPrefix};
pub use elapsed::elapsed;
pub use stage::{StageLabel, StageSpec};
pub use table::{LaneState, TableLane, status_line};
