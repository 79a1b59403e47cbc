//! What a run is about: [`name`] says which names a feature may have and derives one from a description,
//! [`flags`] reads what was asked along with it. [`words`] turns prose into the words of a name.

pub mod flags;
pub mod name;
pub mod words;
