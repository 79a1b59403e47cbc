//! Output formats that have a parser.

use super::claude::ClaudeReader;
use super::codex::CodexReader;
use super::cursor::CursorReader;
use super::gemini::GeminiReader;
use super::opencode::OpencodeReader;
use super::reader::OutputReader;
use super::text::TextReader;
use charrette_model::checkpoint::Usage;
use serde::Deserialize;

/// Output format of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFormat {
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

impl OutputFormat {
    pub const ALL: [OutputFormat; 6] = [
        OutputFormat::Text,
        OutputFormat::ClaudeStream,
        OutputFormat::CodexJsonl,
        OutputFormat::CursorStream,
        OutputFormat::GeminiStream,
        OutputFormat::OpencodeJsonl,
    ];

    pub fn is_text(self) -> bool {
        self == OutputFormat::Text
    }

    /// A parser with an output limit of `max_bytes`; `earlier` is the usage of the session before this call.
    pub fn reader(self, max_bytes: usize, earlier: Option<&Usage>) -> Box<dyn OutputReader> {
        match self {
            OutputFormat::Text => Box::new(TextReader::new(max_bytes)),
            OutputFormat::ClaudeStream => Box::new(ClaudeReader::new(max_bytes, earlier)),
            OutputFormat::CodexJsonl => Box::new(CodexReader::new(max_bytes, earlier)),
            OutputFormat::CursorStream => Box::new(CursorReader::new(max_bytes)),
            OutputFormat::GeminiStream => Box::new(GeminiReader::new(max_bytes)),
            OutputFormat::OpencodeJsonl => Box::new(OpencodeReader::new(max_bytes)),
        }
    }
}
