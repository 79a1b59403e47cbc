//! The files that `init` writes for each client, and what is in them.

use crate::client::{Client, Scope};
use crate::entries::Entry;
use crate::owned::{self, SKILL_PREFIX, Skill};
use crate::server::ServerLayout;
use crate::wiring::HookLayout;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A part of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    Hooks,
    /// The entry of the MCP server.
    Mcp,
    /// Skills, and the rule of Cursor.
    Skills,
    /// Pages about formats, in a repository.
    Formats,
}

impl Part {
    pub const ALL: [Part; 4] = [Part::Hooks, Part::Mcp, Part::Skills, Part::Formats];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Part::Hooks => "hooks",
            Part::Mcp => "mcp",
            Part::Skills => "skills",
            Part::Formats => "formats",
        }
    }

    /// Name for people.
    pub fn label(self) -> &'static str {
        match self {
            Part::Hooks => "hooks",
            Part::Mcp => "server",
            Part::Skills => "skills",
            Part::Formats => "pages about formats",
        }
    }

    pub fn parse(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// What is to be installed or removed.
#[derive(Debug, Clone)]
pub struct Selection {
    pub scope: Scope,
    pub clients: Vec<ClientParts>,
    /// True with the pages about formats.
    pub has_formats: bool,
    /// Skills of the plug-in.
    pub skills: Vec<Skill>,
}

/// Parts of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientParts {
    pub client: Client,
    pub parts: Vec<Part>,
}

/// A file with something of charrette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    pub path: PathBuf,
    pub content: Content,
}

/// Kind of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A file that belongs to the user, with entries of charrette in it.
    Entries {
        selected: Vec<Entry>,
        /// Everything that this or another call puts there.
        possible: Vec<Entry>,
    },
    /// A file that belongs to charrette.
    Owned(String),
    /// A file of charrette that is not needed any more.
    Surplus,
}

/// The files of one client.
pub fn client_files(parts: &ClientParts, scope: &Scope, skills: &[Skill]) -> Vec<HostFile> {
    let client = parts.client;
    let mut files: Vec<HostFile> = Vec::new();
    for (path, entry) in entry_files(client, scope) {
        let is_selected = parts.parts.contains(&entry.part());
        let known = files.iter_mut().find(|file| file.path == path).map(|file| &mut file.content);
        if let Some(Content::Entries { selected, possible }) = known {
            possible.push(entry);
            selected.extend(is_selected.then_some(entry));
        } else {
            let selected = is_selected.then_some(entry).into_iter().collect();
            files.push(HostFile { path, content: Content::Entries { selected, possible: vec![entry] } });
        }
    }
    files.retain(|file| !matches!(&file.content, Content::Entries { selected, .. } if selected.is_empty()));
    if parts.parts.contains(&Part::Hooks) && client == Client::Opencode {
        files.push(HostFile {
            path: scope.folder(client).join("plugins").join("charrette.js"),
            content: Content::Owned(owned::opencode_plugin()),
        });
    }
    if parts.parts.contains(&Part::Skills) {
        files.extend(skill_files(client, scope, skills));
    }
    files
}

/// Files of the user, each with an entry for it.
fn entry_files(client: Client, scope: &Scope) -> Vec<(PathBuf, Entry)> {
    let folder = scope.folder(client);
    let hooks = |name: &str, layout| (folder.join(name), Entry::Hooks(layout));
    let server = |path: PathBuf, layout| (path, Entry::Server(layout));
    match client {
        Client::Claude => {
            let servers = match scope {
                Scope::Repository(root) => root.join(".mcp.json"),
                Scope::User(folders) => folders.claude_state.clone(),
            };
            vec![hooks("settings.json", HookLayout::Claude), server(servers, ServerLayout::Claude)]
        }
        Client::Codex => vec![
            hooks("hooks.json", HookLayout::Codex),
            server(folder.join("config.toml"), ServerLayout::Codex),
        ],
        Client::Gemini => vec![
            hooks("settings.json", HookLayout::Gemini),
            server(folder.join("settings.json"), ServerLayout::Plain),
        ],
        Client::Cursor => vec![
            hooks("hooks.json", HookLayout::Cursor),
            server(folder.join("mcp.json"), ServerLayout::Plain),
        ],
        Client::Opencode => {
            let folder = match scope {
                Scope::Repository(root) => root,
                Scope::User(_) => &folder,
            };
            vec![server(opencode_file(folder), ServerLayout::Opencode)]
        }
    }
}

/// opencode reads both of its files: the one with the server counts, then the one that exists.
fn opencode_file(folder: &Path) -> PathBuf {
    let candidates = ["opencode.json", "opencode.jsonc"].map(|name| folder.join(name));
    let has_server = |path: &&PathBuf| {
        let text = fs_err::read_to_string(path).unwrap_or_default();
        Entry::Server(ServerLayout::Opencode).is_written_by_init(&text)
    };
    let chosen = candidates.iter().find(has_server).or(candidates.iter().find(|path| path.exists()));
    chosen.unwrap_or(&candidates[0]).clone()
}

/// Skills, those of an earlier version that are not needed any more, and the rule of Cursor.
fn skill_files(client: Client, scope: &Scope, skills: &[Skill]) -> Vec<HostFile> {
    let folder = scope.skill_folder(client);
    let mut files: Vec<HostFile> = Vec::new();
    for (name, text) in skills.iter().map(Skill::installed) {
        files.push(HostFile { path: folder.join(name).join("SKILL.md"), content: Content::Owned(text) });
    }
    for path in installed_skills(&folder) {
        if !files.iter().any(|file| file.path == path) {
            files.push(HostFile { path, content: Content::Surplus });
        }
    }
    if let (Client::Cursor, Scope::Repository(_)) = (client, scope) {
        let path = scope.folder(client).join("rules").join("charrette.mdc");
        files.push(HostFile { path, content: Content::Owned(owned::cursor_rule()) });
    }
    files
}

/// Skills in a folder that `init` of any version wrote.
fn installed_skills(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(SKILL_PREFIX))
        .map(|entry| entry.path().join("SKILL.md"))
        .filter(|path| fs_err::read_to_string(path).is_ok_and(|text| owned::has_mark(&text)))
        .collect();
    paths.sort();
    paths
}
