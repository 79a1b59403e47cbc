//! What can go wrong with the tracker, in words for the person who has to mend it. The key is in none of them.

use crate::http::AddressProblem;

/// Why the tracker did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinearError {
    /// The address cannot be used.
    #[error("linear.endpoint cannot be used: {0}")]
    Endpoint(AddressProblem),
    /// The key cannot be sent.
    #[error("LINEAR_API_KEY holds characters that cannot be sent")]
    Key,
    /// Nobody answers there, or not to the end.
    #[error("Linear cannot be reached: {0}")]
    Unreachable(String),
    /// The key is not accepted.
    #[error("Linear does not accept the key in LINEAR_API_KEY: {0}")]
    Unauthorised(String),
    /// It wants to be left alone for longer than we wait.
    #[error("Linear asks to wait{}", .0.map(|seconds| format!(" {seconds} seconds")).unwrap_or_default())]
    RateLimited(Option<u64>),
    /// The service is in trouble.
    #[error("Linear answered with {status}: {said}")]
    Service {
        /// The status of its answer.
        status: u16,
        /// What it said.
        said: String,
    },
    /// It understood, and refuses.
    #[error("Linear refuses: {0}")]
    Rejected(String),
    /// The answer is not one.
    #[error("the answer of Linear was not understood: {0}")]
    NotUnderstood(String),
    /// The answer has no end.
    #[error("Linear sent more than the {0} bytes that are read")]
    TooLarge(usize),
    /// The team does not exist, or the key may not see it.
    #[error("there is no team \"{0}\" that the key in LINEAR_API_KEY can see")]
    NoTeam(String),
    /// The name fits more than one team.
    #[error("\"{wanted}\" is the name of several teams; give one of their keys instead: {keys}")]
    SeveralTeams {
        /// What was asked for.
        wanted: String,
        /// The keys to choose from.
        keys: String,
    },
}
