//! Scripted panel: an example repository, and the answer of every seat of a design to one request.
//!
//! `parcels` is the repository, `scripted_panel` puts it, the script and the settings into a sandbox, `variants` has
//! variants and faults. The texts are files under `assets/`: `parcels/` and `panel/`, one for each step.
//!
//! In the regular run three decisions are contested. The first is upheld by two votes to one, the second overturned
//! by three, the third not debated: `[seats]` leaves its debaters out. Ten findings become nine on the ballot, of
//! which the four outcomes of a vote each get at least one.

mod parcels;
mod scripted_panel;
mod variants;

pub use parcels::{parcels, parcels_in};
pub use scripted_panel::{FEATURE, Panel, REQUEST, Seating};
pub use variants::{PanelVariant, SeatFault};
