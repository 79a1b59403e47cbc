//! The sentences of nested designs and of workers, word for word. Scripts and people search for them.

use crate::shown::shown;

/// Said in a step when its worker failed and somebody called this run.
pub fn worker_failed_nested(reason: &str) -> String {
    format!(
        "heavy worker subagent failed: {}. No design manifest will be exported. Parent charrette implement will see MANIFEST_FAILED at Step 1 and re-invoke charrette design.",
        shown(reason)
    )
}

/// Said in a step when its worker failed and nobody called this run.
pub fn worker_failed(reason: &str, workspace: &str) -> String {
    format!(
        "heavy worker subagent failed: {}. Preserving {} for inspection.",
        shown(reason),
        shown(workspace)
    )
}

/// Said in the last step when the caller does not get its files.
pub fn export_failed(workspace: &str) -> String {
    format!(
        "design manifest export failed. Parent charrette implement will rerun charrette design. Preserving {} for inspection.",
        shown(workspace)
    )
}

/// Said when a worker left no diagram because the one it had was rejected.
pub const DIAGRAM_REJECTED: &str = "**⚠ Architecture diagram unavailable (rejected by sanitizer).**";

/// Said when a worker left no diagram because there was none.
pub const DIAGRAM_FAILED: &str =
    "**⚠ Architecture diagram unavailable (Step 3b generation failed in subagent).**";

/// The heading where a worker left nothing that was not adopted.
pub const ALL_IMPLEMENTED: &str = "## Plan Review — All Suggestions Implemented";
