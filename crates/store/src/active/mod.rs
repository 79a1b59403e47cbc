//! `active.json`: the runs that are driven or waiting, for hooks.
//!
//! A hook decides in a millisecond whether a session may do something. It reads this one file and no document, so that
//! finished runs cost nothing. [`file`] has its contents and its reader, [`register`] its writer, [`process`] tells
//! whether a driver is still alive.

mod file;
mod process;
mod register;

pub use file::{
    ACTIVE_VERSION, Active, ActiveRun, DriverProcess, FileProblem, HookSettings, ReactionToErrors, Rights,
    active_folder, active_path, read_active,
};
pub use process::{is_alive, process_start};
pub use register::ActiveRegister;
