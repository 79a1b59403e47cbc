//! Result of an edit of a configuration file.

/// A file that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditProblem {
    #[error("it is not valid JSON: {0}")]
    Json(String),
    #[error("it is not valid TOML: {0}")]
    Toml(String),
    #[error("the key {0} is there twice")]
    DuplicateKey(String),
    #[error("{place} is not {expected}")]
    Type { place: String, expected: &'static str },
    /// A table in a form that a further section cannot extend.
    #[error("{place} cannot be extended by a section; write its members as sections, [{place}.NAME]")]
    Closed { place: String },
}

/// A difference between the entries of a file and the wanted ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    Missing {
        event: String,
    },
    /// An entry of charrette in another form: another matcher, timeout or option.
    Changed {
        event: String,
    },
    /// An entry of charrette for an event that has no hook.
    Surplus {
        event: String,
    },
    /// No `"version": 1` in the file.
    Version,
    /// The server is not listed.
    MissingServer,
    /// The server is listed, and is to be taken out.
    SurplusServer,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Missing { event } => write!(f, "hook {event} is missing"),
            Difference::Changed { event } => write!(f, "hook {event} is not as init writes it"),
            Difference::Surplus { event } => write!(f, "hook {event} is not needed"),
            Difference::Version => f.write_str("\"version\": 1 is missing"),
            Difference::MissingServer => f.write_str("server charrette is missing"),
            Difference::SurplusServer => f.write_str("server charrette is not needed"),
        }
    }
}

/// A file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    /// Reasons for the edit; none if nothing was changed.
    pub differences: Vec<Difference>,
}

impl Edited {
    /// A text that was left as it is.
    pub(crate) fn unchanged(text: &str) -> Edited {
        Edited { text: text.to_owned(), differences: Vec::new() }
    }
}
