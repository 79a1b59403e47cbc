//! What a run says while it works: how long something took ([`mod@elapsed`]), where it is ([`breadcrumb`], by its
//! [`stage`]), and who is still busy ([`table`]).
//!
//! These are the lines themselves, the same on a terminal and in a log. Colour and live redrawing are not here.

pub mod breadcrumb;
pub mod elapsed;
pub mod stage;
pub mod table;

pub use breadcrumb::{StepPrefix, Trail};
pub use elapsed::elapsed;
pub use stage::{Stage, StageLabel};
pub use table::{Lane, LaneState, status_line};
