//! Parser of Claude Code: `--output-format stream-json`, and the single result of `--output-format json`.

mod reader;
mod turns;
mod usage;

pub(super) use reader::ClaudeReader;
