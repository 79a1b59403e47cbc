//! The scripted model: answers the requests of a client from a fixed list of tool calls. Used for proofs only.
//!
//! [`server`] listens on loopback, [`script`] chooses the turn; [`messages`], [`responses`] and [`generate`] are
//! the APIs of Claude Code, Codex and Gemini CLI.

mod generate;
mod http;
mod messages;
mod responses;
mod script;
mod server;

pub(crate) use script::{AGENT_ID, Lane, MAIN_MARK, SUBAGENT_MARK, Script, ScriptLog, ToolCall};
pub(crate) use server::ScriptedModel;
