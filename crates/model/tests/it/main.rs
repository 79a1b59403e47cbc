//! Tests that are too long to stand beside the code they are about.

mod diagram;
