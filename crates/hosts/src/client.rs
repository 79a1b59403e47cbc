//! The clients and their configuration files.

use crate::owned;
use crate::wiring::HookLayout;
use std::path::{Path, PathBuf};

/// A coding agent that people work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    Claude,
    Codex,
    Gemini,
    Cursor,
    Opencode,
}

impl Client {
    pub const ALL: [Client; 5] =
        [Client::Claude, Client::Codex, Client::Gemini, Client::Cursor, Client::Opencode];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
            Client::Cursor => "cursor",
            Client::Opencode => "opencode",
        }
    }

    /// Name for people.
    pub fn label(self) -> &'static str {
        match self {
            Client::Claude => "Claude Code",
            Client::Codex => "Codex",
            Client::Gemini => "Gemini CLI",
            Client::Cursor => "Cursor",
            Client::Opencode => "opencode",
        }
    }

    /// Programs by which an installation is recognised.
    pub fn programs(self) -> &'static [&'static str] {
        match self {
            Client::Claude => &["claude"],
            Client::Codex => &["codex"],
            Client::Gemini => &["gemini"],
            Client::Cursor => &["cursor-agent", "cursor"],
            Client::Opencode => &["opencode"],
        }
    }

    pub fn parse(name: &str) -> Option<Client> {
        Client::ALL.into_iter().find(|client| client.name() == name)
    }
}

/// Folders of the clients in a user's home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFolders {
    pub claude: PathBuf,
    pub codex: PathBuf,
    pub gemini: PathBuf,
    pub cursor: PathBuf,
    pub opencode: PathBuf,
}

impl UserFolders {
    /// The usual folders below a home.
    pub fn below(home: &Path) -> UserFolders {
        UserFolders {
            claude: home.join(".claude"),
            codex: home.join(".codex"),
            gemini: home.join(".gemini"),
            cursor: home.join(".cursor"),
            opencode: home.join(".config").join("opencode"),
        }
    }

    pub fn folder(&self, client: Client) -> &Path {
        match client {
            Client::Claude => &self.claude,
            Client::Codex => &self.codex,
            Client::Gemini => &self.gemini,
            Client::Cursor => &self.cursor,
            Client::Opencode => &self.opencode,
        }
    }
}

/// Where hooks are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// In a repository, by its root.
    Repository(PathBuf),
    /// In the configuration of the user.
    User(UserFolders),
}

/// A file with hooks of charrette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    pub path: PathBuf,
    pub content: HookContent,
}

/// Kind of a file with hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookContent {
    /// JSON that belongs to the user, with entries of charrette in it.
    Entries(HookLayout),
    /// A file that belongs to charrette.
    Owned(String),
}

/// The files that `init` writes for a client.
pub fn hook_files(client: Client, scope: &Scope) -> Vec<HookFile> {
    let folder = match scope {
        Scope::Repository(root) => match client {
            Client::Claude => root.join(".claude"),
            Client::Codex => root.join(".codex"),
            Client::Gemini => root.join(".gemini"),
            Client::Cursor => root.join(".cursor"),
            Client::Opencode => root.join(".opencode"),
        },
        Scope::User(folders) => folders.folder(client).to_owned(),
    };
    let entries =
        |name: &str, layout| HookFile { path: folder.join(name), content: HookContent::Entries(layout) };
    vec![match client {
        Client::Claude => entries("settings.json", HookLayout::Claude),
        Client::Codex => entries("hooks.json", HookLayout::Codex),
        Client::Gemini => entries("settings.json", HookLayout::Gemini),
        Client::Cursor => entries("hooks.json", HookLayout::Cursor),
        Client::Opencode => HookFile {
            path: folder.join("plugins").join("charrette.js"),
            content: HookContent::Owned(owned::opencode_plugin()),
        },
    }]
}
