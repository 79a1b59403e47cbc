//! Complete command definition of the program.

use super::flow;
use crate::arguments::Arguments;
use charrette_app::App;
use clap::{Command, CommandFactory as _};

/// Commands with an argument struct, without those generated from the flow registry.
pub(crate) fn own_commands() -> Command {
    Arguments::command()
}

/// All commands: those with an argument struct, and one generated for each other flow of the registry.
#[must_use]
pub fn definition(app: &App) -> Command {
    let own = own_commands();
    let flows: Vec<Command> = flow::generated_flows(app, &own).map(flow::flow_command).collect();
    own.subcommands(flows)
}
