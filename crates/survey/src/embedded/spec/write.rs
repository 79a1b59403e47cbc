//! The three files in one answer, below their marker lines.

use super::spec_inputs::SpecInputs;
use super::{design, requirements, tasks};
use crate::embedded::draft::{DraftError, required_artifact};
use crate::embedded::inputs::DraftInputs;
use charrette_model::seats::files::join_files;

/// Writes `requirements.md`, `design.md` and `tasks.md`.
pub(in crate::embedded) fn write(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let spec = SpecInputs::new(inputs, required_artifact(inputs, "plan.txt")?);
    Ok(join_files(&[
        ("requirements.md", &requirements::write(&spec)),
        ("design.md", &design::write(&spec)),
        ("tasks.md", &tasks::write(&spec)),
    ]))
}
