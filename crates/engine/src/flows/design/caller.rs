//! The run that called this one, and takes what comes of it.

/// Where a nested design leaves what its caller needs. A flow that goes through again says everything again, so
/// whoever implements this must come to the same each time.
pub trait Caller: Send + Sync {
    /// Puts a warning on the caller's log of issues.
    fn log_warning(&self, entry: &str) -> Result<(), String>;

    /// Hands over the findings that were accepted although they are out of scope.
    fn take_out_of_scope(&self) -> Result<(), String>;

    /// Hands over the finished design.
    fn export(&self) -> Result<(), String>;

    /// Takes back what an earlier design handed over, so that nobody takes it for this one's.
    fn withdraw(&self);
}
