//! Rules of an implementation.

mod changes;
mod drift;
mod plans;
mod rounds;
mod runners;
mod schedules;
