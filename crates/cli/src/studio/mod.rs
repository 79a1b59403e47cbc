//! The place a design is made in: the branch it starts from and the one it works on, a survey, a drawing.
//!
//! [`here`] is what the engine asks for. [`facts`] is what git and the configuration say about branches, `mainline`
//! main and its remote; `entrance` and `preflight` decide whether a design may begin, `branching` goes to its
//! branch, `drawing` draws. [`availability`] says which reviewers are missing.
//!
//! The rules are in `charrette_model::{branch, gate}`; here git is asked and obeyed.

pub(crate) mod availability;
mod branching;
mod drawing;
mod entrance;
pub(crate) mod facts;
pub(crate) mod here;
pub(crate) mod mainline;
mod preflight;
#[cfg(test)]
mod tests;

pub(crate) use here::StudioHere;
