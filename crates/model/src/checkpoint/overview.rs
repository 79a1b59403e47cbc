//! The few members of a document that a listing of many runs needs, read without building the rest.

use super::document::{GateState, PhaseStatus};
use super::read::{ReadError, diagnose};
use super::resume::next_phase;
use super::run::StopRecord;
use crate::seats::EMBEDDED;
use crate::stamp::Stamp;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// Members of a document that a listing shows.
#[derive(Debug, Deserialize)]
pub struct CheckpointOverview {
    #[serde(deserialize_with = "super::document::version_one")]
    #[expect(dead_code, reason = "read so that other versions are refused")]
    version: u64,
    /// HEAD at the last save.
    #[serde(default)]
    pub head_commit: Option<String>,
    #[serde(default)]
    pub started_at: Option<Stamp>,
    #[serde(default)]
    pub updated_at: Option<Stamp>,
    #[serde(default)]
    pub completed_at: Option<Stamp>,
    #[serde(default)]
    state: StateOverview,
    #[serde(default)]
    phases: PhasesOverview,
    /// Gates that wait for a person, and the last verdict.
    #[serde(default, rename = "gates")]
    pub gates: GatesOverview,
    #[serde(default)]
    run: Option<RunOverview>,
}

#[derive(Debug, Deserialize)]
struct RunOverview {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default)]
    stopped: Option<StopRecord>,
}

#[derive(Debug, Default, Deserialize)]
struct StateOverview {
    #[serde(default)]
    current_phase: Option<String>,
    #[serde(default)]
    pending_phases: Vec<String>,
}

#[derive(Deserialize)]
struct GateOverview {
    #[serde(default)]
    state: Option<GateState>,
}

#[derive(Deserialize)]
struct PhaseOverview {
    #[serde(default)]
    status: PhaseStatus,
    #[serde(default)]
    started_at: Option<Stamp>,
    #[serde(default)]
    steps: Option<AgentsOverview>,
}

impl CheckpointOverview {
    /// True if agents answered and none of them was a model.
    pub fn is_without_model(&self) -> bool {
        self.phases.agents.has_embedded && !self.phases.agents.has_model
    }

    /// Reads the needed members; the rest must still be well-formed JSON.
    pub fn read(bytes: &[u8]) -> Result<CheckpointOverview, ReadError> {
        serde_json::from_slice(bytes).map_err(|_| diagnose(bytes))
    }

    /// Id of the run.
    pub fn run_id(&self) -> Option<&str> {
        self.run.as_ref()?.id.as_deref()
    }

    /// Folder of the run's artifacts, relative to the root of the repository.
    pub fn workspace(&self) -> Option<&str> {
        self.run.as_ref()?.workspace.as_deref()
    }

    /// Reason the run's driver stopped, if nothing has happened since.
    pub fn stopped(&self) -> Option<&StopRecord> {
        self.run.as_ref()?.stopped.as_ref()
    }

    /// The phase the run is in or resumes with, and true if that phase failed.
    pub fn phase(&self) -> Option<(&str, bool)> {
        if self.completed_at.is_some() {
            return None;
        }
        let failed = self
            .phases
            .failed
            .iter()
            .map(|(name, started)| (name.as_str(), PhaseStatus::Failed, started.as_ref()));
        let phase = next_phase(self.state.current_phase.as_deref(), failed, &self.state.pending_phases)?;
        Some((phase, self.phases.failed.iter().any(|(name, _)| name == phase)))
    }
}

/// Phases of a run, as a listing needs them.
#[derive(Debug, Default)]
struct PhasesOverview {
    /// Failed phases with their start.
    failed: Vec<(String, Option<Stamp>)>,
    agents: AgentsOverview,
}

/// Agents that answered.
#[derive(Debug, Default, Clone, Copy)]
struct AgentsOverview {
    has_model: bool,
    has_embedded: bool,
}

impl<'de> Deserialize<'de> for PhasesOverview {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PhasesOverview, D::Error> {
        fold_map(
            deserializer,
            "a map of phases",
            |phases: &mut PhasesOverview, name, phase: PhaseOverview| {
                if phase.status == PhaseStatus::Failed {
                    phases.failed.push((name, phase.started_at));
                }
                let agents = phase.steps.unwrap_or_default();
                phases.agents.has_model |= agents.has_model;
                phases.agents.has_embedded |= agents.has_embedded;
            },
        )
    }
}

#[derive(Deserialize)]
struct StepOverview<'a> {
    #[serde(default, borrow)]
    agent: Option<std::borrow::Cow<'a, str>>,
}

impl<'de> Deserialize<'de> for AgentsOverview {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AgentsOverview, D::Error> {
        let add =
            |agents: &mut AgentsOverview, _: IgnoredAny, step: StepOverview<'de>| match step.agent.as_deref()
            {
                Some(EMBEDDED) => agents.has_embedded = true,
                Some(_) => agents.has_model = true,
                None => {}
            };
        fold_map(deserializer, "a map of steps", add)
    }
}

/// Gates of a run, as a listing shows them.
#[derive(Debug, Default)]
pub struct GatesOverview {
    /// Names of the gates that wait for a person.
    pub waiting: Vec<String>,
    /// Approved or rejected, if a person gave a verdict.
    pub verdict: Option<GateState>,
}

impl<'de> Deserialize<'de> for GatesOverview {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GatesOverview, D::Error> {
        fold_map(deserializer, "a map of gates", |gates: &mut GatesOverview, name, gate: GateOverview| {
            match gate.state {
                Some(GateState::Pending) => gates.waiting.push(name),
                Some(verdict @ (GateState::Approved | GateState::Rejected)) => gates.verdict = Some(verdict),
                _ => {}
            }
        })
    }
}

/// Reads a map entry by entry, without keeping it; `add` takes from each entry what is needed.
fn fold_map<'de, D, K, V, T>(
    deserializer: D,
    expected: &'static str,
    add: impl FnMut(&mut T, K, V),
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    T: Default,
{
    deserializer.deserialize_map(FoldMap { expected, add, types: PhantomData })
}

struct FoldMap<F, K, V, T> {
    expected: &'static str,
    add: F,
    types: PhantomData<(K, V, T)>,
}

impl<'de, F, K, V, T> Visitor<'de> for FoldMap<F, K, V, T>
where
    F: FnMut(&mut T, K, V),
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    T: Default,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<T, A::Error> {
        let mut folded = T::default();
        while let Some((key, value)) = map.next_entry()? {
            (self.add)(&mut folded, key, value);
        }
        Ok(folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::run::StopKind;

    #[test]
    fn the_phase_in_the_overview_is_the_resume_point() {
        for (text, phase) in [
            (r#"{"version":1,"state":{"current_phase":"write"}}"#, Some(("write", false))),
            (
                r#"{"version":1,"state":{"pending_phases":["write"]},"phases":{"research":{"status":"complete"}}}"#,
                Some(("write", false)),
            ),
            (
                r#"{"version":1,"state":{"pending_phases":["write"]},"phases":{"research":{"status":"failed"}}}"#,
                Some(("research", true)),
            ),
            (
                r#"{"version":1,"completed_at":"2026-01-01T00:00:00Z","state":{"pending_phases":["write"]}}"#,
                None,
            ),
        ] {
            let full = super::super::resume_point(&super::super::read(text.as_bytes()).unwrap());
            let overview = CheckpointOverview::read(text.as_bytes()).unwrap();
            assert_eq!(overview.phase(), phase, "{text}");
            assert_eq!(full.phase.as_deref(), phase.map(|(name, _)| name), "{text}");
        }
    }

    #[test]
    fn gates_that_wait_are_seen() {
        let text =
            r#"{"version":1,"gates":{"a":{"state":"answered"},"b":{"state":"pending","subject":"x"}}}"#;
        assert_eq!(CheckpointOverview::read(text.as_bytes()).unwrap().gates.waiting, ["b"]);
    }

    #[test]
    fn the_verdict_and_the_agents_are_seen() {
        for (gates, steps, verdict, without_model) in [
            (r#""a":{"state":"rejected"}"#, r#""x":{"agent":"embedded"}"#, Some(GateState::Rejected), true),
            (
                r#""a":{"state":"approved"},"b":{"state":"pending"}"#,
                r#""x":{"agent":"embedded"},"y":{"agent":"cl\u0061ude"}"#,
                Some(GateState::Approved),
                false,
            ),
            (r#""a":{"state":"answered"}"#, r#""x":{"status":"done"}"#, None, false),
        ] {
            let text = format!(
                r#"{{"version":1,"phases":{{"write":{{"steps":{{{steps}}}}}}},"gates":{{{gates}}}}}"#
            );
            let overview = CheckpointOverview::read(text.as_bytes()).unwrap();
            assert_eq!(
                (overview.gates.verdict, overview.is_without_model()),
                (verdict, without_model),
                "{text}"
            );
        }
    }

    #[test]
    fn a_stop_is_seen() {
        let text = r#"{"version":1,"run":{"id":"r","stopped":{"kind":"failed","message":"no","at":"2026-01-01T00:00:00Z"}}}"#;
        let overview = CheckpointOverview::read(text.as_bytes()).unwrap();
        let stopped = overview.stopped().unwrap();
        assert_eq!((stopped.kind, stopped.message.as_str()), (StopKind::Failed, "no"));
        for text in [r#"{"version":1}"#, r#"{"version":1,"run":null}"#, r#"{"version":1,"run":{"id":"r"}}"#] {
            assert!(CheckpointOverview::read(text.as_bytes()).unwrap().stopped().is_none(), "{text}");
        }
    }

    #[test]
    fn unreadable_documents_have_an_error_kind() {
        assert_eq!(CheckpointOverview::read(b"").unwrap_err(), ReadError::Empty);
        assert_eq!(
            CheckpointOverview::read(br#"{"version":2}"#).unwrap_err(),
            ReadError::Version("2".to_owned())
        );
        assert!(matches!(
            CheckpointOverview::read(br#"{"version":1,"phases":{"a":{"#).unwrap_err(),
            ReadError::NotJson(_)
        ));
    }
}
