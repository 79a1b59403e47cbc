//! Everything that can be typed.

use super::flow;
use crate::arguments::Arguments;
use charrette_app::App;
use clap::{Command, CommandFactory as _};

/// The commands that are defined here, without those that are made from the registry.
pub(crate) fn own_commands() -> Command {
    Arguments::command()
}

/// Everything that can be typed: the commands defined here, and one for each flow that has none.
#[must_use]
pub fn definition(app: &App) -> Command {
    let own = own_commands();
    let flows: Vec<Command> = flow::flows(app, &own).map(flow::definition).collect();
    own.subcommands(flows)
}
