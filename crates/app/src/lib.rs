//! The application: what a face can ask for, as values in and values out. Nothing here prints, parses arguments or knows a
//! terminal.
//!
//! [`App`] is what a binary can do, [`Site`] the place it works in, [`Environment`] the process. [`start`] begins and reopens
//! runs, [`drive`] takes one to its end or its next stop; [`answer`], [`stop`], [`status`], [`explain`], [`read`] and
//! [`events`] look at runs and change them while nobody drives them. [`preview`] and [`closing`] are the pages before and
//! after. [`order`], [`places`] and [`which`] find out what is meant by what was typed; [`ports`], [`room`], [`children`],
//! [`nesting`] and [`webhooks`] are what a run is driven with.

pub mod answer;
pub mod answers;
mod application;
pub mod children;
pub mod closing;
pub mod disk;
pub mod drive;
pub mod environment;
pub mod error;
pub mod events;
pub mod explain;
pub mod export;
pub mod health_file;
mod kept_edits;
pub mod nesting;
pub mod notices;
pub mod order;
pub mod places;
pub mod ports;
pub mod preview;
pub mod read;
pub mod room;
pub mod run_log;
mod site;
mod stage_marks;
pub mod start;
pub mod status;
pub mod stop;
pub mod tracker;
pub mod webhooks;
pub mod which;
pub mod workspaces;

pub use application::App;
pub use environment::Environment;
pub use error::{AppError, ErrorKind};
pub use notices::{Notice, Notices};
pub use order::{RunOrder, StartRequest, Way};
pub use site::{ConfigFile, Site, now};
