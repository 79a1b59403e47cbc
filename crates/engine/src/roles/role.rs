//! A role: its front matter, the origin of its text, and its errors.

use super::template::TemplateSet;
use charrette_model::escape::printable;
use charrette_model::seats::{AnswerForm, Seat};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A role definition.
#[derive(Debug, Clone)]
pub struct Role {
    /// Name that seats refer to.
    pub name: &'static str,
    /// Seats that play it, in the order of their steps.
    pub seats: Vec<&'static Seat>,
    pub reads: Vec<String>,
    /// Files that the answers of its seats become.
    pub writes: Vec<String>,
    pub form: AnswerForm,
    /// Mode of its handoff requests.
    pub mode: String,
    /// Maximum number of words of an answer, where its form sets no other limit.
    pub max_words: Option<usize>,
    /// Model that the team pinned.
    pub model: Option<String>,
    /// True if it may use the web.
    pub web: bool,
    pub origin: TextOrigin,
    /// Whole text, with front matter.
    pub text: String,
    /// This text and the parts it may include.
    pub(super) texts: Arc<TemplateSet>,
}

/// Origin of a role text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOrigin {
    /// Shipped with charrette.
    BuiltIn,
    /// The team's own file, as a path from the root of the repository.
    File(PathBuf),
}

impl fmt::Display for TextOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextOrigin::BuiltIn => f.write_str("built-in"),
            TextOrigin::File(path) => write!(f, "{}", printable(&path.to_string_lossy())),
        }
    }
}

/// Error of a role or of the folder of role texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    #[error("unknown role {}", printable(.0))]
    UnknownRole(String),
    /// A file that overrides nothing.
    #[error("{}: unknown role or part; the file has no effect", shown_path(.0))]
    UnknownFile(PathBuf),
    /// The team's own text is invalid. The built-in text is not used in its place.
    #[error("{}:{line}: {message} (it overrides the built-in {name}; delete it to use that)", shown_path(.path))]
    InvalidOverride {
        path: PathBuf,
        line: usize,
        message: String,
        /// Name of the role or part it overrides.
        name: String,
    },
    /// A built-in text is invalid.
    #[error("built-in {name}:{line}: {message}")]
    InvalidBuiltIn { name: String, line: usize, message: String },
    /// The request violates the handoff protocol.
    #[error("invalid request for {seat}: {}", .errors.join("; "))]
    InvalidRequest { seat: &'static str, errors: Vec<String> },
}

impl RoleError {
    /// Error in a line of a text.
    pub(super) fn in_text(
        origin: &TextOrigin,
        name: &str,
        line: usize,
        message: impl Into<String>,
    ) -> RoleError {
        let (name, message) = (name.to_owned(), message.into());
        match origin {
            TextOrigin::BuiltIn => RoleError::InvalidBuiltIn { name, line, message },
            TextOrigin::File(path) => RoleError::InvalidOverride { path: path.clone(), line, message, name },
        }
    }
}

fn shown_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).to_string()
}
