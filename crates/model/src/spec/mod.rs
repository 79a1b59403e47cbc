//! Specifications: the files of a design as values.
//!
//! [`tasks`] reads `tasks.md` and ticks its tasks, [`requirements`] reads `requirements.md`, [`ears`] tells
//! which shape a requirement has, [`ids`] and [`links`] how the files refer to each other. [`record`] is
//! `spec.json`, [`meta`] is `meta.yaml`, [`summary`] is `summary.md`, [`manifest`] is `features.json` and `specs.json`, and [`resolver`] finds a specification by
//! its name. [`outline`], [`sections`] and [`sentences`] are the little Markdown and prose they all need.
//!
//! Readers are tolerant: they return what they understood, and a [`Problem`] for what they did not. Whether a
//! specification is good enough is decided by [`mod@check`].

pub mod check;
pub mod ears;
pub mod ids;
pub mod links;
pub mod manifest;
pub mod meta;
pub mod outline;
pub mod record;
pub mod requirements;
pub mod resolver;
pub mod sections;
pub mod sentences;
pub mod summary;
pub mod tasks;

pub use crate::problem::Problem;
