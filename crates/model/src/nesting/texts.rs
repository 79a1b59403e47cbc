//! Messages of nested designs and of workers. The exact words are fixed: scripts and people search for them.

use crate::escape::printable;

/// A worker failed in a nested run.
pub fn worker_failed_nested(reason: &str) -> String {
    format!(
        "heavy worker subagent failed: {}. No design manifest will be exported. Parent charrette implement will see MANIFEST_FAILED at Step 1 and re-invoke charrette design.",
        printable(reason)
    )
}

/// A worker failed in a run without caller.
pub fn worker_failed(reason: &str, workspace: &str) -> String {
    format!(
        "heavy worker subagent failed: {}. Preserving {} for inspection.",
        printable(reason),
        printable(workspace)
    )
}

/// The export for the caller failed.
pub fn export_failed(workspace: &str) -> String {
    format!(
        "design manifest export failed. Parent charrette implement will rerun charrette design. Preserving {} for inspection.",
        printable(workspace)
    )
}

/// A worker's diagram was rejected.
pub const DIAGRAM_REJECTED: &str = "**⚠ Architecture diagram unavailable (rejected by sanitizer).**";

/// A worker left no diagram.
pub const DIAGRAM_FAILED: &str =
    "**⚠ Architecture diagram unavailable (Step 3b generation failed in subagent).**";

/// Heading when a worker left no rejected findings.
pub const ALL_IMPLEMENTED: &str = "## Plan Review — All Suggestions Implemented";
