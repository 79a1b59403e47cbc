//! The engine on real files, with flows made up on the spot.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod deliverables;
mod random_flows;
mod role_answers;
mod role_files;
mod role_prompts;
mod stage;
mod steps;
