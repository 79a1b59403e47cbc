//! What a person should hear besides the result: said when it is known, printed by a face.

use std::fmt;
use std::sync::Arc;

/// Something to say, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Worth knowing; may be left out where quiet is wanted.
    Note(String),
    /// Something went wrong that does not stop the command.
    Problem(String),
    /// More about the last one, for somebody at a terminal.
    Detail(String),
}

/// Where notices go.
#[derive(Clone)]
pub struct Notices(Arc<dyn Fn(&Notice) + Send + Sync>);

impl Notices {
    /// To this listener.
    pub fn new(listener: impl Fn(&Notice) + Send + Sync + 'static) -> Notices {
        Notices(Arc::new(listener))
    }

    /// Nowhere.
    pub fn silent() -> Notices {
        Notices::new(|_| {})
    }

    /// Says something worth knowing.
    pub fn note(&self, text: impl Into<String>) {
        (self.0)(&Notice::Note(text.into()));
    }

    /// Says more about the last one, to somebody at a terminal.
    pub fn detail(&self, text: impl Into<String>) {
        (self.0)(&Notice::Detail(text.into()));
    }

    /// Says that something went wrong.
    pub fn problem(&self, text: impl Into<String>) {
        (self.0)(&Notice::Problem(text.into()));
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notices")
    }
}
