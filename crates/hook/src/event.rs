//! Events of clients.

/// An event that the hook has rules for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A tool is about to run.
    BeforeTool,
    SessionStart,
}

impl Event {
    /// Reads a name in the spelling of any client: `PreToolUse`, `BeforeTool`, `preToolUse`, `pre-tool-use`,
    /// `beforeShellExecution`, `tool.execute.before`.
    pub(crate) fn parse(name: &str) -> Option<Event> {
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        match name.to_ascii_lowercase().as_str() {
            "pretooluse" | "beforetool" | "beforeshellexecution" | "beforereadfile" | "toolexecutebefore" => {
                Some(Event::BeforeTool)
            }
            "sessionstart" => Some(Event::SessionStart),
            _ => None,
        }
    }
}
