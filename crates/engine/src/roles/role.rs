//! One role: what its front matter says, where its text comes from, and what can be wrong with it.

use super::template::Texts;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::shown::shown;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A role definition.
#[derive(Debug, Clone)]
pub struct Role {
    /// What seats call it.
    pub name: &'static str,
    /// The seats that play it, in the order of their steps.
    pub seats: Vec<&'static Seat>,
    /// What its seats read.
    pub reads: Vec<String>,
    /// What its seats' answers become.
    pub writes: Vec<String>,
    /// How an answer must look.
    pub form: AnswerForm,
    /// The mode of its requests.
    pub mode: String,
    /// How many words an answer may have, where its own form sets no other limit.
    pub max_words: Option<usize>,
    /// The model to ask for, if the team pinned one.
    pub model: Option<String>,
    /// Whether it may use the web.
    pub web: bool,
    /// Where its text comes from.
    pub origin: Origin,
    /// The whole text, with front matter.
    pub text: String,
    /// This text and everything it may include.
    pub(super) texts: Arc<Texts>,
}

/// Where a text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It came with charrette.
    BuiltIn,
    /// The team's own file, as a person at the root of the repository would name it.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built-in"),
            Origin::File(path) => write!(f, "{}", shown(&path.to_string_lossy())),
        }
    }
}

/// Why a role cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// There is no role of that name.
    #[error("there is no role called {}", shown(.0))]
    Unknown(String),
    /// A file that stands for nothing.
    #[error("{}: there is no role or part of that name, so the file has no effect", shown_path(.0))]
    Stray(PathBuf),
    /// The team's own text cannot be used. The built-in one is not put in its place unasked.
    #[error("{}:{line}: {message} (it stands in for the built-in {name}; remove it to use that)", shown_path(.path))]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong.
        message: String,
        /// The role or part it stands in for.
        name: String,
    },
    /// The built-in text cannot be used.
    #[error("built-in {name}:{line}: {message}")]
    BuiltIn {
        /// The role or part.
        name: String,
        /// The line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// What it should be asked makes no request.
    #[error("the request for {seat} cannot be sent: {}", .errors.join("; "))]
    Request {
        /// The seat.
        seat: &'static str,
        /// Everything that is wrong with it.
        errors: Vec<String>,
    },
}

impl RoleError {
    /// Something wrong with a text, wherever that comes from.
    pub(super) fn in_text(origin: &Origin, name: &str, line: usize, message: impl Into<String>) -> RoleError {
        let (name, message) = (name.to_owned(), message.into());
        match origin {
            Origin::BuiltIn => RoleError::BuiltIn { name, line, message },
            Origin::File(path) => RoleError::Broken { path: path.clone(), line, message, name },
        }
    }
}

fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy()).to_string()
}
