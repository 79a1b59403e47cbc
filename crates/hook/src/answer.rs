//! The answer of the hook, in the only forms that all clients honour.

use charrette_model::escape::one_line;
use serde_json::json;

/// Longest line of a denial, in characters.
const MAX_CHARS: usize = 600;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Exit code 0 and silence.
    Allow,
    /// Exit code 2 and this line on standard error.
    Deny(String),
    /// Exit code 0 and JSON with text for the model.
    Context { event: &'static str, text: String },
}

impl Answer {
    /// A denial in one printable line.
    pub(crate) fn deny(reason: &str) -> Answer {
        let line: String = one_line(reason).chars().take(MAX_CHARS).collect();
        Answer::Deny(format!("charrette: {line}"))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Answer::Deny(_) => 2,
            Answer::Allow | Answer::Context { .. } => 0,
        }
    }

    /// Text for standard output.
    pub fn stdout(&self) -> Option<String> {
        match self {
            Answer::Context { event, text } => {
                let output =
                    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}});
                Some(output.to_string())
            }
            _ => None,
        }
    }

    /// Text for standard error.
    pub fn stderr(&self) -> Option<&str> {
        match self {
            Answer::Deny(line) => Some(line),
            _ => None,
        }
    }
}
