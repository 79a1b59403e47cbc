//! Refuses operations that change a run to processes that work for a run: an agent in a seat, or something it started.
//!
//! An agent may read a run, but never start, answer, stop or change one. It is recognised by its environment, by the
//! register of drivers, and by its ancestors: a process that empties its environment and leaves its group is still a
//! descendant of the driver, because drivers adopt the orphans of their agents (Linux). Where none of that can be looked up,
//! as in another process namespace or beside another home folder, the mark of its lane tells ([`charrette_sandbox::lane`]).

use crate::agent_pool::state_folder;
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use charrette_agents::orphans::{Ancestry, LANE_VARIABLE, enclosing_driver};
use charrette_agents::pool::drivers_folder;
use charrette_model::escape::printable;
use charrette_sandbox::lane;
use charrette_store::Lease;

/// Refuses if this process works for a run. `act` says what it wants to do, such as "answer a gate".
pub fn refuse_inside_agent(site: &Site, act: &str) -> Result<(), AppError> {
    refuse_descendant(site, &Ancestry::of_this_process(), act)
}

/// Refuses if this process works for a run, or if that cannot be told because an ancestor cannot be looked up.
pub fn refuse_below_agent(site: &Site, act: &str) -> Result<(), AppError> {
    let ancestry = Ancestry::of_this_process();
    refuse_descendant(site, &ancestry, act)?;
    if ancestry.is_complete() {
        return Ok(());
    }
    Err(AppError::new(
        ErrorKind::Refused,
        format!("cannot {act}: the processes that started this one cannot be looked up, so it may work for an agent"),
    )
    .hint("Reading works. Run the command in a terminal of your own"))
}

fn refuse_descendant(site: &Site, ancestry: &Ancestry, act: &str) -> Result<(), AppError> {
    if enclosing_run(site, ancestry).is_none() {
        return Ok(());
    }
    // The id of an ancestor that has ended may be another process's by now.
    let Some(run) = enclosing_run(site, &Ancestry::look_up()) else { return Ok(()) };
    Err(AppError::new(
        ErrorKind::Refused,
        format!("an agent cannot {act}: this process works for {}", printable(&run)),
    )
    .hint("Run the command in a terminal of your own"))
}

/// Description of the run that this process works for.
fn enclosing_run(site: &Site, ancestry: &Ancestry) -> Option<String> {
    let lane = site.environment.text(LANE_VARIABLE);
    let driver = enclosing_driver(&drivers_folder(&state_folder(site)), lane.as_deref(), ancestry);
    driver
        .or_else(|| {
            // The register is in a folder that the environment names; the lease is in the repository.
            let holder = Lease::holder(&site.documents().folder().checkout()).ok().flatten()?;
            let is_ancestor = holder.shares_process_ids()
                && ancestry.ancestors().iter().any(|pid| pid.cast_unsigned() == holder.pid);
            is_ancestor.then_some(holder.command)
        })
        .or_else(|| ancestry.own_program(is_server))
        .or_else(|| lane::is_inside().then(|| "a run that it cannot see".to_owned()))
}

/// Name of the command that serves hosts and drives nothing itself; the drivers that it starts are its children.
pub const SERVER_COMMAND: &str = "mcp";

/// True for the arguments of a server.
fn is_server(arguments: &[String]) -> bool {
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-C" => drop(words.next()),
            option if option.starts_with('-') => {}
            command => return command == SERVER_COMMAND,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_by_its_command() {
        for (line, expected) in [
            ("mcp", true),
            ("-C mcp mcp", true),
            ("-C/x --json mcp", true),
            ("-C mcp design x", false),
            ("design mcp", false),
            ("resume -- mcp", false),
            ("", false),
        ] {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            assert_eq!(is_server(&arguments), expected, "{line}");
        }
    }
}
