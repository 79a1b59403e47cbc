//! Whether the plug-in of charrette is installed in a client, as the client's own files say.

use crate::client::{Client, Scope, UserFolders};
use crate::files::Part;
use crate::json_file;
use crate::toml_text;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Name of the plug-in, before the name of its marketplace.
const PLUGIN: &str = "charrette";

/// Parts that the plug-in of a client brings.
pub fn plugin_parts(client: Client) -> &'static [Part] {
    match client {
        Client::Claude | Client::Codex => &[Part::Hooks, Part::Mcp, Part::Skills],
        // Its extension has no hooks.
        Client::Gemini => &[Part::Mcp, Part::Skills],
        Client::Cursor | Client::Opencode => &[],
    }
}

/// The file or folder that says that the plug-in is installed; none if it is not.
///
/// A plug-in that only the repository switches on does not count for the user's own configuration.
pub fn installed_plugin(client: Client, scope: &Scope, folders: &UserFolders) -> Option<PathBuf> {
    match client {
        Client::Claude => {
            let mut files = vec![folders.claude.join("settings.json")];
            if let Scope::Repository(_) = scope {
                let folder = scope.folder(client);
                files.extend([folder.join("settings.json"), folder.join("settings.local.json")]);
            }
            // The last file that mentions it decides.
            let mut said = files.into_iter().filter_map(|file| Some((is_enabled_in_claude(&file)?, file)));
            said.next_back().filter(|(is_enabled, _)| *is_enabled).map(|(_, file)| file)
        }
        Client::Codex => {
            let file = folders.codex.join("config.toml");
            is_enabled_in_codex(&file).then_some(file)
        }
        Client::Gemini => {
            let folder = folders.gemini.join("extensions").join(PLUGIN);
            folder.is_dir().then_some(folder)
        }
        Client::Cursor | Client::Opencode => None,
    }
}

/// What a file of settings says; none if it does not mention the plug-in.
fn is_enabled_in_claude(file: &Path) -> Option<bool> {
    let settings = json_file::read(&fs_err::read_to_string(file).ok()?).ok()?;
    let plugins = settings.get("enabledPlugins")?.as_object()?;
    let mut said = plugins.iter().filter(|(name, _)| is_plugin(name)).peekable();
    said.peek()?;
    Some(said.any(|(_, value)| *value == Value::Bool(true)))
}

fn is_enabled_in_codex(file: &Path) -> bool {
    let Ok(text) = fs_err::read_to_string(file) else { return false };
    let Ok(config) = toml_text::read(&text) else { return false };
    let plugins = config["plugins"].as_object().into_iter().flatten();
    plugins.filter(|(name, _)| is_plugin(name)).any(|(_, plugin)| plugin["enabled"] != Value::Bool(false))
}

/// True for `charrette@MARKETPLACE`.
fn is_plugin(name: &str) -> bool {
    name.split_once('@').is_some_and(|(plugin, _)| plugin == PLUGIN)
}
