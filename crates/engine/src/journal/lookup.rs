//! Looks steps up in the record: which are reused, and why the others are executed.

use super::file::{FileJournal, missing_step};
use super::lane::lane_name;
use crate::event::EventKind;
use crate::explain::{RunReason, is_by_this_version};
use crate::ports::journal::{StepCall, StepOutcome};
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::StepRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A step that was looked up.
pub(super) enum Found {
    Done(StepOutcome),
    Due { inputs: BTreeMap<String, String>, before: Option<Arc<StepRecord>>, reason: RunReason },
}

impl FileJournal {
    /// Looks a step up: its recorded outcome if it is reused, or else what its execution needs to know.
    pub(super) fn look_up(&self, call: &StepCall) -> FlowResult<Found> {
        let record = &self.record;
        let inputs = record.digests(&call.reads)?;
        let before = record.step(&call.phase, &call.id);
        if let Some(reason) = self.run_reason(before.as_deref(), call, &inputs)? {
            return Ok(Found::Due { inputs, before, reason });
        }
        record.emit(EventKind::StepReused { phase: call.phase.clone(), step: call.id.clone() });
        Ok(Found::Done(self.step_outcome(call, &before.unwrap_or_else(missing_step))?))
    }

    /// Reason why the step must run; none if it is done with the same inputs and its output files exist.
    fn run_reason(
        &self,
        before: Option<&StepRecord>,
        call: &StepCall,
        inputs: &BTreeMap<String, String>,
    ) -> FlowResult<Option<RunReason>> {
        let reason = RunReason::find(before, inputs, is_by_this_version(&self.record.document()));
        let (None, Some(step)) = (&reason, before) else { return Ok(reason) };
        let lane = lane_name(&call.phase, &call.id, step.attempt.unwrap_or(1));
        for name in step.outputs.keys() {
            let exists = self.record.workspace.readable_path(name, Some(&lane)).map(|path| path.is_file());
            if !exists.map_err(|error| Stop::Failed(error.to_string()))? {
                return Ok(Some(RunReason::OutputMissing(name.clone())));
            }
        }
        Ok(None)
    }
}
