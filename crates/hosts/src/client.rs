//! The clients and the folders of their configuration.

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
    /// Skills for all clients that share them.
    pub agents: PathBuf,
    pub claude: PathBuf,
    /// Claude Code keeps the servers of a user beside its folder.
    pub claude_state: PathBuf,
    pub codex: PathBuf,
    pub gemini: PathBuf,
    pub cursor: PathBuf,
    pub opencode: PathBuf,
}

impl UserFolders {
    /// The usual folders below a home.
    pub fn below(home: &Path) -> UserFolders {
        UserFolders {
            agents: home.join(".agents"),
            claude: home.join(".claude"),
            claude_state: home.join(".claude.json"),
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

/// Where charrette is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// In a repository, by its root.
    Repository(PathBuf),
    /// In the configuration of the user.
    User(UserFolders),
}

impl Scope {
    /// Root of the repository; none for the configuration of the user.
    pub fn repository(&self) -> Option<&Path> {
        match self {
            Scope::Repository(root) => Some(root),
            Scope::User(_) => None,
        }
    }

    /// The folder of a client.
    pub fn folder(&self, client: Client) -> PathBuf {
        match self {
            Scope::Repository(root) => root.join(match client {
                Client::Claude => ".claude",
                Client::Codex => ".codex",
                Client::Gemini => ".gemini",
                Client::Cursor => ".cursor",
                Client::Opencode => ".opencode",
            }),
            Scope::User(folders) => folders.folder(client).to_owned(),
        }
    }

    /// The folder from which a client reads skills. All but Claude Code share one.
    pub fn skill_folder(&self, client: Client) -> PathBuf {
        let folder = match (client, self) {
            (Client::Claude, _) => self.folder(client),
            (_, Scope::Repository(root)) => root.join(".agents"),
            (_, Scope::User(folders)) => folders.agents.clone(),
        };
        folder.join("skills")
    }
}
