//! The engine on real files, with small flows.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod citations;
mod conformance;
mod deliverables;
mod kept_answers;
mod random_flows;
mod research_seats;
mod role_answers;
mod role_files;
mod role_prompts;
mod seat_chains;
mod seat_plans;
mod seats;
mod stage;
mod stages;
mod steps;
