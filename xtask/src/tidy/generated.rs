//! Files generated from code: the CLI reference, JSON schemas, tables of settings and artifacts.

use crate::TaskResult;
use charrette_app::App;
use charrette_model::checkpoint::Checkpoint;
use charrette_model::config::keys::{self, KEYS};
use charrette_model::handoff::schema::{request_schema, response_schema};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let stale = render_all(root)?.into_iter().filter(|(path, content)| {
        fs_err::read_to_string(root.join(path)).ok().as_deref() != Some(content.as_str())
    });
    Ok(stale.map(|(path, _)| format!("{path}: out of date; run: cargo xtask tidy --fix")).collect())
}

pub(super) fn write(root: &Path) -> TaskResult {
    for (path, content) in render_all(root)? {
        let path = root.join(path);
        fs_err::create_dir_all(path.parent().unwrap_or(root))?;
        fs_err::write(path, content)?;
    }
    Ok(())
}

fn render_all(root: &Path) -> TaskResult<Vec<(&'static str, String)>> {
    Ok(vec![
        ("docs/cli.md", cli_reference()),
        (
            "docs/formats/checkpoint.schema.json",
            pretty(&serde_json::to_value(schemars::schema_for!(Checkpoint))?)?,
        ),
        ("docs/formats/handoff-request.schema.json", pretty(&request_schema())?),
        ("docs/formats/handoff-response.schema.json", pretty(&response_schema())?),
        ("docs/formats/charrette.schema.json", pretty(&keys::schema())?),
        ("docs/formats/config.md", config_page(root)?),
        ("docs/formats/artifacts.md", artifact_tables()),
    ])
}

fn pretty(value: &Value) -> TaskResult<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Renders the CLI reference: the help of every command.
fn cli_reference() -> String {
    let mut text =
        String::from("# Command line\n\nMade from the program's own help by `cargo xtask tidy --fix`.\n");
    let app = App::product();
    let mut command =
        charrette_cli::help::with_command_groups(charrette_cli::commands::definition(&app), &app)
            .term_width(100);
    command.build();
    write_help(&mut command, "charrette", &mut text);
    text
}

fn write_help(command: &mut clap::Command, name: &str, text: &mut String) {
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for inner in
        command.get_subcommands_mut().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
    {
        let name = format!("{name} {}", inner.get_name());
        write_help(inner, &name, text);
    }
}

/// Renders the table of artifacts of each flow, with writers and readers.
fn artifact_tables() -> String {
    let mut text = String::from(
        "# Files of a run\n\nMade from the tables of artifacts by `cargo xtask tidy --fix`. Writers and readers are seats \
         (`charrette roles list`) and steps (`charrette status --why`); `*` stands for any text.\n",
    );
    for flow in App::product().registry.all() {
        let _ = write!(
            text,
            "\n## `charrette {}`\n\n| file | what it is | written by | read by |\n|---|---|---|---|\n",
            flow.command
        );
        for file in flow.artifacts {
            let readers = if file.readers.is_empty() { "people".to_owned() } else { file.readers.join(", ") };
            let _ = writeln!(text, "| `{}` | {} | {} | {readers} |", file.name, file.about, file.writer);
        }
    }
    text
}

const BEGIN: &str = "<!-- settings: made from the code -->\n";
const END: &str = "<!-- end of settings -->\n";

/// Renders the configuration page with a new table of settings.
fn config_page(root: &Path) -> TaskResult<String> {
    let page = fs_err::read_to_string(root.join("docs/formats/config.md"))?;
    let (before, rest) = page
        .split_once(BEGIN)
        .ok_or("docs/formats/config.md lacks the marker at the start of the settings")?;
    let (_, after) =
        rest.split_once(END).ok_or("docs/formats/config.md lacks the marker at the end of the settings")?;
    let mut table = String::from(
        "| setting | takes | default | what it is for | in a repository's file |\n|---|---|---|---|---|\n",
    );
    for key in KEYS {
        let default = key.default.map_or("not set".to_owned(), |default| format!("`{default}`"));
        let limits = key.repository_rule().describe().unwrap_or_else(|| "counts".to_owned());
        let kind = key.kind.describe();
        let _ = writeln!(table, "| `{}` | {kind} | {default} | {} | {limits} |", key.name, key.purpose);
    }
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}
