//! Selects the part of the script for a call.
//!
//! In a JSON file, the one of its agent and seat, `*` for any:
//!
//! ```json
//! {"alpha": {"researcher-a": {"answer": "I read {digest}."}, "*": {"exit": 1}}, "*": {"*": {"answer": "Fine."}}}
//! ```
//!
//! In a folder, the one of its step: `STEP.txt` is its answer, `STEP.json` its part, or a list of parts if it
//! depends on the prompt: the first whose `given` is in the prompt, or that has none. `STEP@AGENT.…` is for one
//! agent only, and `STEP.2.…` for the second call of an agent and all later ones. In names a slash is a dot. A step
//! without a file has the one of its seat.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A call of an agent.
pub(super) struct AgentCall {
    pub(super) script: PathBuf,
    pub(super) agent: String,
    /// The seat, or in a folder of answers the step.
    pub(super) step: String,
    seat: String,
}

impl AgentCall {
    pub(super) fn new(script: &str, agent: &str, seat: &str, lane: &str) -> AgentCall {
        let script = PathBuf::from(script);
        // Steps of investigators are named after their question.
        let lane_step = step_of_lane(lane).filter(|step| !step.starts_with("investigate."));
        let by_lane = || lane_step.clone().unwrap_or_else(|| step_of_seat(seat));
        let step = match seat {
            _ if !script.is_dir() => seat.to_owned(),
            "probe" => seat.to_owned(),
            _ => by_lane().replace('.', "/"),
        };
        AgentCall { script, agent: agent.to_owned(), step, seat: seat.to_owned() }
    }

    /// A call for a step in a folder of answers.
    pub(super) fn for_step(script: &Path, agent: &str, step: &str) -> AgentCall {
        let step = step.replace('.', "/");
        AgentCall { script: script.to_owned(), agent: agent.to_owned(), seat: step.clone(), step }
    }

    /// Candidate parts, in order.
    pub(super) fn parts(&self) -> Result<Vec<Value>, String> {
        if self.script.is_dir() { self.parts_in_folder() } else { self.part_in_file() }
    }

    fn part_in_file(&self) -> Result<Vec<Value>, String> {
        let script = read_json(&self.script)?;
        let part = script.get(&self.agent).or_else(|| script.get("*")).cloned().unwrap_or_default();
        Ok(vec![part.get(&self.step).or_else(|| part.get("*")).cloned().unwrap_or_default()])
    }

    fn parts_in_folder(&self) -> Result<Vec<Value>, String> {
        let step = self.step.replace('/', ".");
        for name in [&step, &self.seat].into_iter().flat_map(|name| self.candidates(name)) {
            let (does, says) = (format!("{name}.json"), format!("{name}.txt"));
            if self.script.join(&does).is_file() {
                return Ok(match read_json(&self.script.join(does))? {
                    Value::Array(parts) => parts,
                    part => vec![part],
                });
            }
            if self.script.join(&says).is_file() {
                return Ok(vec![json!({"says": says})]);
            }
        }
        Err(format!("the script has no answer for {step}"))
    }

    /// Names of the files for a step or seat, in the order they are looked for.
    fn candidates(&self, name: &str) -> Vec<String> {
        let own = format!("{name}@{}", self.agent);
        let time = self.count_call(&[&own, name]);
        let by_time = |name: String| {
            let later = (2..=time).rev().map(|time| format!("{name}.{time}")).collect::<Vec<_>>();
            later.into_iter().chain([name])
        };
        by_time(own).chain(by_time(name.to_owned())).collect()
    }

    /// Counts the calls of this agent for this step, if the script distinguishes them; otherwise 1.
    fn count_call(&self, names: &[&str; 2]) -> u32 {
        let exists = |name: &&str| {
            ["txt", "json"].iter().any(|kind| self.script.join(format!("{name}.2.{kind}")).is_file())
        };
        if !names.iter().any(exists) {
            return 1;
        }
        let marks = self.script.join("asked");
        let _ = fs_err::create_dir_all(&marks);
        let is_new = |time: &u32| {
            let mark = marks.join(format!("{}.{time}", names[0]));
            fs_err::OpenOptions::new().write(true).create_new(true).open(mark).is_ok()
        };
        (1..100).find(is_new).unwrap_or(100)
    }
}

fn read_json(path: &Path) -> Result<Value, String> {
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The step in `DRIVER/PHASE-STEP-ATTEMPT`.
fn step_of_lane(lane: &str) -> Option<String> {
    let (_, lane) = lane.rsplit_once('/')?;
    let (step, attempt) = lane.split_once('-')?.1.rsplit_once('-')?;
    attempt.parse::<u32>().ok().map(|_| step.to_owned())
}

/// Step of a seat in a design, for calls without a lane.
pub(super) fn step_of_seat(seat: &str) -> String {
    let of = |prefix: &str, step: &str| seat.strip_prefix(prefix).map(|rest| format!("{step}.{rest}"));
    let whole = |prefix: &str, step: &str| seat.starts_with(prefix).then(|| format!("{step}.{seat}"));
    of("researcher-", "research")
        .or_else(|| of("debate-", "debate"))
        .or_else(|| whole("cursor-", "sketch"))
        .or_else(|| whole("codex-", "sketch"))
        .or_else(|| whole("judge-", "judge"))
        .or_else(|| whole("reviewer-", "review"))
        .or_else(|| whole("voter-", "vote"))
        .or_else(|| whole("investigator-", "investigate"))
        .or_else(|| whole("walker-", "walk"))
        .unwrap_or_else(|| seat.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_known_by_its_lane() {
        for (lane, step) in [
            ("0198-ab/write-sketch.cursor-arch-1", Some("sketch.cursor-arch")),
            ("0198-ab/write-debate.2-thesis-12", Some("debate.2-thesis")),
            ("0198-ab/validate-writer.repair-1", Some("writer.repair")),
            ("0198-ab/probe-claude", None),
            ("ask/cursor-arch", None),
            ("", None),
        ] {
            assert_eq!(step_of_lane(lane).as_deref(), step, "{lane}");
        }
    }

    #[test]
    fn a_step_is_known_by_its_seat() {
        for (seat, step) in [
            ("researcher-tasks", "research.tasks"),
            ("codex-pragmatic", "sketch.codex-pragmatic"),
            ("debate-3-antithesis", "debate.3-antithesis"),
            ("judge-claude", "judge.judge-claude"),
            ("reviewer-edge", "review.reviewer-edge"),
            ("voter-codex", "vote.voter-codex"),
            ("writer", "writer"),
        ] {
            assert_eq!(step_of_seat(seat), step);
        }
    }
}
