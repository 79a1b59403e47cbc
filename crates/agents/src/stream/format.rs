//! The output formats there are readers for.

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
}

impl Format {
    /// A reader that holds at most `most` bytes; `earlier` is what the session had used before this call.
    pub fn reader(self, most: usize, earlier: Option<&Usage>) -> Box<dyn Reader> {
        let _ = earlier;
        match self {
            Format::Text => Box::new(Text::new(most)),
        }
    }
}
