//! `charrette mcp`: serves the runs of this repository to the host of a coding agent.

use crate::invocation::Invocation;
use charrette_app::AppError;
use charrette_mcp::{Place, serve};
use clap::Args;
use std::process::ExitCode;

/// Serve the runs of this repository to a coding agent, over MCP
///
/// Speaks the Model Context Protocol on standard input and output; to be started by Claude Code, Codex and other hosts.
/// Starts runs as processes of their own, which outlive the host. Works in the folder of -C, else in the host's first
/// root with a repository, else in the current folder.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {}

pub(crate) fn mcp(invocation: &Invocation, _args: &McpArgs) -> Result<ExitCode, AppError> {
    let is_fixed = invocation.directory.is_some();
    serve(Place::new(invocation.app().clone(), invocation.environment.clone(), is_fixed))?;
    Ok(ExitCode::SUCCESS)
}
