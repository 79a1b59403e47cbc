//! The plug-in for hosts: one folder of files, the same for all, carried in the binary so that the two always fit.

mod check;
mod files;

pub use check::check;
pub use files::{FILES, VERSION, install, skills};
