//! What a run is about: [`name`] says which names a feature may have, [`flags`] reads what was asked along with it.

pub mod flags;
pub mod name;
