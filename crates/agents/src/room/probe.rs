//! Whether an agent works at all: asked once in the life of a process, with one second chance.

use super::call::Call;
use super::shared::Room;
use crate::profile::Agent;
use std::time::Duration;

/// What every agent is asked.
const QUESTION: &str = "Respond with OK";

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Whether it answered as it should, or why not.
    pub works: Result<(), String>,
}

impl Room {
    /// Asks an agent whether it works, unless that was done before. Everybody who wants to know waits for the
    /// same answer.
    pub async fn probe(&self, agent: &Agent) -> Probe {
        let Some(cell) = self.probed(&agent.name) else {
            return Probe { works: Err("no such agent is configured".to_owned()) };
        };
        let known = self.health().reason(&agent.name).map(str::to_owned);
        if let Some(reason) = known.filter(|_| !cell.initialized()) {
            // It failed before anybody asked, here or in the run that called this one.
            return Probe { works: Err(reason) };
        }
        let works = cell.get_or_init(|| async {
            let first = self.ask_whether(agent, 1).await;
            let works = match first {
                Err(_) if !self.cancel().is_requested() => {
                    self.ask_whether(agent, 2).await.map_err(|reason| format!("Retry {reason}"))
                }
                first => first,
            };
            match &works {
                Ok(()) => self.health().answered(&agent.name),
                Err(_) if self.cancel().is_requested() => {}
                Err(reason) => self.health().failed(&agent.name, reason),
            }
            works
        });
        Probe { works: works.await.clone() }
    }

    async fn ask_whether(&self, agent: &Agent, attempt: u32) -> Result<(), String> {
        let lane = self.scratch(&format!("probe-{}-{attempt}", agent.name));
        let lane = lane.map_err(|error| format!("no scratch folder: {error}"))?;
        let kept = [lane.join("stdout"), lane.join("stderr")];
        let name = format!("probe-{}", agent.name);
        let report = self
            .call(Call {
                agent,
                prompt: QUESTION,
                seat: "probe",
                writing: false,
                session: None,
                total: self.rules().probe_time,
                ends_on_rate_limit: true,
                lane: &lane,
                token: ("probe", &name),
                kept: (&kept[0], &kept[1]),
            })
            .await;
        let _ = fs_err::remove_dir_all(&lane);
        match report.outcome.answer {
            Ok(text) if is_ok(&text) => Ok(()),
            Ok(text) => {
                let shown: String = text.trim().chars().take(200).collect();
                Err(format!("non-OK reply: {}", self.redactor().text(&shown)))
            }
            Err(failure) => Err(self.redactor().text(&failure.message).into_owned()),
        }
    }

    /// How long a probe may take at most, both attempts together.
    pub fn probe_patience(&self) -> Duration {
        2 * (self.rules().probe_time + self.rules().grace())
    }
}

/// The reply without white space, in lower case, is `ok`; a full stop does no harm.
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
