//! Claude Code: `--output-format stream-json`, and the lone result of `--output-format json`.

mod reader;
mod turns;
mod usage;

pub(super) use reader::Claude;
