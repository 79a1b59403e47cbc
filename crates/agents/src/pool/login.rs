//! Reasons of failures of clients that are not logged in. They name the cure and need no words around them.

const LOGGED_OUT: &str = "not logged in";

/// The reason of a failed call of a client that is not logged in: the cure, then what the client said.
pub(super) fn logged_out_reason(cure: &str, said: &str) -> String {
    format!("{LOGGED_OUT}: {cure} ({said})")
}

/// True if the reason is that the client is not logged in.
pub(super) fn is_logged_out(reason: &str) -> bool {
    reason.starts_with(LOGGED_OUT)
}
