//! Errors of the Linear client, for the person who has to fix them. The key is in none of them.

use charrette_http::AddressError;

/// Reason a Linear request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinearError {
    #[error("linear.endpoint cannot be used: {0}")]
    Endpoint(AddressError),
    #[error("LINEAR_API_KEY holds characters that cannot be sent")]
    Key,
    /// No response, or only part of one.
    #[error("Linear cannot be reached: {0}")]
    Unreachable(String),
    #[error("Linear does not accept the key in LINEAR_API_KEY: {0}")]
    Unauthorised(String),
    /// The rate limit is reached, and retries are used up or would have to wait too long.
    #[error("Linear asks to wait{}", .0.map(|seconds| format!(" {seconds} seconds")).unwrap_or_default())]
    RateLimited(Option<u64>),
    /// A status that is an error of the service.
    #[error("Linear answered with {status}: {message}")]
    Service { status: u16, message: String },
    /// The service understood the request and refuses it.
    #[error("Linear refuses: {0}")]
    Rejected(String),
    /// The response has no valid content.
    #[error("the answer of Linear was not understood: {0}")]
    InvalidResponse(String),
    #[error("Linear sent more than the {0} bytes that are read")]
    TooLarge(usize),
    /// The team does not exist, or the key has no access to it.
    #[error("there is no team \"{0}\" that the key in LINEAR_API_KEY can see")]
    NoTeam(String),
    #[error("\"{name}\" is the name of several teams; give one of their keys instead: {keys}")]
    AmbiguousTeam { name: String, keys: String },
}
