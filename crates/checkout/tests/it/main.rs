//! The work tree of a run, tried in real repositories with the real git.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod branching;
mod delivery;
mod entering;
mod facts;
mod fixture;
mod given_up;
mod head_copy;
mod interrupted;
mod remotes;
mod sources;
mod tree;
mod watch;
mod watched;
mod watched_background;
mod watched_conversions;
mod watched_elsewhere;
mod watched_nested;
mod watched_surroundings;
mod workshop;
mod worktrees;
