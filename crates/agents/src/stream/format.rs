//! The output formats there are readers for.

use super::claude::Claude;
use super::codex::Codex;
use super::cursor::Cursor;
use super::gemini::Gemini;
use super::opencode::Opencode;
use super::reader::Reader;
use super::text::Text;
use charrette_model::checkpoint::Usage;
use serde::Deserialize;

/// What a client prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The answer and nothing else.
    Text,
    /// `claude -p --output-format stream-json --verbose`, or `json`.
    ClaudeStream,
    /// `codex exec --json`.
    CodexJsonl,
    /// `cursor-agent -p --output-format stream-json`, or `json`.
    CursorStream,
    /// `gemini -o stream-json`, or `json`.
    GeminiStream,
    /// `opencode run --format json`.
    OpencodeJsonl,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] = [
        Format::Text,
        Format::ClaudeStream,
        Format::CodexJsonl,
        Format::CursorStream,
        Format::GeminiStream,
        Format::OpencodeJsonl,
    ];

    /// Whether what it prints is the answer itself.
    pub fn is_text(self) -> bool {
        self == Format::Text
    }

    /// A reader that holds at most `most` bytes; `earlier` is what the session had used before this call.
    pub fn reader(self, most: usize, earlier: Option<&Usage>) -> Box<dyn Reader> {
        match self {
            Format::Text => Box::new(Text::new(most)),
            Format::ClaudeStream => Box::new(Claude::new(most, earlier)),
            Format::CodexJsonl => Box::new(Codex::new(most, earlier)),
            Format::CursorStream => Box::new(Cursor::new(most)),
            Format::GeminiStream => Box::new(Gemini::new(most)),
            Format::OpencodeJsonl => Box::new(Opencode::new(most)),
        }
    }
}
