//! Health probe of an agent: once per process, with one retry.

use super::call::{AgentCall, CallOrigin, EndHook};
use super::login::is_logged_out;
use super::state::AgentPool;
use crate::profile::{Agent, Transport};
use std::time::Duration;

/// Prompt of a probe.
const PROMPT: &str = "Respond with OK";

/// Start of the reason of a retry that failed, except that of a client that is not logged in.
const RETRIED: &str = "Retry ";

/// Result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// The reason, if the agent is not healthy.
    pub health: Result<(), String>,
}

impl AgentPool {
    /// Probes an agent, unless that was done before. Concurrent callers wait for the same probe.
    pub async fn probe(&self, agent: &Agent) -> ProbeResult {
        if agent.profile.transport == Transport::Queue {
            // A probe would be a question to a person.
            return ProbeResult { health: Ok(()) };
        }
        let Some(cell) = self.probe_cell(&agent.name) else {
            return ProbeResult { health: Err("no such agent is configured".to_owned()) };
        };
        let known = self.health().reason(&agent.name).map(str::to_owned);
        if let Some(reason) = known.filter(|_| !cell.initialized()) {
            // It failed without a probe, here or in the calling run.
            return ProbeResult { health: Err(reason) };
        }
        let health = cell.get_or_init(|| async {
            let first = self.try_probe(agent, 1).await;
            let health = match first {
                Err(_) if !self.cancel().is_requested() => self.try_probe(agent, 2).await.map_err(retried),
                first => first,
            };
            match &health {
                Ok(()) => self.health().record_success(&agent.name),
                Err(_) if self.cancel().is_requested() => {}
                Err(reason) => self.health().record_failure(&agent.name, reason),
            }
            health
        });
        ProbeResult { health: health.await.clone() }
    }

    async fn try_probe(&self, agent: &Agent, attempt: u32) -> Result<(), String> {
        let lane = self.create_scratch_folder(&format!("probe-{}-{attempt}", agent.name));
        let lane = lane.map_err(|error| format!("no scratch folder: {error}"))?;
        let (stdout, stderr) = (lane.join("stdout"), lane.join("stderr"));
        let name = format!("probe-{}", agent.name);
        let report = self
            .call(AgentCall {
                agent,
                prompt: PROMPT,
                seat: "probe",
                origin: CallOrigin::default(),
                folder: None,
                writing: false,
                session: None,
                timeout: self.policy().probe_timeout,
                ends_on_rate_limit: true,
                lane: &lane,
                run: "probe",
                lane_name: &name,
                stdout: &stdout,
                stderr: &stderr,
                on_end: EndHook::NONE,
            })
            .await;
        let _ = fs_err::remove_dir_all(&lane);
        match report.outcome.answer {
            Ok(text) if is_ok(&text) => Ok(()),
            Ok(text) => {
                let shown: String = text.trim().chars().take(200).collect();
                Err(format!("non-OK reply: {}", self.redactor().redact(&shown)))
            }
            Err(failure) => Err(self.redactor().redact(&failure.message).into_owned()),
        }
    }

    /// Maximum time of a probe, with its retry.
    pub fn max_probe_time(&self) -> Duration {
        2 * (self.policy().probe_timeout + self.policy().grace())
    }
}

fn retried(reason: String) -> String {
    if is_logged_out(&reason) { reason } else { format!("{RETRIED}{reason}") }
}

/// The reason of a failed call or probe, whether it was a retry or not.
pub(super) fn bare_reason(reason: &str) -> &str {
    reason.strip_prefix(RETRIED).unwrap_or(reason)
}

/// True if the reply is `ok`, without regard to case, white space and final punctuation.
fn is_ok(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    letters.trim_end_matches(['.', '!']).eq_ignore_ascii_case("ok")
}

#[cfg(test)]
mod tests {
    use super::is_ok;

    #[test]
    fn only_ok_is_ok() {
        for (reply, ok) in [("OK", true), (" o k\n", true), ("Ok.", true), ("OK, done", false), ("", false)] {
            assert_eq!(is_ok(reply), ok, "{reply:?}");
        }
    }
}
