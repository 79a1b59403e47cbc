//! Help page of the program itself: its commands in groups, interactive ones first, plumbing last.

use charrette_app::App;
use clap::Command;
use std::fmt::Write as _;

/// Groups of the commands for interactive use. All other commands are plumbing.
const COMMAND_GROUPS: &[(&str, &[&str])] = &[
    ("Working", &["design", "implement", "research", "survey", "check", "verify", "next", "done"]),
    ("Runs", &["status", "answer", "resume", "stop", "events", "log", "watch", "abandon"]),
    (
        "Agents and settings",
        &[
            "agents",
            "roles",
            "ask",
            "seats",
            "mcp",
            "ledger",
            "init",
            "doctor",
            "trust",
            "config",
            "plugin",
            "completions",
        ],
    ),
];
const PLUMBING_TITLE: &str = "Plumbing, for scripts and other tools";

/// Width of the name column: the longest command name.
const NAME_WIDTH: usize = 12;

/// The version, if nothing else is asked for. Hosts and scripts ask often, and need no parser.
pub(crate) fn requested_version(words: &[String]) -> Option<String> {
    matches!(words, [word] if word == "--version" || word == "-V")
        .then(|| concat!("charrette ", env!("CARGO_PKG_VERSION")).to_owned())
}

/// Pages that clap does not print by itself: `help --all`, and `--help` of commands that parse their own arguments. The
/// contracts of subcommands below those make `--help` an error; `charrette help` shows their pages.
pub(crate) fn requested_page(app: &App, words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words == ["help", "--all"] {
        let command = with_groups(crate::commands::definition(app), app, true);
        return Some(command.bin_name("charrette").render_help().to_string());
    }
    let (path, last) = words.split_last().map(|(last, path)| (path, *last))?;
    let ([name], "--help" | "-h") = (path, last) else { return None };
    let mut command = crate::commands::definition(app);
    command.build();
    let found = command.find_subcommand_mut(name)?;
    found.is_disable_help_flag_set().then(|| format!("{}\n", found.render_long_help().to_string().trim_end()))
}

/// Adds the grouped list of subcommands, one line each, to the help page of `command`. Plumbing is left out.
#[must_use]
pub fn with_command_groups(command: Command, app: &App) -> Command {
    with_groups(command, app, false)
}

fn with_groups(command: Command, app: &App, with_plumbing: bool) -> Command {
    let is_flow = |name: &str| app.registry.get(name).is_some();
    let mut page = String::new();
    for (title, names) in COMMAND_GROUPS {
        write_group(&command, title, names, &mut page);
    }
    let is_grouped = |name: &str| COMMAND_GROUPS.iter().any(|(_, names)| names.contains(&name));
    let more: Vec<&str> = command
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| is_flow(name) && !is_grouped(name))
        .collect();
    if !more.is_empty() {
        write_group(&command, "More commands", &more, &mut page);
    }
    let is_grouped = |name: &str| is_grouped(name) || more.contains(&name);
    let visible = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    let plumbing: Vec<&str> = visible.map(Command::get_name).filter(|name| !is_grouped(name)).collect();
    if with_plumbing {
        write_group(&command, PLUMBING_TITLE, &plumbing, &mut page);
    }
    // Renamed, so that clap does not suggest hidden commands for a mistyped one.
    let mut unnamed = ["-", "--", "---"].into_iter();
    let command =
        command.mut_subcommands(|inner| match inner.is_hide_set().then(|| unnamed.next()).flatten() {
            Some(name) => inner.name(name),
            None => inner,
        });
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{page}`charrette help COMMAND` shows the options of a command, `charrette help --all` also the commands for scripts.\n\nOptions:\n{{options}}"
    ))
}

fn write_group(command: &Command, title: &str, names: &[&str], page: &mut String) {
    let _ = writeln!(page, "{title}:");
    for inner in names.iter().filter_map(|name| command.find_subcommand(name)) {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "  {:NAME_WIDTH$} {about}", inner.get_name());
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once() {
        let app = App::product();
        let command = crate::commands::definition(&app);
        let page = requested_page(&app, &["help".to_owned(), "--all".to_owned()]).unwrap();
        for inner in command.get_subcommands() {
            let lines = page.lines().filter(|line| {
                line.starts_with("  ") && line.split_whitespace().next() == Some(inner.get_name())
            });
            assert_eq!(lines.count(), usize::from(!inner.is_hide_set()), "{}\n{page}", inner.get_name());
        }
        for name in COMMAND_GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(command.find_subcommand(name).is_some(), "{name}");
        }
    }
}
