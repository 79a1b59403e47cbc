//! The studio in real repositories, with the real git.

mod branching;
mod entering;
mod looking;
mod place;
mod remotes;
mod reviewers;
