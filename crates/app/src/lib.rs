//! The application: the operations of every front end, values in and values out. Nothing here prints, parses arguments or
//! knows a terminal.
//!
//! [`App`] is the registry of commands, [`Site`] the place a command works in, [`trust`] what of it is used, [`Environment`] the process. [`start`]
//! creates and reopens runs, [`drive`] takes one to its end or its next stop; [`answer`], [`stop`], [`status`],
//! [`explain`], [`read`] and [`events`] work on runs that are not driven by this process, [`abandon`] archives one;
//! [`init`] installs hooks, server and skills into clients, [`prove_hooks`] tries the hooks; [`verify_init`] proposes commands that verify a change; [`seat_queue`] plays seats of agents of kind `queue`, [`seat_prompt`] shows what a seat is told. [`preview`] and [`closing`] are the pages before and after. [`start_plan`], [`spec_location`] and [`run_lookup`] resolve what was typed;
//! [`look`], [`launch`], [`host_answer`] and [`file_pages`] are for other programs: a run as a value, a driver as a process
//! of its own, answers bound to what was shown. [`check`] and [`survey`] read specification and repository, [`verify_run`] runs
//! the commands that verify it; [`tasks`] has them done by hand.
//! [`ports`], [`agent_pool`], [`children`], [`nesting`] and [`webhooks`] are what a run is driven with.

pub mod abandon;
mod active_runs;
pub mod agent_pool;
pub mod answer;
pub mod answers_file;
mod application;
pub mod check;
pub mod checkout_lease;
pub mod children;
pub mod closing;
pub mod deleted_run;
pub mod disk;
pub mod drive;
mod edit_backup;
pub mod enclosure;
pub mod entry_check;
pub mod environment;
pub mod error;
pub mod events;
pub mod explain;
pub mod export;
pub mod file_pages;
pub mod garbage;
pub mod health_file;
pub mod host_answer;
pub mod init;
pub mod launch;
pub mod look;
pub mod missing_repository;
pub mod nesting;
pub mod notices;

pub mod plugin;
pub mod ports;
pub mod preview;
pub mod prove_hooks;
pub mod read;

pub mod run_log;
pub mod run_lookup;
pub mod run_watch;
pub mod sandbox;
pub mod seat_prompt;
pub mod seat_queue;
mod site;
mod spec_choice;
pub mod spec_location;
mod stage_ledgers;
pub mod start;
pub mod start_facts;
pub mod start_plan;
pub mod status;
pub mod stop;
pub mod survey;
pub mod tasks;
pub mod tracker;
pub mod trust;
pub mod verify_init;
pub mod verify_run;
pub mod webhooks;

pub mod workspaces;

pub use application::App;
pub use environment::Environment;
pub use error::{AppError, ErrorKind};
pub use notices::{Notice, Notices};
pub use site::{ConfigFile, Site, now};
pub use start_plan::{StartMode, StartPlan, StartRequest};
