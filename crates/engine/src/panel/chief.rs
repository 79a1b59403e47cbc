//! The chief designer: one voice that drafts the plan, revises it after the review, mends it after the walk-through,
//! finishes it with the person's answers, and writes the specification from it.
//!
//! Its later calls continue the session of the first where the client can; its notes carry what matters everywhere else.
//! It answers with edits by section, so that what it does not touch stays as it is.

use super::calls::Panel;
use crate::agent::{AgentCall, AgentSession};
use crate::agent_step::AgentOutcome;
use crate::artifact::Artifact;
use crate::run::PhaseHandle;
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::file_names::PLAN_DRAFT;

/// The chief designer of a run, once it has drafted the plan.
#[derive(Debug, Clone)]
pub struct Chief {
    session: Option<AgentSession>,
}

impl Chief {
    /// Has the plan drafted.
    pub async fn draft(phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<(Chief, Artifact)> {
        let outcome = phase.agent_outcome(panel.call("planner")?).await?;
        let draft = named(&outcome, PLAN_DRAFT)?;
        Ok((Chief { session: outcome.session }, draft))
    }

    /// Has the accepted findings solved.
    pub(super) async fn revise(&self, phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<Artifact> {
        phase.agent_file(panel.call("reviser")?.continues(self.session.clone())).await
    }

    /// Has the plan mended where scenarios break.
    pub(super) async fn mend(&self, phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<Artifact> {
        phase.agent_file(panel.call("mender")?.continues(self.session.clone())).await
    }

    /// Has the person's answers worked in.
    pub async fn finish(&self, phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<Artifact> {
        phase.agent_file(panel.call("finisher")?.continues(self.session.clone())).await
    }

    /// Call for the files of the specification, or for edits of them if there is a note that says what is wrong.
    pub(crate) fn write(&self, panel: &Panel, note: &str) -> FlowResult<AgentCall> {
        Ok(panel.seat("writer")?.note(note).call()?.continues(self.session.clone()))
    }
}

fn named(outcome: &AgentOutcome, name: &str) -> FlowResult<Artifact> {
    let found = outcome.artifacts.0.iter().find(|artifact| artifact.name() == name);
    found.cloned().ok_or_else(|| Stop::Failed(format!("the planner wrote no {name}")))
}
