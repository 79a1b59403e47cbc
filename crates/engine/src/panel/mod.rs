//! Panels over the rules of [`charrette_model::panel`]: who is asked what, and what becomes of the answers.
//!
//! [`desk`] turns a seat into a call, [`grammar`] holds an answer against the seat's form. [`dialectic`] has
//! contested decisions debated and judged, [`review`] has a plan reviewed and its findings voted on. In which
//! order that happens is a flow's to say.

mod desk;
mod dialectic;
mod grammar;
mod labels;
mod review;
mod survey;
mod taken;

pub use desk::{Assignment, Desk, Outfit};
pub(crate) use desk::{feedback, step_id};
pub use dialectic::{Resolved, resolve};
pub(crate) use grammar::{round, spec_files};
pub use labels::{ReviewLabels, seat_label};
pub use review::{Reviewed, review};
pub use survey::{Survey, survey};
