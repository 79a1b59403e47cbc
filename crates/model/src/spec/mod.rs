//! Specifications: the files of a design.
//!
//! [`tasks`] parses `tasks.md` and ticks its tasks, [`requirements`] parses `requirements.md`, [`ears`]
//! classifies requirements, [`ids`] and [`links`] follow references between the files. [`record`] is
//! `spec.json`, [`meta`] is `meta.yaml`, [`summary`] is `summary.md`, [`manifest`] is `features.json` and
//! `specs.json`, and [`resolver`] finds a specification by its name. [`crate::markdown`], [`sections`] and
//! [`sentences`] split Markdown and prose.
//!
//! Parsers are tolerant: they return what they understood, and a [`Problem`] for what they did not.
//! [`mod@check`] decides if a specification is good enough.

pub mod approval;
pub mod check;
pub mod coverage;
pub mod ears;
pub mod ids;
pub mod links;
pub mod manifest;
pub mod meta;
pub mod open_points;
pub mod record;
pub mod requirements;
pub mod resolver;
pub mod sections;
pub mod sentences;
pub mod summary;
pub mod tasks;

pub use crate::problem::Problem;
