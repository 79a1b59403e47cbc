//! The run that called this one, and takes what comes of it.

/// Where a nested run leaves what its caller needs. Each is called inside a step, and may be called again after a crash, so
/// an implementation must come to the same each time.
pub trait Caller: Send + Sync {
    /// Tells this caller from any other.
    fn identity(&self) -> String;

    /// Puts a warning on the caller's log of issues.
    fn log_warning(&self, entry: &str) -> Result<(), String>;

    /// Hands over the findings that were accepted although they are out of scope.
    fn take_out_of_scope(&self, findings: &[u8]) -> Result<(), String>;

    /// Hands over what the run made.
    fn export(&self) -> Result<(), String>;

    /// Takes back what an earlier run handed over, so that it is not taken for this one's.
    fn withdraw(&self);
}
