//! Panels of agents, by the rules of [`charrette_model::panel`].
//!
//! [`calls`] prepares the agent call of a seat, [`grammar`] parses its answer. [`dialectic`] has contested decisions
//! debated and judged, [`review`] has a plan reviewed and its findings voted on. The flow decides the order.

mod calls;
mod dialectic;
mod grammar;
mod labels;
mod review;
mod seat_outcome;
mod survey;

pub use calls::{Panel, PanelContext, SeatAssignment};
pub(crate) use calls::{feedback_inputs, step_id};
pub use dialectic::{DialecticOutcome, resolve};
pub(crate) use grammar::{parse_spec_files, question_round};
pub use labels::{ReviewLabels, seat_label};
pub use review::{ReviewOutcome, review};
pub use seat_outcome::SeatAgent;
pub use survey::{SurveyArtifact, survey};
