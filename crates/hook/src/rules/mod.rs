//! Rules: what is denied to whom.
//!
//! [`judge`] goes through the acts of a tool; [`lane`] has the rules of lanes, [`session`] those of sessions in a driven
//! checkout, [`danger`] and [`secrets`] are shared. Rules for shipping and for seats claimed by a session are not here yet.

mod danger;
mod judge;
mod lane;
mod secrets;
mod session;

pub(crate) use judge::judge;
