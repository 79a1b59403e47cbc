//! MCP server: the runs of one repository, for the hosts of coding agents (Claude Code, Codex and others).
//!
//! The server keeps nothing that matters between calls and drives nothing: [`charrette_app::launch`] starts drivers as
//! processes of their own, and everything else is read from documents. [`server`] is the protocol's handler, [`catalog`]
//! the tools, [`arguments`] and [`results`] what they take and give, [`calls`] what they do. [`forms`] shows gates to the
//! person, [`tasks`] shows runs as tasks, [`resources`] and [`prompts`] serve files and prompts. [`place`] finds the
//! repository, [`stdio`] claims the streams.

mod answering;
mod arguments;
mod calls;
mod catalog;
mod forms;
mod place;
mod prompts;
mod resources;
mod results;
mod server;
mod stdio;
mod tasks;
mod waiting;

pub use place::Place;
pub use server::Server;
pub use stdio::serve;
