//! `charrette design` before and after the engine drives it.
//!
//! [`level`] and [`order`] make of what was typed which run is meant and how far it goes, [`preview`], [`screens`] and
//! [`closing`] are the pages around it, [`brief`] makes the run ready to be driven, and [`by_hand`] keeps what a person
//! wrote before a fresh start.

pub(crate) mod brief;
pub(crate) mod by_hand;
mod closing;
pub(crate) mod level;
pub(crate) mod order;
mod preview;
pub(crate) mod screens;

pub(crate) use brief::{Manner, brief, deliverables, role_texts, spec_folder};
