//! Port: the run that started this one as a nested run and receives its results.

/// The calling run. Every method is called inside a step and may be repeated after a crash, so implementations must be
/// idempotent.
pub trait Caller: Send + Sync {
    /// Unique identity of the caller.
    fn identity(&self) -> String;

    /// Appends a warning to the caller's issue log.
    fn log_warning(&self, entry: &str) -> Result<(), String>;

    /// Exports the findings that were accepted although they are out of scope.
    fn take_out_of_scope(&self, findings: &[u8]) -> Result<(), String>;

    /// Exports the artifacts of the run.
    fn export(&self) -> Result<(), String>;

    /// Removes the export of an earlier run, so that it is not mistaken for this one's.
    fn withdraw(&self);
}
