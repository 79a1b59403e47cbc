//! Notices: messages for the user besides the result, printed by the front end.

use std::fmt;
use std::sync::Arc;

/// One-line message for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Information; suppressed by `--quiet`.
    Note(String),
    /// Problem that does not stop the command.
    Problem(String),
    /// Detail of the last notice, for a terminal only.
    Detail(String),
}

/// Sink of notices.
#[derive(Clone)]
pub struct Notices(Arc<dyn Fn(&Notice) + Send + Sync>);

impl Notices {
    pub fn new(listener: impl Fn(&Notice) + Send + Sync + 'static) -> Notices {
        Notices(Arc::new(listener))
    }

    /// Sink that discards notices.
    pub fn silent() -> Notices {
        Notices::new(|_| {})
    }

    pub fn note(&self, text: impl Into<String>) {
        (self.0)(&Notice::Note(text.into()));
    }

    pub fn detail(&self, text: impl Into<String>) {
        (self.0)(&Notice::Detail(text.into()));
    }

    pub fn problem(&self, text: impl Into<String>) {
        (self.0)(&Notice::Problem(text.into()));
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notices")
    }
}
