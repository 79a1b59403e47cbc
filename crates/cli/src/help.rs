//! The page of help of the program itself: its commands in groups, those for people first.

use charrette_app::App;
use clap::Command;
use std::fmt::Write as _;

/// What people type. The rest is for scripts and other tools.
const FOR_PEOPLE: &[(&str, &[&str])] = &[
    ("Working", &["design", "research", "survey", "check"]),
    ("Runs", &["status", "answer", "resume", "stop", "events", "log", "abandon"]),
    ("Agents and settings", &["agents", "roles", "ask", "ledger", "doctor", "config", "completions"]),
];
const FOR_PROGRAMS: &str = "For scripts and other tools";

/// As wide as the longest name of a command.
const NAMES: usize = 12;

/// The same command with its subcommands in groups, each described in a line.
#[must_use]
pub fn grouped(command: Command, app: &App) -> Command {
    let is_flow = |name: &str| app.registry.get(name).is_some();
    let mut page = String::new();
    for (title, names) in FOR_PEOPLE {
        list(&command, title, names, &mut page);
    }
    let named = |name: &str| FOR_PEOPLE.iter().any(|(_, names)| names.contains(&name));
    let more: Vec<&str> = command
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| is_flow(name) && !named(name))
        .collect();
    if !more.is_empty() {
        list(&command, "More commands", &more, &mut page);
    }
    let named = |name: &str| named(name) || more.contains(&name);
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let rest: Vec<&str> = shown.map(Command::get_name).filter(|name| !named(name)).collect();
    list(&command, FOR_PROGRAMS, &rest, &mut page);
    // What is hidden is no suggestion for a word that was mistyped.
    let command = command.mut_subcommands(|inner| if inner.is_hide_set() { inner.name("-") } else { inner });
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{page}`charrette help COMMAND` says more about each.\n\nOptions:\n{{options}}"
    ))
}

fn list(command: &Command, title: &str, names: &[&str], page: &mut String) {
    let _ = writeln!(page, "{title}:");
    for inner in names.iter().filter_map(|name| command.find_subcommand(name)) {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "  {:NAMES$} {about}", inner.get_name());
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_there_once() {
        let app = App::product();
        let command = crate::commands::definition(&app);
        let page = grouped(command.clone(), &app).render_help().to_string();
        for inner in command.get_subcommands() {
            let lines = page.lines().filter(|line| {
                line.starts_with("  ") && line.split_whitespace().next() == Some(inner.get_name())
            });
            assert_eq!(lines.count(), usize::from(!inner.is_hide_set()), "{}\n{page}", inner.get_name());
        }
        for name in FOR_PEOPLE.iter().flat_map(|(_, names)| *names) {
            assert!(command.find_subcommand(name).is_some(), "{name}");
        }
    }
}
