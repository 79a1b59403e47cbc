//! Panels of agents, by the rules of [`charrette_model::panel`].
//!
//! [`calls`] prepares the agent call of a seat, [`inputs`] what its prompt quotes, [`grammar`] parses its answer,
//! [`verification`] says how its citations are checked.
//! [`dialectic`] has contested decisions debated and judged, [`investigation`] open questions answered, [`review`] a plan
//! reviewed, [`finding_votes`] findings merged and voted on, [`walkthrough`] its scenarios traced; [`chief`] owns the plan. [`seat_prompt`] shows the prompt of a seat. The flow decides the
//! order.

mod calls;
mod chief;
mod dialectic;
mod finding_votes;
mod grammar;
mod inputs;
mod investigation;
mod labels;
mod quotes;
mod review;
mod seat_outcome;
mod seat_prompt;
mod survey;
mod verification;
mod walkthrough;

pub use calls::{Panel, PanelContext, SeatAssignment};
pub(crate) use calls::{feedback_inputs, seat_call, step_id};
pub use chief::Chief;
pub use dialectic::resolve;
pub(crate) use finding_votes::{VoteRules, VotedFinding, vote_on_findings};
pub(crate) use grammar::{check_manifests, question_round};
pub use investigation::investigate;
pub use labels::{ReviewLabels, seat_label};
pub use review::{ReviewOutcome, review};
pub(crate) use seat_outcome::SeatOutcome;
pub use seat_prompt::{RunFile, render_seat_prompt};
pub use survey::{SurveyArtifact, survey};
pub use walkthrough::walk_through;
