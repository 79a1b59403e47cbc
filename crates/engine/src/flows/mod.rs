//! The flows of the commands, each a plain function that reads like its specification.

pub mod design;
