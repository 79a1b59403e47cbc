//! Sources of the dependencies on this machine, at the versions the repository pins.
//!
//! [`roots`] says where each package manager keeps sources; [`rust`], [`go`], [`node`], [`python`] and [`java`] read the
//! lock files of their language and look there; [`imports`] sees which dependencies the relevant files import, and
//! [`find`] puts those first. Nothing is executed, and only folders with a known name are looked at. The dependencies
//! that manifests declare are found in `facts::stack`.

pub(crate) mod find;
mod go;
mod imports;
mod java;
mod lock;
mod node;
mod python;
pub(crate) mod roots;
mod rust;
