//! What charrette puts into files that belong to the user: hooks, and the MCP server.

use crate::edit::{EditProblem, Edited};
use crate::files::Part;
use crate::json_file::{Parsed, split_mark};
use crate::json_hooks;
use crate::server::{ServerLayout, ServerState};
use crate::wiring::HookLayout;
use serde_json::{Map, Value};

/// Entries of one kind in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    Hooks(HookLayout),
    Server(ServerLayout),
}

impl Entry {
    pub fn part(self) -> Part {
        match self {
            Entry::Hooks(_) => Part::Hooks,
            Entry::Server(_) => Part::Mcp,
        }
    }

    pub(crate) fn install(self, text: &str) -> Result<Edited, EditProblem> {
        match self {
            Entry::Hooks(layout) => json_hooks::install(text, layout),
            Entry::Server(layout) => layout.install(text),
        }
    }

    pub(crate) fn uninstall(self, text: &str) -> Result<Edited, EditProblem> {
        match self {
            Entry::Hooks(layout) => json_hooks::uninstall(text, layout),
            Entry::Server(layout) => layout.uninstall(text),
        }
    }

    /// True if a text has such an entry in the form that only `init` writes.
    pub(crate) fn is_written_by_init(self, text: &str) -> bool {
        match self {
            Entry::Hooks(layout) => json_hooks::own_hooks(text, layout).is_ok_and(|own| own.is_some()),
            Entry::Server(layout) => layout.state(text) == Ok(ServerState::Own { is_plain: true }),
        }
    }

    /// True if a text has an entry of this name that runs something else.
    pub(crate) fn is_taken(self, text: &str) -> bool {
        match self {
            Entry::Hooks(_) => false,
            Entry::Server(layout) => layout.state(text) == Ok(ServerState::Foreign),
        }
    }
}

/// Adds all of these entries.
pub(crate) fn install_all(text: &str, entries: &[Entry]) -> Result<Edited, EditProblem> {
    edit(text, entries, Entry::install)
}

/// Takes all of these entries out.
pub(crate) fn uninstall_all(text: &str, entries: &[Entry]) -> Result<Edited, EditProblem> {
    edit(text, entries, Entry::uninstall)
}

fn edit(
    text: &str,
    entries: &[Entry],
    change: impl Fn(Entry, &str) -> Result<Edited, EditProblem>,
) -> Result<Edited, EditProblem> {
    let mut edited = Edited::unchanged(text);
    for entry in entries {
        let Edited { text, differences } = change(*entry, &edited.text)?;
        edited.text = text;
        edited.differences.extend(differences);
    }
    Ok(edited)
}

/// True if a text is the frame that `init` wrote around these entries into an empty file.
pub(crate) fn is_frame(text: &str, entries: &[Entry]) -> bool {
    let (_, body) = split_mark(text);
    if body.trim().is_empty() {
        return true;
    }
    let Ok(file) = Parsed::parse(body) else { return false };
    let Some(Value::Object(members)) = file.root.to_serde_value() else { return false };
    let is_ours = |name: &str, value: &Value| {
        entries.iter().any(|entry| match entry {
            Entry::Hooks(layout) => {
                let is_version = layout.needs_version() && name == "version" && *value == 1;
                is_version || (name == "hooks" && value.as_object().is_some_and(Map::is_empty))
            }
            Entry::Server(layout) => layout.is_frame_member(name, value),
        })
    };
    // An address holds two slashes; a comment is something else.
    let has_comment = body.replace("://", "").contains("//") || body.contains("/*");
    members.iter().all(|(name, value)| is_ours(name, value)) && !has_comment
}
