//! `charrette completions`: generates shell completion scripts.

use crate::commands::definition;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::{App, AppError};
use clap::{Arg, ArgAction, Args, Command};
use clap_complete::Shell;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Print a shell completion script
///
/// For bash: `charrette completions bash > ~/.local/share/bash-completion/completions/charrette`. For fish: `charrette
/// completions fish > ~/.config/fish/completions/charrette.fish`. For zsh: to a file `_charrette` in a folder of
/// `$fpath`. Completions take effect in new shells.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate the script for
    shell: Shell,
}

pub(crate) fn completions(invocation: &Invocation, args: &CompletionsArgs) -> Result<ExitCode, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut completion_command(invocation.app()), "charrette", &mut script);
    let script =
        with_feature_names(invocation.app(), args.shell, String::from_utf8_lossy(&script).trim_end());
    output::print_line(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Commands besides those of the flows whose first argument may be the name of a run.
const NAMING: [&str; 7] = ["answer", "resume", "stop", "abandon", "events", "log", "check"];

/// Adds the names of the runs of the current repository, which only the program knows.
fn with_feature_names(app: &App, shell: Shell, script: &str) -> String {
    let names = "charrette names 2>/dev/null";
    let flows = app.registry.all().map(|flow| flow.command.as_str());
    let commands: Vec<&str> = NAMING.into_iter().chain(flows).collect();
    match shell {
        Shell::Bash => {
            let commands = commands.join("|");
            format!(
                "{script}\n\n_charrette_with_names() {{\n    _charrette \"$@\"\n    local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n    case \"${{COMP_WORDS[1]}}\" in\n        {commands})\n            [[ \"$word\" == -* ]] || COMPREPLY+=( $(compgen -W \"$({names})\" -- \"$word\") ) ;;\n    esac\n}}\ncomplete -F _charrette_with_names -o bashdefault -o default charrette"
            )
        }
        Shell::Fish => format!(
            "{script}\ncomplete -c charrette -n \"__fish_seen_subcommand_from {}\" -a \"({names})\"",
            commands.join(" ")
        ),
        Shell::Zsh => {
            let call = "feature -- Name of the feature:_charrette_names'";
            let completed = script.replace("feature -- Name of the feature:_default'", call);
            let function = format!("_charrette_names() {{\n    compadd -- ${{(f)\"$({names})\"}}\n}}\n\n");
            completed.replacen("_charrette() {", &format!("{function}_charrette() {{"), 1)
        }
        _ => script.to_owned(),
    }
}

/// Command definition without hidden commands, which clap's generator would include.
fn completion_command(app: &App) -> Command {
    let whole = definition(app);
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("charrette")
        .version(env!("CARGO_PKG_VERSION"))
        .args(whole.get_arguments().cloned())
        .subcommands(visible.map(with_usage_flags))
}

/// Adds the flags named in the usage line, for commands that parse their own arguments.
fn with_usage_flags(command: Command) -> Command {
    let command = command.mut_subcommands(with_usage_flags);
    let Some(usage) = command.get_overridden_usage().map(ToString::to_string) else { return command };
    let words = usage.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let names: BTreeSet<&str> = words.filter_map(|word| word.strip_prefix("--")).collect();
    command.args(names.into_iter().map(|name| {
        // Leaked, because clap wants static names; the process exits after printing.
        let name: &'static str = name.to_owned().leak();
        Arg::new(name).long(name).action(ArgAction::SetTrue)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_commands_are_completed_and_hidden_ones_are_not() {
        let offered = completion_command(&App::product());
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
        assert!(completion_command(&App::product()).get_subcommands().all(visible));
    }

    #[test]
    fn flags_of_raw_commands_are_completed() {
        let offered = completion_command(&App::product());
        let read = offered.find_subcommand("manifest").and_then(|manifest| manifest.find_subcommand("read"));
        let flags: Vec<&str> = read.unwrap().get_arguments().filter_map(Arg::get_long).collect();
        assert_eq!(flags, ["emit-load-breadcrumb", "implement-tmpdir", "manifest"]);
    }
}
