//! The user's hooks of charrette, read for a copy. Foreign hooks and other settings are not copied: they could reach out.

use charrette_hosts::{Client, HookLayout, UserFolders, json_hooks, wanted_hooks};
use charrette_store::workspace::sha256;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Place of a file, in the user's configuration or in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the client's folder of the user.
    User,
    /// In the client's folder of the repository.
    Repository,
}

/// One file with hooks of charrette, or with a switch that turns hooks off.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The user's file.
    pub path: PathBuf,
    pub(crate) place: Place,
    /// Name of the file in the client's folder.
    pub(crate) file: &'static str,
    /// The part that is copied.
    pub(crate) content: Value,
}

/// All hooks of charrette of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    pub client: Client,
    pub layers: Vec<Layer>,
}

impl Configuration {
    /// Reads the files of a client. Cursor and opencode cannot be proven.
    pub fn read(client: Client, root: &Path, folders: &UserFolders) -> io::Result<Configuration> {
        let (folder, files): (&str, &[(Place, &'static str)]) = match client {
            Client::Claude => (
                ".claude",
                &[
                    (Place::User, "settings.json"),
                    (Place::Repository, "settings.json"),
                    (Place::Repository, "settings.local.json"),
                ],
            ),
            Client::Codex => (
                ".codex",
                &[
                    (Place::User, "hooks.json"),
                    (Place::Repository, "hooks.json"),
                    (Place::User, "config.toml"),
                    (Place::Repository, "config.toml"),
                ],
            ),
            Client::Gemini => {
                (".gemini", &[(Place::User, "settings.json"), (Place::Repository, "settings.json")])
            }
            _ => ("", &[]),
        };
        let mut layers = Vec::new();
        for (place, file) in files {
            let base = match place {
                Place::User => folders.folder(client).to_owned(),
                Place::Repository => root.join(folder),
            };
            let path = base.join(file);
            if let Some(content) = read_layer(&path, client)? {
                layers.push(Layer { path, place: *place, file, content });
            }
        }
        Ok(Configuration { client, layers })
    }

    /// True if no hook of charrette is installed.
    pub fn is_empty(&self) -> bool {
        !self.layers.iter().any(|layer| layer.content.get("hooks").is_some())
    }

    /// Events whose hook is in none of the files.
    pub fn missing_events(&self) -> Vec<&'static str> {
        let has = |event: &str| self.layers.iter().any(|layer| layer.content["hooks"].get(event).is_some());
        let wanted = wanted_hooks(layout(self.client));
        wanted.iter().map(|hook| hook.event).filter(|event| !has(event)).collect()
    }

    /// Digest of everything that is copied.
    pub fn digest(&self) -> String {
        let layers: Vec<Value> = self
            .layers
            .iter()
            .map(|layer| json!([layer.place == Place::User, layer.file, layer.content]))
            .collect();
        sha256(Value::Array(layers).to_string().as_bytes())
    }
}

pub(crate) fn layout(client: Client) -> HookLayout {
    match client {
        Client::Codex => HookLayout::Codex,
        Client::Gemini => HookLayout::Gemini,
        _ => HookLayout::Claude,
    }
}

/// The part of a file that matters; none if it has no such part.
fn read_layer(path: &Path, client: Client) -> io::Result<Option<Value>> {
    let text = match fs_err::read_to_string(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other?,
    };
    let unreadable = |reason: String| io::Error::other(format!("{}: {reason}", path.display()));
    let mut part = Map::new();
    if path.extension().is_some_and(|extension| extension == "toml") {
        let file: toml::Table =
            toml::from_str(&text).map_err(|error| unreadable(error.message().to_owned()))?;
        // `hooks = false` switches them off.
        let features = file.get("features").and_then(toml::Value::as_table);
        for name in ["hooks", "codex_hooks"] {
            if let Some(value) =
                features.and_then(|features| features.get(name)).and_then(toml::Value::as_bool)
            {
                part.insert(name.to_owned(), value.into());
            }
        }
        let is_switched = !part.is_empty();
        return Ok(is_switched.then(|| json!({"features": part})));
    }
    let hooks =
        json_hooks::own_hooks(&text, layout(client)).map_err(|error| unreadable(error.to_string()))?;
    if let Some(hooks) = hooks {
        part.insert("hooks".to_owned(), hooks);
    }
    let file = json_hooks::read(&text).map_err(|error| unreadable(error.to_string()))?;
    // Switches that turn hooks off.
    let switch = if client == Client::Gemini { "hooksConfig" } else { "disableAllHooks" };
    if let Some(value) = file.get(switch).filter(|_| client != Client::Codex) {
        part.insert(switch.to_owned(), value.clone());
    }
    Ok((!part.is_empty()).then_some(Value::Object(part)))
}
