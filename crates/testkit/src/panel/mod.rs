//! A whole panel, scripted: a small repository, and what every seat of a design says about one request.
//!
//! `parcels` is the repository, `bed` puts it, the script and the settings into a sandbox, `variants` are the ways in
//! which a run can go otherwise. The texts are files under `assets/`: `parcels/` and `panel/`, one for each step.
//!
//! In the regular run three decisions are contested. The first is upheld by two votes to one, the second overturned
//! by three, the third not debated: `[seats]` leaves its debaters out. Ten findings become nine on the ballot, of
//! which the four outcomes of a vote each get at least one.

mod bed;
mod parcels;
mod variants;

pub use bed::{FEATURE, Panel, REQUEST, Seating};
pub use parcels::{parcels, parcels_in};
pub use variants::{Mishap, Variant};
