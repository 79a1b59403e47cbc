//! The files of the plug-in.

use charrette_hosts::Skill;
use charrette_store::atomic::replace_private;
use std::io;
use std::path::{Path, PathBuf};

/// Version of this binary, and of its plug-in.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

macro_rules! plugin_files {
    ($($name:literal),* $(,)?) => {
        /// Name and content of every file of the plug-in.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../plugin/", $name)))),*];
    };
}

plugin_files![
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".mcp.json",
    "GEMINI.md",
    "README.md",
    "gemini-extension.json",
    "hooks/hooks.json",
    "monitors/monitors.json",
    "skills/design/SKILL.md",
    "skills/implement/SKILL.md",
    "skills/research/SKILL.md",
    "skills/status/SKILL.md",
];

/// The skills of the plug-in.
pub fn skills() -> Vec<Skill> {
    let skill = |(name, text): &(&str, &str)| {
        let name = name.strip_prefix("skills/")?.strip_suffix("/SKILL.md")?;
        Some(Skill { name: name.to_owned(), text: (*text).to_owned() })
    };
    FILES.iter().filter_map(skill).collect()
}

/// Writes the plug-in of this version below a folder, where it differs, and returns its folder.
pub fn install(below: &Path) -> io::Result<PathBuf> {
    let folder = below.join("plugin").join(VERSION);
    for (name, text) in FILES {
        let path = folder.join(name);
        if fs_err::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent)?;
        }
        replace_private(&path, text.as_bytes()).map_err(io::Error::other)?;
    }
    Ok(folder)
}
