//! The few members of a document that a listing of many runs needs, read without building the rest.

use super::document::{GateState, PhaseStatus};
use super::read::{ReadError, diagnose};
use super::resume::next_phase;
use super::run::StopRecord;
use crate::stamp::Stamp;
use serde::{Deserialize, Deserializer};
use std::fmt;

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
    #[serde(default, deserialize_with = "failed_phases")]
    phases: Vec<(String, Option<Stamp>)>,
    /// Names of the gates that wait for a person.
    #[serde(default, deserialize_with = "waiting_gates", rename = "gates")]
    pub waiting: Vec<String>,
    #[serde(default)]
    run: Option<RunOverview>,
}

#[derive(Debug, Deserialize)]
struct RunOverview {
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
}

impl CheckpointOverview {
    /// Reads the needed members; the rest must still be well-formed JSON.
    pub fn read(bytes: &[u8]) -> Result<CheckpointOverview, ReadError> {
        serde_json::from_slice(bytes).map_err(|_| diagnose(bytes))
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
        let failed =
            self.phases.iter().map(|(name, started)| (name.as_str(), PhaseStatus::Failed, started.as_ref()));
        let phase = next_phase(self.state.current_phase.as_deref(), failed, &self.state.pending_phases)?;
        Some((phase, self.phases.iter().any(|(name, _)| name == phase)))
    }
}

/// Keeps the failed phases only.
fn failed_phases<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, Option<Stamp>)>, D::Error> {
    struct Phases;

    impl<'de> serde::de::Visitor<'de> for Phases {
        type Value = Vec<(String, Option<Stamp>)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of phases")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut failed = Vec::new();
            while let Some((name, phase)) = map.next_entry::<String, PhaseOverview>()? {
                if phase.status == PhaseStatus::Failed {
                    failed.push((name, phase.started_at));
                }
            }
            Ok(failed)
        }
    }

    deserializer.deserialize_map(Phases)
}

/// Keeps the pending gates only.
fn waiting_gates<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Gates;

    impl<'de> serde::de::Visitor<'de> for Gates {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map of gates")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut waiting = Vec::new();
            while let Some((name, gate)) = map.next_entry::<String, GateOverview>()? {
                if gate.state == Some(GateState::Pending) {
                    waiting.push(name);
                }
            }
            Ok(waiting)
        }
    }

    deserializer.deserialize_map(Gates)
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
        assert_eq!(CheckpointOverview::read(text.as_bytes()).unwrap().waiting, ["b"]);
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
