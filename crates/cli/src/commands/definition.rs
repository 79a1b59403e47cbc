//! Complete command definition of the program.

use super::flow;
use crate::arguments::Arguments;
use charrette_app::App;
use clap::{Command, CommandFactory as _};

/// All commands: those with an argument struct, and one generated for each other flow of the registry.
#[must_use]
pub fn definition(app: &App) -> Command {
    Arguments::command().subcommands(flow::generated_flows(app).map(flow::flow_command))
}
