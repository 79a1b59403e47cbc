//! Three files below the lines that name them.

use super::parts::Parts;
use super::{design, requirements, tasks};
use crate::embedded::draft::{DraftError, needed};
use crate::embedded::inputs::Inputs;
use charrette_model::seats::files::marker;

/// Writes `requirements.md`, `design.md` and `tasks.md`.
pub(in crate::embedded) fn write(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let parts = Parts::new(inputs, needed(inputs, "plan.txt")?);
    Ok(format!(
        "{}\n{}\n{}\n{}\n{}\n{}",
        marker("requirements.md"),
        requirements::write(&parts),
        marker("design.md"),
        design::write(&parts),
        marker("tasks.md"),
        tasks::write(&parts)
    ))
}
