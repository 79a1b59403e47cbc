//! Imports between files: import statements resolved to files of the repository.
//!
//! An import is named only if the rules of its language lead to one file: [`statements`] finds what is imported,
//! [`modules`] resolves it, with rules of their own for [`python`] and [`rust`].

mod modules;
mod python;
mod rust;
mod statements;

pub(crate) use modules::Modules;
