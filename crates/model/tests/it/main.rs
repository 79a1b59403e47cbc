//! The rules of the model, tried from outside.

mod findings;
mod transitions;
