//! The rules of the model, tried from outside.

mod transitions;
