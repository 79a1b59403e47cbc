//! Which part an agent plays.
//!
//! In a JSON file, that of its name and seat, `*` for any:
//!
//! ```json
//! {"alpha": {"researcher-a": {"answer": "I read {digest}."}, "*": {"exit": 1}}, "*": {"*": {"answer": "Fine."}}}
//! ```
//!
//! In a folder, that of its step: `STEP.txt` is what it says, `STEP.json` what it does, a list of parts if that
//! depends on the prompt: the first counts whose `given` the prompt has, or that has none. `STEP@AGENT.…` is for one
//! agent only, and `STEP.2.…` for the second time that an agent is asked and from then on. In names a slash is a dot.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Who is asked for what.
pub(super) struct Cue {
    /// The script.
    pub(super) script: PathBuf,
    /// The agent.
    pub(super) agent: String,
    /// The seat, or in a folder of answers the step.
    pub(super) place: String,
}

impl Cue {
    pub(super) fn new(script: &str, agent: &str, seat: &str, lane: &str) -> Cue {
        let script = PathBuf::from(script);
        let by_lane = || step_of_lane(lane).unwrap_or_else(|| step_of_seat(seat));
        let place = match seat {
            _ if !script.is_dir() => seat.to_owned(),
            "probe" => seat.to_owned(),
            _ => by_lane().replace('.', "/"),
        };
        Cue { script, agent: agent.to_owned(), place }
    }

    /// Of a step in a folder of answers.
    pub(super) fn of_step(script: &Path, agent: &str, step: &str) -> Cue {
        Cue { script: script.to_owned(), agent: agent.to_owned(), place: step.replace('.', "/") }
    }

    /// The parts that may be played, in order.
    pub(super) fn parts(&self) -> Result<Vec<Value>, String> {
        if self.script.is_dir() { self.parts_in_folder() } else { self.part_in_file() }
    }

    fn part_in_file(&self) -> Result<Vec<Value>, String> {
        let script = json_in(&self.script)?;
        let part = script.get(&self.agent).or_else(|| script.get("*")).cloned().unwrap_or_default();
        Ok(vec![part.get(&self.place).or_else(|| part.get("*")).cloned().unwrap_or_default()])
    }

    fn parts_in_folder(&self) -> Result<Vec<Value>, String> {
        let step = self.place.replace('/', ".");
        let own = format!("{step}@{}", self.agent);
        let time = self.time_asked(&[&own, &step]);
        let by_time = |name: String| {
            let later = (2..=time).rev().map(|time| format!("{name}.{time}")).collect::<Vec<_>>();
            later.into_iter().chain([name])
        };
        for name in by_time(own).chain(by_time(step.clone())) {
            let (does, says) = (format!("{name}.json"), format!("{name}.txt"));
            if self.script.join(&does).is_file() {
                return Ok(match json_in(&self.script.join(does))? {
                    Value::Array(parts) => parts,
                    part => vec![part],
                });
            }
            if self.script.join(&says).is_file() {
                return Ok(vec![json!({"says": says})]);
            }
        }
        Err(format!("the script has nothing for {step}"))
    }

    /// Which time this agent is asked for this step, where the script says that it matters; otherwise the first.
    fn time_asked(&self, names: &[&str; 2]) -> u32 {
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

fn json_in(path: &Path) -> Result<Value, String> {
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The step in `DRIVER/PHASE-STEP-ATTEMPT`.
fn step_of_lane(lane: &str) -> Option<String> {
    let (_, lane) = lane.rsplit_once('/')?;
    let (step, attempt) = lane.split_once('-')?.1.rsplit_once('-')?;
    attempt.parse::<u32>().ok().map(|_| step.to_owned())
}

/// The step that a seat has in a design, for calls that belong to none.
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
