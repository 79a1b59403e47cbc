//! Whether the user has trusted our hooks in Codex, read from the user's own configuration.

use charrette_hosts::{Client, HookLayout, UserFolders, json_hooks, wanted_hooks};
use std::io;
use std::path::{Path, PathBuf};

/// Trust of our hooks in Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexTrust {
    /// The file with the hooks.
    pub path: PathBuf,
    /// Events with a trusted hook.
    pub trusted: Vec<String>,
    /// Events whose hook is skipped, because there is no trust for it.
    pub untrusted: Vec<String>,
}

/// Reads the trust of every file with our hooks. Codex keeps it by the file, the event and the place in it; whether the
/// hook is still the one that was trusted, Codex itself decides.
pub fn codex_trust(root: &Path, folders: &UserFolders) -> io::Result<Vec<CodexTrust>> {
    let config = folders.folder(Client::Codex).join("config.toml");
    let text = match fs_err::read_to_string(&config) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        other => other?,
    };
    let config: toml::Table = toml::from_str(&text)
        .map_err(|error| io::Error::other(format!("{}: {}", config.display(), error.message())))?;
    let state = config.get("hooks").and_then(|hooks| hooks.get("state")?.as_table());
    let mut found = Vec::new();
    for path in [folders.folder(Client::Codex).join("hooks.json"), root.join(".codex").join("hooks.json")] {
        let Ok(text) = fs_err::read_to_string(&path) else { continue };
        let Ok(file) = json_hooks::read(&text) else { continue };
        let (mut trusted, mut untrusted) = (Vec::new(), Vec::new());
        for hook in wanted_hooks(HookLayout::Codex) {
            let groups = file["hooks"][hook.event].as_array().cloned().unwrap_or_default();
            for (group_at, group) in groups.iter().enumerate() {
                let handlers = group["hooks"].as_array().cloned().unwrap_or_default();
                for (at, _) in
                    handlers.iter().enumerate().filter(|(_, handler)| handler["command"] == *hook.command)
                {
                    let key = format!("{}:{}:{group_at}:{at}", path.display(), snake_case(hook.event));
                    let entry = state.and_then(|state| state.get(&key));
                    let has_hash = entry.and_then(|entry| entry.get("trusted_hash")).is_some();
                    let is_off = entry.and_then(|entry| entry.get("enabled")?.as_bool()) == Some(false);
                    let events = if has_hash && !is_off { &mut trusted } else { &mut untrusted };
                    events.push(hook.event.to_owned());
                }
            }
        }
        if !trusted.is_empty() || !untrusted.is_empty() {
            found.push(CodexTrust { path, trusted, untrusted });
        }
    }
    Ok(found)
}

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
