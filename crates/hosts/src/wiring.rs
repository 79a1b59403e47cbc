//! The hooks of each client: events, commands, timeouts. Only events that the hook has rules for.

use serde_json::{Value, json};

/// Program of the hooks, found on `PATH`.
pub const HOOK_PROGRAM: &str = "charrette-hook";

/// Time after which a client gives up on a hook, in seconds. The hook itself ends within 50 ms.
const TIMEOUT_SECONDS: u64 = 10;

/// Layout of the hooks in a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookLayout {
    Claude,
    Codex,
    Gemini,
    Cursor,
}

/// A hook that should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedHook {
    /// Name of the event in the file.
    pub event: &'static str,
    pub command: String,
    /// The handler, as it stands in the file.
    pub handler: Value,
}

impl HookLayout {
    /// Events for which a hook is installed, in the spelling of the client.
    ///
    /// Cursor's `sessionStart` wants an answer of another form than the hook gives.
    pub fn events(self) -> &'static [&'static str] {
        match self {
            HookLayout::Claude | HookLayout::Codex => &["PreToolUse", "SessionStart"],
            HookLayout::Gemini => &["BeforeTool", "SessionStart"],
            HookLayout::Cursor => &["preToolUse", "beforeShellExecution", "beforeReadFile"],
        }
    }

    /// True if handlers stand in groups with a matcher: `{"hooks": [handler]}`.
    pub fn has_groups(self) -> bool {
        self != HookLayout::Cursor
    }

    /// True if a file without `"version": 1` is not read.
    pub fn needs_version(self) -> bool {
        self == HookLayout::Cursor
    }

    fn handler(self, command: &str) -> Value {
        match self {
            HookLayout::Claude | HookLayout::Codex => {
                json!({"type": "command", "command": command, "timeout": TIMEOUT_SECONDS})
            }
            // Milliseconds.
            HookLayout::Gemini => {
                json!({"type": "command", "command": command, "name": "charrette", "timeout": TIMEOUT_SECONDS * 1000})
            }
            // The unit of its timeout is not documented.
            HookLayout::Cursor => json!({"command": command}),
        }
    }
}

/// The hooks of a client. They have no matcher: every tool is judged.
pub fn wanted_hooks(layout: HookLayout) -> Vec<WantedHook> {
    let wanted = |event: &&'static str| {
        let command = format!("{HOOK_PROGRAM} {event}");
        let handler = layout.handler(&command);
        WantedHook { event, command, handler }
    };
    layout.events().iter().map(wanted).collect()
}

/// True for a command that `init` of this or another version wrote: the bare program and one event.
pub(crate) fn is_own_command(command: &str) -> bool {
    let event = command.strip_prefix(HOOK_PROGRAM).and_then(|rest| rest.strip_prefix(' '));
    event.is_some_and(|event| {
        !event.is_empty()
            && event.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands_are_told_from_others() {
        for own in
            ["charrette-hook PreToolUse", "charrette-hook pre-tool-use", "charrette-hook tool.execute.before"]
        {
            assert!(is_own_command(own), "{own}");
        }
        for other in [
            "charrette-hook",
            "charrette-hook ",
            "/opt/charrette-hook PreToolUse",
            "charrette-hook PreToolUse; date",
            "charrette-hook PreToolUse x",
            "charrette-hooks PreToolUse",
            "env A=1 charrette-hook PreToolUse",
        ] {
            assert!(!is_own_command(other), "{other}");
        }
    }

    #[test]
    fn no_hook_blocks_when_the_program_is_missing() {
        for layout in [HookLayout::Claude, HookLayout::Codex, HookLayout::Gemini, HookLayout::Cursor] {
            for hook in wanted_hooks(layout) {
                let text = hook.handler.to_string();
                assert!(!text.contains("onFailure") && !text.contains("failClosed"), "{text}");
                assert!(is_own_command(&hook.command), "{text}");
            }
        }
    }
}
