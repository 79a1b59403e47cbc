//! `charrette completions`: what a shell needs to know to finish what is being typed.

use crate::commands::definition;
use crate::here::Here;
use crate::output;
use charrette_app::{App, AppError};
use clap::{Arg, ArgAction, Args, Command};
use clap_complete::Shell;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Print what a shell needs to complete commands and flags
///
/// For bash: `charrette completions bash > ~/.local/share/bash-completion/completions/charrette`. For fish: `charrette
/// completions fish > ~/.config/fish/completions/charrette.fish`. For zsh: to a file `_charrette` in a folder of
/// `$fpath`. They take effect in the next shell.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that will read it
    shell: Shell,
}

pub(crate) fn completions(here: &Here, args: &CompletionsArgs) -> Result<ExitCode, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut offered(here.app()), "charrette", &mut script);
    output::line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// The command line as a shell should offer it. The generator would offer what is hidden as well.
fn offered(app: &App) -> Command {
    let whole = definition(app);
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("charrette")
        .version(env!("CARGO_PKG_VERSION"))
        .args(whole.get_arguments().cloned())
        .subcommands(visible.map(with_flags_of_its_usage))
}

/// Commands that read their flags themselves name them in their usage and nowhere else.
fn with_flags_of_its_usage(command: Command) -> Command {
    let command = command.mut_subcommands(with_flags_of_its_usage);
    let Some(usage) = command.get_overridden_usage().map(ToString::to_string) else { return command };
    let words = usage.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let names: BTreeSet<&str> = words.filter_map(|word| word.strip_prefix("--")).collect();
    command.args(names.into_iter().map(|name| {
        // The process ends when the script is printed.
        let name: &'static str = name.to_owned().leak();
        Arg::new(name).long(name).action(ArgAction::SetTrue)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_offered_and_no_hidden_one() {
        let offered = offered(&App::product());
        for command in definition(&App::product()).get_subcommands() {
            let is_offered = offered.find_subcommand(command.get_name()).is_some();
            assert_eq!(is_offered, !command.is_hide_set(), "{}", command.get_name());
        }
    }

    #[test]
    fn only_commands_at_the_top_are_hidden() {
        fn visible(command: &Command) -> bool {
            command.get_subcommands().all(|inner| !inner.is_hide_set() && visible(inner))
        }
        assert!(offered(&App::product()).get_subcommands().all(visible));
    }

    #[test]
    fn flags_that_a_command_reads_itself_are_offered() {
        let offered = offered(&App::product());
        let read = offered.find_subcommand("manifest").and_then(|manifest| manifest.find_subcommand("read"));
        let flags: Vec<&str> = read.unwrap().get_arguments().filter_map(Arg::get_long).collect();
        assert_eq!(flags, ["emit-load-breadcrumb", "implement-tmpdir", "manifest"]);
    }
}
